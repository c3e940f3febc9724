// Doppler spectra on disk.
#include <algorithm>
#include <cmath>
#include <vector>

#include "history/analysis_files.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

nlohmann::json number_or_null(double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(); }

// Least, median and greatest of what is a number among the kept columns.
nlohmann::json spread_json(const Spectrogram& s, const std::vector<float>& values) {
  std::vector<float> known;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    if (const float v = values[Spectrogram::slot(k)]; std::isfinite(v)) known.push_back(v);
  }
  nlohmann::json json = {{"columns", known.size()}};
  if (known.empty()) return json;
  std::ranges::sort(known);
  json["least"] = known.front();
  json["median"] = known[known.size() / 2];
  json["greatest"] = known.back();
  return json;
}

// Gate, window, PRF, aliasing limit, the curves' extremes.
nlohmann::json spectrogram_json(const Spectrogram& s) {
  return {{"gate", {{"x_m", s.centre.x_m}, {"z_m", s.centre.z_m}, {"length_m", s.length_m}, {"bands", s.bands}}},
          {"window_frames", s.frames},
          {"prf_hz", s.prf_hz},
          {"column_step_s", s.step_s()},
          {"aliasing_m_s", s.aliasing_m_s},
          {"reference_db", s.reference_db},
          {"brightest_db", number_or_null(static_cast<double>(s.brightest_db))},
          {"envelope_m_s", spread_json(s, s.envelope_m_s)},
          {"mean_m_s", spread_json(s, s.mean_m_s)}};
}

// float32 dB, shape [column][velocity bin], oldest column first; gaps are not numbers. The JSON beside it: axes,
// envelope and mean (null where there are none), gate, and what `about` holds.
void write_spectrogram_npy(const std::filesystem::path& path, const Spectrogram& s, const nlohmann::json& about) {
  std::vector<float> values;
  nlohmann::json times = nlohmann::json::array(), envelope = times, mean = times, velocities = times;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    const std::span<const float> column = s.column(k);
    values.insert(values.end(), column.begin(), column.end());
    const std::size_t slot = Spectrogram::slot(k);
    times.push_back(number_or_null(s.time_s[slot]));
    envelope.push_back(number_or_null(static_cast<double>(s.envelope_m_s[slot])));
    mean.push_back(number_or_null(static_cast<double>(s.mean_m_s[slot])));
  }
  for (int i = 0; i < s.n_bins; ++i) velocities.push_back(s.velocity_m_s(i));
  const std::string shape = std::to_string(s.end - s.first()) + ", " + std::to_string(s.n_bins);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] = "[column][velocity], power in dB, float32; velocities positive towards the probe";
  sidecar["time_s"] = times;
  sidecar["velocity_m_s"] = velocities;
  sidecar["envelope_m_s"] = envelope;
  sidecar["mean_m_s"] = mean;
  sidecar["parameters"] = params_json(s.params);
  sidecar["frame"] = frame_json(s.stamp);
  sidecar["sonogram"] = spectrogram_json(s);
  write_pair({{{path, npy_text(shape, {values})},
               {std::filesystem::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

AnalysisEnd end_spectrogram(LiveImages& live, const AnalysisCounts& counts) {
  const Spectrogram& last = last_of(live.spectrogram);
  const auto& n = counts.spectrogram;
  return end_with({{"columns", n.columns}, {"gaps", n.gaps}, {"late", n.late}},
                  n.columns > 0 && last.number > 0 ? &last : nullptr, spectrogram_json, write_spectrogram_npy);
}

}  // namespace

extern const AnalysisFileRow kSpectrogramFile;
constinit const AnalysisFileRow kSpectrogramFile{
    .option = "--sonogram-out",
    .type_name = "F.npy",
    .ending = ".npy",
    .beside = ".json",
    .help =
        "Newest 2048 spectra of the sample volume: float32 dB [column][velocity], with time and velocity axes, "
        "envelope and mean in F.json; needs --set gate=on",
    .report = "sonogram",
    .is_on = [](const ImagingParams& p) { return p.doppler.gate != Gate::off; },
    .off = "gate = off",
    .on = "--set gate=on",
    .missing = "no consecutive frames for a spectrum, or the sample volume is outside the image",
    .needs = "a sample volume inside the image and at least sonogram_frames consecutive frames",
    .end = end_spectrogram,
};

}  // namespace echoloop
