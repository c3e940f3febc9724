// Generalized coherence factor: F = sum over |k| <= bins of |A_k|^2 / (W E), A_k = sum_j w_j s_j exp(-2 pi i k j / N),
// j the place among the N channels that count, W = sum |w|, E = sum |w| |s|^2; to the power of the strength. 0 bins is
// the coherence factor (Li, Li, IEEE TUFFC 50:128, 2003). With P = sum w s cos(2 pi k j / N) and Q the same of sines,
// |A_k|^2 + |A_-k|^2 = 2 (|P|^2 + |Q|^2).
#pragma once

#include "dsp/complex.h"
#include "dsp/methods/channel_sums.h"

namespace echoloop {

// kMost: largest number of bins; a small one keeps the sums in registers.
template <int kMost>
struct GeneralizedCoherence {
  static constexpr bool counts = true;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = true;
  int bins;
  float strength;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;

  struct Sums {
    float weights = 0.0f;  // W
    float energy = 0.0f;   // E
    Complex cosine[kMost] = {};
    Complex sine[kMost] = {};
    float count = 0.0f;  // N
  };

  ECHO_HD void add(Sums& sums, float weight, Complex s, ChannelPlace at) const {
    sums.count = larger_of(sums.count, at.count);
    add_turned(sums, weight, s, unit_phasor(at.place / at.count));
  }

  // step: exp(2 pi i j / N). For executors that share it, and the count, between many channels.
  ECHO_HD void add_turned(Sums& sums, float weight, Complex s, Complex step) const {
    sums.weights += fabsf(weight);
    sums.energy += fabsf(weight) * (s.re * s.re + s.im * s.im);
    const Complex v = weight * s;
    Complex turn = step;
    for (int k = 0; k < kMost; ++k) {
      if (kMost > 2 && k >= bins) break;  // weight() ignores sums of further bins
      sums.cosine[k] = sums.cosine[k] + turn.re * v;
      sums.sine[k] = sums.sine[k] + turn.im * v;
      turn = turn * step;
    }
  }

  // Adds two channels of weight 1 and conjugate steps, a with `step`: both = a + b. Adds twice their energy.
  ECHO_HD void add_mirrored(Sums& sums, Complex both, Complex a, Complex step) const {
    const Complex difference{fmaf(2.0f, a.re, -both.re), fmaf(2.0f, a.im, -both.im)};
    sums.energy = both.re * both.re + (both.im * both.im + sums.energy);
    sums.energy = difference.re * difference.re + (difference.im * difference.im + sums.energy);
    Complex turn = step;
    for (int k = 0; k < kMost; ++k) {
      if (kMost > 2 && k >= bins) break;
      sums.cosine[k] = sums.cosine[k] + turn.re * both;
      sums.sine[k] = sums.sine[k] + turn.im * difference;
      turn = turn * step;
    }
  }

  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex sum, float n) const {
    const float most = sums.weights * sums.energy;
    if (!(most > 0.0f)) return 0.0f;
    float low = energy(sum);
    for (int k = 0; k < kMost; ++k) {
      const float twice = 2.0f * static_cast<float>(k + 1);
      if (k >= bins || twice > sums.count) break;
      const float both = twice < sums.count ? 2.0f : 1.0f;  // the highest frequency of an even number is single
      low += both * (energy(sums.cosine[k]) + energy(sums.sine[k]));
    }
    return to_power(share_of_equal(low / most, n), strength);
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }

 private:
  static ECHO_HD float energy(Complex v) { return v.re * v.re + v.im * v.im; }
};

template <class Run>
void run_method(MethodTag<Adaptive::generalized>, const MethodSettings& s, const Run& run) {
  if (s.bins <= 2) return run(GeneralizedCoherence<2>{s.bins, s.strength, s.axis, s.order});
  run(GeneralizedCoherence<kMostAdaptiveBins>{s.bins, s.strength, s.axis, s.order});
}

}  // namespace echoloop
