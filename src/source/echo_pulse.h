// The transmitted pulse as it comes back: a cosine under a Gaussian, centred on the geometric two-way time.
#pragma once

#include <cmath>

#include "core/units.h"

namespace echoloop {

// Full width at half maximum of a Gaussian over its standard deviation: 2 sqrt(2 ln 2).
inline const double kFullWidthPerSigma = 2.0 * std::sqrt(2.0 * std::log(2.0));

// Standard deviation in time of the envelope whose spectrum has the given full width at half amplitude.
inline double pulse_sigma_s(double center_hz, double fractional_bandwidth) {
  const double sigma_hz = fractional_bandwidth * center_hz / kFullWidthPerSigma;
  return 1.0 / (2.0 * kPi * sigma_hz);
}

// Value at t seconds from the centre; 1 at t = 0.
inline double pulse_value(double t_s, double center_hz, double sigma_s) {
  const double u = t_s / sigma_s;
  return std::exp(-0.5 * u * u) * std::cos(2.0 * kPi * center_hz * t_s);
}

// The pulse is cut off here: exp(-8) = -69 dB.
inline constexpr double kPulseSigmas = 4.0;

}  // namespace echoloop
