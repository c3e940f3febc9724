// Phase coherence over elements, for each transmit: R = |sum a x / |x|| / W, W
// = sum |a|, F = 1 - sqrt(1 - R^2) to the power of the strength. Amplitudes do
// not count (Camacho et al., IEEE TUFFC 56:958, 2009).
#pragma once

#include "dsp/methods/each_transmit.h"

namespace echoloop {

struct PhaseCoherence {
  float strength;  // 0 .. 1

  struct Sums {
    float weights;  // W
    Complex unit;
  };

  ECHO_HD void add(Sums& sums, float weight, Complex x) const {
    const float size = magnitude(x);
    sums.weights += fabsf(weight);
    if (size > 0.0f) sums.unit = sums.unit + weight / size * x;
  }

  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex /*sum*/, float /*n*/) const {
    const float r = magnitude(sums.unit) / sums.weights;
    const float f = 1.0f - sqrtf(r < 1.0f ? 1.0f - r * r : 0.0f);
    return powf(f, strength);
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return weigh_each_transmit(*this, channels);
  }
};

}  // namespace echoloop
