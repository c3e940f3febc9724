// Coherence factor over elements, for each transmit: F = |S|^2 / (W E), W = sum |a|, E = sum |a| |x|^2. F is 1 for
// equal channels and about 1 / N for noise on N channels (Mallart, Fink, JASA 96:3721, 1994). Between F (strength 1)
// and the Wiener post-filter (strength 0): N F / (N F + eta (1 - F)), eta = N^strength (Nilsen, Holm, IEEE TUFFC
// 57:1329, 2010).
#pragma once

#include "dsp/methods/each_transmit.h"

namespace echoloop {

struct CoherenceFactor {
  float strength;  // 0 .. 1

  struct Sums {
    float weights;  // W
    float energy;   // E
  };

  ECHO_HD void add(Sums& sums, float weight, Complex x) const {
    sums.weights += fabsf(weight);
    sums.energy += fabsf(weight) * (x.re * x.re + x.im * x.im);
  }

  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex sum, float n) const {
    const float most = sums.weights * sums.energy;
    if (!(most > 0.0f)) return 0.0f;
    const float share = (sum.re * sum.re + sum.im * sum.im) / most;
    const float f = share < 1.0f ? share : 1.0f;
    return n * f / (n * f + powf(n, strength) * (1.0f - f));
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return weigh_each_transmit(*this, channels);
  }
};

}  // namespace echoloop
