// Coherence factor: F = |S|^2 / (W E), S = sum w s, W = sum |w|, E = sum |w| |s|^2. F is 1 for equal channels and about
// 1 / N for noise on N channels (Mallart, Fink, JASA 96:3721, 1994). Between F (strength 1) and the Wiener post-filter
// (strength 0): N F / (N F + eta (1 - F)), eta = N^strength (Nilsen, Holm, IEEE TUFFC 57:1329, 2010).
#pragma once

#include "dsp/methods/channel_sums.h"

namespace echoloop {

struct CoherenceFactor {
  static constexpr bool counts = false;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = false;
  float strength;  // 0 .. 1
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;

  struct Sums {
    float weights = 0.0f;  // W
    float energy = 0.0f;   // E
  };

  ECHO_HD void add(Sums& sums, float weight, Complex s, ChannelPlace /*at*/) const {
    sums.weights += fabsf(weight);
    sums.energy += fabsf(weight) * (s.re * s.re + s.im * s.im);
  }

  // Adds a channel of weight 1, for executors with a known sum of the weights.
  ECHO_HD void add_equal(Sums& sums, Complex s) const { sums.energy = s.re * s.re + (s.im * s.im + sums.energy); }

  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex sum, float n) const {
    const float most = sums.weights * sums.energy;
    if (!(most > 0.0f)) return 0.0f;
    const float f = share_of_equal((sum.re * sum.re + sum.im * sum.im) / most, n);
    return n * f / (n * f + to_power(n, strength) * (1.0f - f));
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::coherence>, const MethodSettings& s, const Run& run) {
  run(CoherenceFactor{s.strength, s.axis, s.order});
}

}  // namespace echoloop
