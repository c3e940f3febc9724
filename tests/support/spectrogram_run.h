// Runs a source through a whole Session with a gate: its spectrogram.
#pragma once

#include "core/results/analysis_images.h"
#include "support/streaming.h"

namespace echoloop::testing {

struct SpectrogramRun {
  Spectrogram spectrogram;
  SpectrogramCounts counts;
};

inline SpectrogramRun run_spectrogram(const std::shared_ptr<Source>& source, const ImagingParams& params,
                                      std::uint64_t frames) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  Mailbox<Spectrogram> spectrograms;
  TimingTrace trace;
  Session session(
      *backend, source, images, trace,
      {.stream = unpaced(), .params = params, .max_frames = frames, .analyses = AnalysisMailboxes::only(spectrograms)});
  wait_until([&] { return session.done(); }, std::chrono::seconds(300));
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.take_refusal(), "");
  SpectrogramRun run;
  run.counts = std::get<SpectrogramCounts>(session.analysis_counts());
  EXPECT_TRUE(spectrograms.take()) << "no sonogram";
  run.spectrogram = std::move(spectrograms.front());
  return run;
}

// Returns the mean power of the columns that are not gaps, [n_bins].
inline std::vector<double> mean_spectrum(const Spectrogram& s) {
  std::vector<double> sum(static_cast<std::size_t>(s.n_bins), 0.0);
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    if (!std::isfinite(s.time_s[Spectrogram::slot(k)])) continue;
    const std::span<const float> column = s.column(k);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += std::pow(10.0, static_cast<double>(column[i]) / 10.0);
  }
  return sum;
}

inline double median_of(const Spectrogram& s, const std::vector<float>& values) {
  std::vector<double> known;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    const auto v = static_cast<double>(values[Spectrogram::slot(k)]);
    if (std::isfinite(v)) known.push_back(v);
  }
  if (known.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::nth_element(known, known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2));
  return known[known.size() / 2];
}

}  // namespace echoloop::testing
