// Phase coherence: R = |sum w s / |s|| / W, W = sum |w|, F = 1 - sqrt(1 - R^2) to the power of the strength. Amplitudes
// have no influence (Camacho et al., IEEE TUFFC 56:958, 2009).
#pragma once

#include "dsp/methods/channel_sums.h"

namespace echoloop {

struct PhaseCoherence {
  static constexpr bool counts = false;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = true;
  float strength;  // 0 .. 1
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;

  struct Sums {
    float weights = 0.0f;  // W
    Complex unit{0.0f, 0.0f};
  };

  ECHO_HD void add(Sums& sums, float weight, Complex s, ChannelPlace /*at*/) const {
    sums.weights += fabsf(weight);
    sums.unit = sums.unit + weight * inverse_root(energy_of(s)) * s;
  }

  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex /*sum*/, float /*n*/) const {
    const float r = magnitude(sums.unit) / sums.weights;
    // Rounding of sums of hundreds of equal phases, which the root would raise to 1e-3.
    constexpr float kRounding = 1.2e-5f;
    const float rest = 1.0f - r * r;
    const float f = 1.0f - sqrtf(rest > kRounding ? rest : 0.0f);
    return to_power(f, strength);
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::phase>, const MethodSettings& s, const Run& run) {
  run(PhaseCoherence{s.strength, s.axis, s.order});
}

}  // namespace echoloop
