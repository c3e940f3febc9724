// p-DAS: q = s |s|^(1/p - 1), Q = sum w q / W, W = sum |w|; the pixel is W Q |Q|^(p-1). p = 1 is delay-and-sum, p = 2
// delay, multiply and sum of baseband signals without its doubled phase (Polichetti et al., Appl. Sci. 8:599, 2018;
// Matrone et al., IEEE TMI 34:940, 2015).
#pragma once

#include "dsp/methods/channel_sums.h"

namespace echoloop {

// Delay-and-sum by the loops of the methods: p-DAS of root 1. Baseline for the cost of a method beyond the sum.

struct PlainSum {
  static constexpr bool counts = false;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = false;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
  AdaptiveAxis axis = AdaptiveAxis::elements;

  struct Sums {};

  ECHO_HD void add(Sums& /*sums*/, float /*weight*/, Complex /*s*/, ChannelPlace /*at*/) const {}
  [[nodiscard]] ECHO_HD float weight(const Sums& /*sums*/, Complex /*sum*/, float /*n*/) const { return 1.0f; }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

struct PDas {
  static constexpr bool counts = false;
  static constexpr bool replaces = true;
  static constexpr bool reads_phases = true;
  float root;  // p
  AdaptiveOrder order = AdaptiveOrder::each_transmit;

  struct Sums {
    float weights = 0.0f;  // W
    Complex roots{0.0f, 0.0f};
  };

  ECHO_HD void add(Sums& sums, float weight, Complex s, ChannelPlace /*at*/) const {
    sums.weights += fabsf(weight);
    const float energy = energy_of(s);
    const float factor = root == 2.0f ? inverse_root(energy * inverse_root(energy)) : powf(energy, 0.5f / root - 0.5f);
    sums.roots = sums.roots + weight * factor * s;
  }

  [[nodiscard]] ECHO_HD Complex pixel(const Sums& sums) const {
    const Complex mean = 1.0f / sums.weights * sums.roots;
    const float size = magnitude(mean);
    const float factor = root == 2.0f ? size : size > 0.0f ? powf(size, root - 1.0f) : 0.0f;
    return sums.weights * factor * mean;
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

// p = 2, a constant at compile time.
struct SquareRootDas : PDas {
  ECHO_HD void add(Sums& sums, float weight, Complex s, ChannelPlace at) const {
    PDas{2.0f, order}.add(sums, weight, s, at);
  }
  [[nodiscard]] ECHO_HD Complex pixel(const Sums& sums) const { return PDas{2.0f, order}.pixel(sums); }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::p_das>, const MethodSettings& s, const Run& run) {
  if (s.root == 1.0f) return run(PlainSum{s.order});
  if (s.root == 2.0f) return run(SquareRootDas{{2.0f, s.order}});
  run(PDas{s.root, s.order});
}

}  // namespace echoloop
