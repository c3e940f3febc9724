#include "formats/base/echo_spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "formats/base/library_recording.h"

namespace echoloop {
namespace {

using Values = std::vector<std::complex<double>>;

constexpr std::size_t kMostSegments = 512;  // per line

// Returns the power of all segments of `n` samples.
std::vector<double> summed_power(const Acquisition& a, std::span<const std::byte> frame, std::size_t n) {
  const bool iq = a.signal == SignalKind::iq;
  const auto n_samples = static_cast<std::size_t>(a.n_samples);
  const std::size_t n_lines = a.transmits.size() * a.probe.elements.size();
  const std::size_t step = std::max<std::size_t>(1, n_lines / 64);
  const std::size_t skipped = n_samples > 4 * n ? n_samples / 16 : 0;  // skips the transmit pulse
  const std::size_t apart = std::max(n / 2, n_samples / kMostSegments);
  std::vector<double> power(n, 0.0);
  const FourierTransform fourier(n);
  Values segment(n);
  for (std::size_t line = step / 2; line < n_lines; line += step) {
    for (std::size_t from = skipped; from + n <= n_samples; from += apart) {
      double mean = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = line * n_samples + from + i;
        segment[i] = iq ? std::complex(sample_value(a, frame, 2 * at), sample_value(a, frame, 2 * at + 1))
                        : std::complex(sample_value(a, frame, at), 0.0);
        mean += segment[i].real();
      }
      mean = iq ? 0.0 : mean / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i)
        segment[i] =
            (segment[i] - mean) * (0.5 - 0.5 * std::cos(2.0 * kPi * static_cast<double>(i) / static_cast<double>(n)));
      fourier.forward(segment);
      for (std::size_t i = 0; i < n; ++i) power[i] += std::norm(segment[i]);
    }
  }
  return power;
}

}  // namespace

std::optional<EchoSpectrum> measure_spectrum(const Acquisition& a, std::span<const std::byte> frame) {
  if (a.n_samples < 64 || frame.size() < a.frame_bytes()) return std::nullopt;
  const std::size_t n = std::min<std::size_t>(1024, std::bit_floor(static_cast<std::size_t>(a.n_samples)));
  const bool iq = a.signal == SignalKind::iq;
  const std::vector<double> raw = summed_power(a, frame, n);
  const std::size_t n_bins = iq ? n : n / 2;
  std::vector<double> power(n_bins);
  for (std::size_t k = 0; k < n_bins; ++k) power[k] = raw[iq ? (k + n / 2) % n : k];
  std::vector<double> smooth(n_bins, 0.0);
  const std::size_t half = std::max<std::size_t>(1, n_bins / 64);
  for (std::size_t k = 0; k < n_bins; ++k) {
    const std::size_t first = k >= half ? k - half : 0, last = std::min(k + half, n_bins - 1);
    for (std::size_t j = first; j <= last; ++j) smooth[k] += power[j] / static_cast<double>(last - first + 1);
  }
  std::vector<double> sorted = smooth;
  std::ranges::sort(sorted);
  const double noise = sorted[n_bins / 5], most = sorted.back();
  if (!(most > 4.0 * noise) || !(most > 0.0)) return std::nullopt;
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(smooth) - smooth.begin());
  const double half_power = noise + 0.5 * (most - noise), skirt = noise + 0.1 * (most - noise);
  const auto reach = [&](double level, std::ptrdiff_t step) {
    auto k = static_cast<std::ptrdiff_t>(peak);
    while (k + step >= 0 && k + step < static_cast<std::ptrdiff_t>(n_bins) &&
           smooth[static_cast<std::size_t>(k + step)] > level)
      k += step;
    return static_cast<std::size_t>(k);
  };
  double sum = 0.0, weighted = 0.0;
  for (std::size_t k = reach(skirt, -1); k <= reach(skirt, 1); ++k) {
    sum += smooth[k] - noise;
    weighted += (smooth[k] - noise) * static_cast<double>(k);
  }
  const auto hertz = [&](double bin) {
    const double per_bin = a.sampling_hz / static_cast<double>(n);
    return iq ? a.demod_hz + (bin - 0.5 * static_cast<double>(n)) * per_bin : bin * per_bin;
  };
  EchoSpectrum spectrum{.center_hz = hertz(weighted / sum),
                        .low_hz = hertz(static_cast<double>(reach(half_power, -1))),
                        .high_hz = hertz(static_cast<double>(reach(half_power, 1))),
                        .power = {},
                        .first_hz = hertz(0.0),
                        .step_hz = a.sampling_hz / static_cast<double>(n)};
  for (const double value : smooth) spectrum.power.push_back(static_cast<float>(value / most));
  return spectrum;
}

double pulse_peak_s(std::span<const double> waveform, double sampling_hz, double center_hz) {
  const std::size_t n = waveform.size();
  const auto window = static_cast<std::size_t>(std::clamp(sampling_hz / center_hz, 1.0, static_cast<double>(n)));
  std::vector<std::complex<double>> sum(n + 1);
  for (std::size_t k = 0; k < n; ++k)
    sum[k + 1] = sum[k] + waveform[k] * std::polar(1.0, -2.0 * kPi * center_hz / sampling_hz * static_cast<double>(k));
  std::vector<double> heights;
  for (std::size_t k = 0; k + window <= n; ++k) heights.push_back(std::abs(sum[k + window] - sum[k]));
  const auto highest = static_cast<std::size_t>(std::ranges::max_element(heights) - heights.begin());
  if (heights.empty() || !(heights[highest] > 0.0)) return 0.0;
  double peak = static_cast<double>(highest) + 0.5 * static_cast<double>(window - 1);
  if (highest > 0 && highest + 1 < heights.size()) {  // of a parabola through three values
    const double before = heights[highest - 1], after = heights[highest + 1];
    const double bend = before - 2.0 * heights[highest] + after;
    if (bend < 0.0) peak += 0.5 * (before - after) / bend;
  }
  return peak / sampling_hz;
}

FourierTransform::FourierTransform(std::size_t size) {
  for (std::size_t k = 0; k < size / 2; ++k)
    turns_.push_back(std::polar(1.0, -2.0 * kPi * static_cast<double>(k) / static_cast<double>(size)));
}

void FourierTransform::run(std::vector<std::complex<double>>& x, double sign) const {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const std::size_t half = length / 2, step = n / length;
    for (std::size_t at = 0; at < n; at += length) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> even = x[at + k], odd = x[at + k + half], turn = turns_[k * step];
        const double re = odd.real() * turn.real() - sign * odd.imag() * turn.imag(),
                     im = odd.imag() * turn.real() + sign * odd.real() * turn.imag();
        x[at + k] = {even.real() + re, even.imag() + im};
        x[at + k + half] = {even.real() - re, even.imag() - im};
      }
    }
  }
}

}  // namespace echoloop
