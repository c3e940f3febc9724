// RF lines as IQ: mixed to the centre frequency and low-passed, so that what the viewer shows is their envelope.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/import/described.h"

namespace echoloop {
namespace {

constexpr int kHalfTaps = 48;

// A low-pass filter for what mixing leaves beside the band, Blackman's window; gain 2, for half of the energy goes.
std::vector<double> low_pass(double sampling_hz, double center_hz) {
  const double cutoff = 0.9 * std::min(center_hz, 0.5 * sampling_hz - center_hz) / sampling_hz;  // cycles a sample
  std::vector<double> taps(2 * kHalfTaps + 1);
  double sum = 0.0;
  for (int k = -kHalfTaps; k <= kHalfTaps; ++k) {
    const double x = 2.0 * kPi * cutoff * k, u = kPi * k / (kHalfTaps + 1);
    const double window = 0.42 + 0.5 * std::cos(u) + 0.08 * std::cos(2.0 * u);
    const double tap = (k == 0 ? 1.0 : std::sin(x) / x) * window;
    taps[static_cast<std::size_t>(k + kHalfTaps)] = tap;
    sum += tap;
  }
  for (double& tap : taps) tap *= 2.0 / sum;
  return taps;
}

class Mixer {
 public:
  explicit Mixer(const Acquisition& a) : n_(static_cast<std::size_t>(a.n_samples)), mixed_(2 * n_) {
    for (const double tap : low_pass(a.sampling_hz, a.center_hz)) taps_.push_back(static_cast<float>(tap));
    for (std::size_t i = 0; i < n_; ++i) {
      const double phase = -2.0 * kPi * a.center_hz * (a.transmits[0].t0_s + static_cast<double>(i) / a.sampling_hz);
      cos_.push_back(static_cast<float>(std::cos(phase)));
      sin_.push_back(static_cast<float>(std::sin(phase)));
    }
  }

  template <class T>
  void line(const T* from, float* to) {
    for (std::size_t i = 0; i < n_; ++i) {
      mixed_[2 * i] = static_cast<float>(from[i]) * cos_[i];
      mixed_[2 * i + 1] = static_cast<float>(from[i]) * sin_[i];
    }
    for (std::size_t i = 0; i < n_; ++i) {
      float re = 0.0F, im = 0.0F;
      const auto at = static_cast<std::ptrdiff_t>(i);
      for (std::ptrdiff_t k = -kHalfTaps; k <= kHalfTaps; ++k) {
        const std::ptrdiff_t j = at + k;
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(n_)) continue;
        const float tap = taps_[static_cast<std::size_t>(k + kHalfTaps)];
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

}  // namespace

LibraryRecording beamformed_lines(LibraryRecording lines) {
  const AcquisitionPtr rf = lines.acquisition;
  Acquisition a = *rf;
  a.data = DataKind::beamformed;
  a.signal = SignalKind::iq;
  a.sample_type = SampleType::float32;
  a.demod_hz = a.center_hz;
  a.validate("beamformed lines");
  lines.frame_offsets.clear();
  const auto mixer = std::make_shared<Mixer>(*rf);
  lines.read_frame = [rf, mixer, read = std::move(lines.read_frame), stored = std::vector<std::byte>()](
                         std::uint64_t index, std::span<std::byte> out) mutable {
    stored.resize(rf->frame_bytes());
    read(index, stored);
    const auto n = static_cast<std::size_t>(rf->n_samples);
    float* const to = reinterpret_cast<float*>(out.data());
    for (std::size_t e = 0; e < rf->probe.elements.size(); ++e) {
      if (rf->sample_type == SampleType::int16) {
        mixer->line(reinterpret_cast<const std::int16_t*>(stored.data()) + e * n, to + 2 * e * n);
      } else {
        mixer->line(reinterpret_cast<const float*>(stored.data()) + e * n, to + 2 * e * n);
      }
    }
  };
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return lines;
}

}  // namespace echoloop
