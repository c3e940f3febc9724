// Helpers of the phantom tests: frames as int16, and a plain float64 delay-and-sum for these tests alone, independent
// of the geometry of phantom and beamformer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "source/phantom.h"

namespace echoloop::testing {

inline std::vector<std::int16_t> frame_of(SeekableSource& source, std::uint64_t index) {
  std::vector<std::int16_t> frame(source.acquisition()->frame_values());
  const auto slot = std::as_writable_bytes(std::span<std::int16_t>(frame));
  const auto lent = source.at(index, slot);
  EXPECT_EQ(lent.data(), slot.data());
  EXPECT_EQ(lent.size(), slot.size());
  return frame;
}

inline std::span<const std::int16_t> line_of(const Acquisition& a, const std::vector<std::int16_t>& frame, int t,
                                             int e) {
  const auto n = static_cast<std::size_t>(a.n_samples);
  return std::span(frame).subspan(static_cast<std::size_t>(t * a.n_elements() + e) * n, n);
}

// Returns the time (s) at element x_e of the echo of (x, z), after the wave of `angle_rad` passed the origin.
inline double echo_time_s(double x_m, double z_m, double angle_rad, double x_e_m, double c) {
  const double there_m = x_m * std::sin(angle_rad) + z_m * std::cos(angle_rad);
  return (there_m + std::hypot(x_m - x_e_m, z_m)) / c;
}

// Returns the delay of the echo in `line` after `expected_s`: the lag of the best match of a Gaussian-windowed cosine.
template <typename Sample>
double echo_error_s(std::span<const Sample> line, const Acquisition& a, double expected_s) {
  constexpr double kStep_s = 1e-9;
  constexpr int kSteps = 40;  // +-40 ns: less than half a period of 5 MHz, no wrong cycle
  const double sigma_hz = a.bandwidth_hz / (2.0 * std::sqrt(2.0 * std::numbers::ln2));
  const double sigma_s = 1.0 / (2.0 * std::numbers::pi * sigma_hz);
  double best = -1e300;
  int best_k = 0;
  double match[2 * kSteps + 1];
  for (int k = -kSteps; k <= kSteps; ++k) {
    double sum = 0.0;
    for (int n = 0; n < static_cast<int>(line.size()); ++n) {
      const double t = n / a.sampling_hz - (expected_s + k * kStep_s);
      if (std::abs(t) > 4.0 * sigma_s) continue;
      sum += static_cast<double>(line[static_cast<std::size_t>(n)]) * std::exp(-0.5 * t * t / (sigma_s * sigma_s)) *
             std::cos(2.0 * std::numbers::pi * a.center_hz * t);
    }
    match[k + kSteps] = sum;
    if (sum > best) {
      best = sum;
      best_k = k;
    }
  }
  if (std::abs(best_k) == kSteps) return best_k * kStep_s;
  const double* const m = match + best_k + kSteps;
  return (best_k + 0.5 * (m[-1] - m[1]) / (m[-1] - 2.0 * m[0] + m[1])) * kStep_s;
}

// Baseband of every line (fs = 4 fc): mixed down, then a short Gaussian low-pass.
class Das {
 public:
  Das(const Acquisition& a, const std::vector<std::int16_t>& frame) : a_(a), baseband_(frame.size()) {
    constexpr int kHalf = 5;
    const auto n = a.n_samples;
    for (std::size_t line = 0; line < frame.size() / static_cast<std::size_t>(n); ++line) {
      const std::size_t at = line * static_cast<std::size_t>(n);
      for (int i = 0; i < n; ++i) {
        std::complex<double> sum = 0.0;
        for (int k = std::max(0, i - kHalf); k <= std::min(n - 1, i + kHalf); ++k) {
          const double weight = std::exp(-0.5 * (k - i) * (k - i) / 2.25);
          sum += weight * frame[at + static_cast<std::size_t>(k)] * std::polar(1.0, -0.5 * std::numbers::pi * (k % 4));
        }
        baseband_[at + static_cast<std::size_t>(i)] = sum;
      }
    }
  }

  [[nodiscard]] std::complex<double> at(double x_m, double z_m, double f_number) const {
    std::complex<double> sum = 0.0;
    int n = 0;
    for (int t = 0; t < a_.n_transmits(); ++t) {
      for (int e = 0; e < a_.n_elements(); ++e) {
        const double x_e = a_.probe.elements[static_cast<std::size_t>(e)].x_m;
        if (std::abs(x_e - x_m) > 0.5 * z_m / f_number) continue;
        const double angle = a_.transmits[static_cast<std::size_t>(t)].angle_rad;
        const double tau_s = echo_time_s(x_m, z_m, angle, x_e, a_.sound_speed_m_s);
        const double position = tau_s * a_.sampling_hz;
        const auto whole = static_cast<int>(position);
        if (whole < 0 || whole + 1 >= a_.n_samples) continue;
        const auto* const line = baseband_.data() + static_cast<std::size_t>((t * a_.n_elements() + e) * a_.n_samples);
        const double part = position - whole;
        const std::complex<double> value = line[whole] * (1.0 - part) + line[whole + 1] * part;
        sum += value * std::polar(1.0, 2.0 * std::numbers::pi * a_.center_hz * tau_s);
        ++n;
      }
    }
    return n > 0 ? sum / static_cast<double>(n) : sum;
  }

 private:
  const Acquisition& a_;
  std::vector<std::complex<double>> baseband_;
};

inline double rms(std::span<const std::int16_t> values) {
  double sum = 0.0;
  for (const std::int16_t value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Returns the normalised correlation of two frames.
inline double correlation(const std::vector<std::int16_t>& a, const std::vector<std::int16_t>& b) {
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace echoloop::testing
