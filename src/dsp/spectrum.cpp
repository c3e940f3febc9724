#include "dsp/spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr int kMostSegments = 24;  // a smooth curve; more only cost time

std::complex<double> turned(double turns) { return std::polar(1.0, 2.0 * kPi * (turns - std::floor(turns))); }

}  // namespace

std::vector<float> power_spectrum_db(const SampledLine& line, double segment_s, double first_hz, double step_hz,
                                     int n) {
  const int n_samples = static_cast<int>(line.samples.size());
  const int length = std::clamp(static_cast<int>(std::lround(segment_s * line.rate_hz)), 1, std::max(n_samples, 1));
  const int hop = std::max({1, length / 2, (n_samples - length) / kMostSegments});
  std::vector<double> window(static_cast<std::size_t>(length));
  for (int k = 0; k < length; ++k)
    window[static_cast<std::size_t>(k)] = 0.5 - 0.5 * std::cos(2.0 * kPi * (k + 0.5) / length);
  std::vector<float> spectrum;
  for (int i = 0; i < n; ++i) {
    const std::complex<double> step = turned(-(first_hz + i * step_hz - line.demod_hz) / line.rate_hz);
    double power = 0.0;
    int segments = 0;
    for (int begin = 0; begin + length <= n_samples; begin += hop, ++segments) {
      std::complex<double> sum = 0.0, rotor = 1.0;
      for (int k = 0; k < length; ++k, rotor *= step) {
        const Complex v = line.samples[static_cast<std::size_t>(begin + k)];
        const std::complex<double> value{static_cast<double>(v.re), static_cast<double>(v.im)};
        sum += window[static_cast<std::size_t>(k)] * value * rotor;
      }
      power += std::norm(sum);
    }
    // Amplitude density: a sum over samples approximates an integral over time.
    const double density = power / std::max(segments, 1) / (line.rate_hz * line.rate_hz);
    spectrum.push_back(static_cast<float>(std::max(10.0 * std::log10(density + 1e-300), -300.0)));
  }
  return spectrum;
}

}  // namespace echoloop
