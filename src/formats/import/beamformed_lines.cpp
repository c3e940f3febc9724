// RF lines as IQ: mixed to the centre frequency and low-passed, so that what the viewer shows is their envelope.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/import/described.h"

namespace echoloop {
namespace {

constexpr int kLeastHalfTaps = 48, kMostHalfTaps = 2048;
constexpr double kPeriods = 4.0;  // of the cutoff, in half of the taps: the passband ends within a third of the cutoff

// A low-pass filter for what mixing leaves beside the band, Blackman's window; gain 2, for half of the energy goes.
std::vector<double> low_pass(double sampling_hz, double center_hz) {
  const double cutoff = 0.9 * std::min(center_hz, 0.5 * sampling_hz - center_hz) / sampling_hz;  // cycles a sample
  const int half_taps = std::clamp(static_cast<int>(std::ceil(std::min(kPeriods / std::abs(cutoff), 1e6))),
                                   kLeastHalfTaps, kMostHalfTaps);
  std::vector<double> taps(2 * static_cast<std::size_t>(half_taps) + 1);
  double sum = 0.0;
  for (int k = -half_taps; k <= half_taps; ++k) {
    const double x = 2.0 * kPi * cutoff * k, u = kPi * k / (half_taps + 1);
    const double window = 0.42 + 0.5 * std::cos(u) + 0.08 * std::cos(2.0 * u);
    const double tap = (k == 0 ? 1.0 : std::sin(x) / x) * window;
    taps[static_cast<std::size_t>(k + half_taps)] = tap;
    sum += tap;
  }
  for (double& tap : taps) tap *= 2.0 / sum;
  return taps;
}

class Mixer {
 public:
  // `a`: of the lines as they come out, longer than they are stored where they begin at times of their own.
  explicit Mixer(const Acquisition& a) : n_(static_cast<std::size_t>(a.n_samples)), mixed_(2 * n_) {
    for (const double tap : low_pass(a.sampling_hz, a.center_hz)) taps_.push_back(static_cast<float>(tap));
    for (std::size_t i = 0; i < n_; ++i) {
      const double phase = -2.0 * kPi * a.center_hz * (a.transmits[0].t0_s + static_cast<double>(i) / a.sampling_hz);
      cos_.push_back(static_cast<float>(std::cos(phase)));
      sin_.push_back(static_cast<float>(std::sin(phase)));
    }
  }

  // `from[0]` becomes sample `first`.
  template <class T>
  void line(std::span<const T> from, std::size_t first, float* to) {
    std::ranges::fill(mixed_, 0.0F);
    for (std::size_t i = 0; i < from.size(); ++i) {
      mixed_[2 * (first + i)] = static_cast<float>(from[i]) * cos_[first + i];
      mixed_[2 * (first + i) + 1] = static_cast<float>(from[i]) * sin_[first + i];
    }
    const auto half_taps = static_cast<std::ptrdiff_t>(taps_.size() / 2);
    for (std::size_t i = 0; i < n_; ++i) {
      float re = 0.0F, im = 0.0F;
      const auto at = static_cast<std::ptrdiff_t>(i);
      for (std::ptrdiff_t k = -half_taps; k <= half_taps; ++k) {
        const std::ptrdiff_t j = at + k;
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(n_)) continue;
        const float tap = taps_[static_cast<std::size_t>(k + half_taps)];
        re += tap * mixed_[static_cast<std::size_t>(2 * j)];
        im += tap * mixed_[static_cast<std::size_t>(2 * j + 1)];
      }
      to[2 * i] = re;
      to[2 * i + 1] = im;
    }
  }

 private:
  std::size_t n_;
  std::vector<float> taps_, cos_, sin_, mixed_;
};

// In samples after the first line of all.
std::vector<std::size_t> first_samples(const Acquisition& a, const std::vector<double>& t0_s) {
  std::vector<std::size_t> first(a.probe.elements.size(), 0);
  for (std::size_t e = 0; e < std::min(first.size(), t0_s.size()); ++e)
    first[e] = static_cast<std::size_t>(std::lround((t0_s[e] - std::ranges::min(t0_s)) * a.sampling_hz));
  return first;
}

}  // namespace

LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s) {
  const AcquisitionPtr rf = lines.acquisition;
  Acquisition a = *rf;
  const std::vector<std::size_t> first = first_samples(a, t0_s);
  a.n_samples += static_cast<int>(std::ranges::max(first));
  a.data = are_parallel(a.probe) ? DataKind::beamformed : DataKind::channels;
  a.signal = SignalKind::iq;
  a.sample_type = SampleType::float32;
  a.demod_hz = a.center_hz;
  a.validate("beamformed lines");
  lines.frame_offsets.clear();
  const auto mixer = std::make_shared<Mixer>(a);
  lines.read_frame = [rf, mixer, first, n_out = static_cast<std::size_t>(a.n_samples),
                      read = std::move(lines.read_frame),
                      stored = std::vector<std::byte>()](std::uint64_t index, std::span<std::byte> out) mutable {
    stored.resize(rf->frame_bytes());
    read(index, stored);
    const auto n = static_cast<std::size_t>(rf->n_samples);
    float* const to = reinterpret_cast<float*>(out.data());
    for (std::size_t e = 0; e < rf->probe.elements.size(); ++e) {
      if (rf->sample_type == SampleType::int16) {
        const auto* const from = reinterpret_cast<const std::int16_t*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      } else {
        const auto* const from = reinterpret_cast<const float*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      }
    }
  };
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return lines;
}

}  // namespace echoloop
