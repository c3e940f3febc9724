// Loops over the channels of a pixel for methods that need sums over them. Channels s of weight w:
//   elements, each transmit: x_{e,t} of one transmit, a_e; the results of the transmits are summed with b_t
//   elements, compounded:    sum_t b_t x_{e,t}, a_e
//   transmits:               sum_e a_e x_{e,t}, b_t
//   both:                    x_{e,t}, a_e b_t
// Channels count if weighted and recorded. Samples are scaled by a power of two, so that floats hold their squares.
#pragma once

#include "dsp/level.h"
#include "dsp/methods/method.h"

// Unrolls loops for CUDA, which keeps arrays in registers only if all indices are constants.
#if defined(__CUDACC__)
#define ECHO_UNROLL _Pragma("unroll")
#else
#define ECHO_UNROLL
#endif

namespace echoloop {

// Returns |s|^2 of a scaled sample, at least 2^-126, so that it has an inverse root.
ECHO_HD float energy_of(Complex s) { return s.re * s.re + (s.im * s.im + 0x1p-126f); }

// Returns v^(-1/2), v >= 2^-126.
ECHO_HD float inverse_root(float v) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
  return root;
#else
  return 1.0f / sqrtf(v);
#endif
}

// Returns v to a power that is usually 1.
ECHO_HD float to_power(float v, float exponent) { return exponent == 1.0f ? v : powf(v, exponent); }

// Returns a share of the sums of n equal channels, set to 1 if within their rounding, at most 1e-4.
ECHO_HD float share_of_equal(float share, float n) {
  const float rounding = n < 1600.0f ? n * 0x1p-24f : 1e-4f;
  return share < 1.0f - rounding ? share : 1.0f;
}

// Number of channels below which weights fade to 1 towards a single channel, as few channels hardly show coherence.
inline constexpr float kFullWeightChannels = 4.0f;

// Index j of a channel among the N that count; for methods with `counts`. Axis both: of the element in its transmit.
struct ChannelPlace {
  float place, count;
};

// One set of channels, to which a method is applied at once.
template <class Method>
struct ChannelSet {
  typename Method::Sums sums{};
  Complex sum{0.0f, 0.0f};
  float n = 0.0f;

  ECHO_HD void add(const Method& method, float weight, Complex x, ChannelPlace at) {
    n += 1.0f;
    sum = sum + weight * x;
    method.add(sums, weight, x, at);
  }
};

// Sum and result of the sets so far, and the factor of the samples.
struct FormedPixel {
  Complex das{0.0f, 0.0f};
  Complex formed{0.0f, 0.0f};
  float factor = 0.0f;  // 0: not known yet

  ECHO_HD Complex scaled(Complex x) {
    const float larger = larger_of(fabsf(x.re), fabsf(x.im));
    if (factor == 0.0f && larger > 0.0f) factor = factor_towards_one(larger);
    return factor * x;
  }

  template <class Method>
  ECHO_HD void add(const Method& method, const ChannelSet<Method>& set, float weight) {
    if (set.n == 0.0f || factor == 0.0f) return;  // no echo
    const float down = weight / factor;
    das = das + down * set.sum;
    if constexpr (Method::replaces) {
      formed = formed + down * method.pixel(set.sums);
    } else {
      const float full = method.weight(set.sums, set.sum, set.n);
      const float share = (set.n - 1.0f) / (kFullWeightChannels - 1.0f);
      formed = formed + (set.n < kFullWeightChannels ? 1.0f + (full - 1.0f) * share : full) * down * set.sum;
    }
  }

  template <class Method>
  [[nodiscard]] ECHO_HD MethodPixel pixel() const {
    if constexpr (Method::replaces) return {formed, 1.0f};
    const float plain = magnitude(das);
    return {das, plain > 0.0f ? magnitude(formed) / plain : 0.0f};
  }
};

inline constexpr int kMethodGroup = 4;  // transmits per pass over the elements, whose part is computed once for them

template <class Channels>
struct TransmitGroup {
  typename Channels::Transmit transmit[kMethodGroup];
  float count[kMethodGroup];  // of channels
  int size;

  ECHO_HD TransmitGroup(const Channels& channels, int first) : count{} {
    const int left = channels.n_transmits() - first;
    size = left < kMethodGroup ? left : kMethodGroup;
    ECHO_UNROLL
    for (int t = 0; t < kMethodGroup; ++t) {
      if (t >= size) break;
      transmit[t] = channels.transmit(first + t);
    }
  }

  // Returns true if no transmit has a weight at the pixel.
  [[nodiscard]] ECHO_HD bool is_empty() const {
    bool empty = true;
    ECHO_UNROLL
    for (int t = 0; t < kMethodGroup; ++t) empty = empty && (t >= size || transmit[t].weight == 0.0f);
    return empty;
  }

  ECHO_HD void count_elements(const Channels& channels) {
    for (int e = 0; e < channels.n_elements(); ++e) {
      const typename Channels::Element element = channels.element(e);
      if (element.weight == 0.0f) continue;
      ECHO_UNROLL
      for (int t = 0; t < kMethodGroup; ++t) {
        if (t >= size) break;
        count[t] += channels.recorded(transmit[t], element) ? 1.0f : 0.0f;
      }
    }
  }
};

// Calls run(t, element, sample) for the samples of a group that count.
template <class Channels, class Run>
ECHO_HD void for_each_sample(const Channels& channels, const TransmitGroup<Channels>& group, const Run& run) {
  for (int e = 0; e < channels.n_elements(); ++e) {
    const typename Channels::Element element = channels.element(e);
    if (element.weight == 0.0f) continue;
    ECHO_UNROLL
    for (int t = 0; t < kMethodGroup; ++t) {
      if (t >= group.size) break;
      const ChannelSample x = channels.sample(group.transmit[t], element);
      if (x.recorded) run(t, element.weight, x.value);
    }
  }
}

template <class Method, class Channels>
ECHO_HD MethodPixel form_each_transmit(const Method& method, const Channels& channels) {
  FormedPixel made;
  for (int first = 0; first < channels.n_transmits(); first += kMethodGroup) {
    TransmitGroup<Channels> group(channels, first);
    if (group.is_empty()) continue;
    if constexpr (Method::counts) group.count_elements(channels);
    ChannelSet<Method> sets[kMethodGroup];
    for_each_sample(channels, group, [&](int t, float weight, Complex x) {
      sets[t].add(method, weight, made.scaled(x), {sets[t].n, group.count[t]});
    });
    ECHO_UNROLL
    for (int t = 0; t < kMethodGroup; ++t)
      if (t < group.size) made.add(method, sets[t], group.transmit[t].weight);
  }
  return made.template pixel<Method>();
}

template <class Method, class Channels>
ECHO_HD MethodPixel form_both(const Method& method, const Channels& channels) {
  FormedPixel made;
  ChannelSet<Method> all;
  for (int first = 0; first < channels.n_transmits(); first += kMethodGroup) {
    TransmitGroup<Channels> group(channels, first);
    if (group.is_empty()) continue;
    if constexpr (Method::counts) group.count_elements(channels);
    float place[kMethodGroup] = {};
    for_each_sample(channels, group, [&](int t, float weight, Complex x) {
      const float both = weight * group.transmit[t].weight;
      if (both != 0.0f) all.add(method, both, made.scaled(x), {place[t], group.count[t]});
      place[t] += 1.0f;
    });
  }
  made.add(method, all, 1.0f);
  return made.template pixel<Method>();
}

template <class Channels>
ECHO_HD bool any_recorded(const Channels& channels, const typename Channels::Transmit& transmit) {
  for (int e = 0; e < channels.n_elements(); ++e) {
    const typename Channels::Element element = channels.element(e);
    if (element.weight != 0.0f && channels.recorded(transmit, element)) return true;
  }
  return false;
}

template <class Method, class Channels>
ECHO_HD MethodPixel form_transmits(const Method& method, const Channels& channels) {
  float count = 0.0f;
  if constexpr (Method::counts) {
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const typename Channels::Transmit transmit = channels.transmit(t);
      count += transmit.weight != 0.0f && any_recorded(channels, transmit) ? 1.0f : 0.0f;
    }
  }
  FormedPixel made;
  ChannelSet<Method> all;
  for (int first = 0; first < channels.n_transmits(); first += kMethodGroup) {
    const TransmitGroup<Channels> group(channels, first);
    if (group.is_empty()) continue;
    Complex sum[kMethodGroup] = {};
    bool recorded[kMethodGroup] = {};
    for_each_sample(channels, group, [&](int t, float weight, Complex x) {
      sum[t] = sum[t] + weight * made.scaled(x);
      recorded[t] = true;
    });
    ECHO_UNROLL
    for (int t = 0; t < kMethodGroup; ++t)
      if (t < group.size && recorded[t] && group.transmit[t].weight != 0.0f)
        all.add(method, group.transmit[t].weight, sum[t], {all.n, count});
  }
  made.add(method, all, 1.0f);
  return made.template pixel<Method>();
}

// Computes sum_t b_t x_{e,t} element by element.
template <class Channels>
class CompoundedElements {
 public:
  ECHO_HD explicit CompoundedElements(const Channels& channels) : channels_(channels) {
    for (; rest_ < channels.n_transmits() && n_kept_ < kKept; ++rest_) {
      const typename Channels::Transmit transmit = channels.transmit(rest_);
      if (transmit.weight != 0.0f) kept_[n_kept_++] = transmit;
    }
  }

  // Returns the weighted sum over transmits; recorded if one of them recorded the sample.
  [[nodiscard]] ECHO_HD ChannelSample sample(const typename Channels::Element& element) const {
    ChannelSample made{{0.0f, 0.0f}, false};
    for_each_transmit([&](const typename Channels::Transmit& transmit) {
      const ChannelSample x = channels_.sample(transmit, element);
      made = {made.value + transmit.weight * x.value, made.recorded || x.recorded};
    });
    return made;
  }

  [[nodiscard]] ECHO_HD bool recorded(const typename Channels::Element& element) const {
    for (int t = 0; t < n_kept_; ++t)
      if (channels_.recorded(kept_[t], element)) return true;
    for (int t = rest_; t < channels_.n_transmits(); ++t) {
      const typename Channels::Transmit transmit = channels_.transmit(t);
      if (transmit.weight != 0.0f && channels_.recorded(transmit, element)) return true;
    }
    return false;
  }

 private:
  // Calls run() for the weighted transmits, in order.
  template <class Run>
  ECHO_HD void for_each_transmit(const Run& run) const {
    for (int t = 0; t < n_kept_; ++t) run(kept_[t]);
    for (int t = rest_; t < channels_.n_transmits(); ++t) {
      const typename Channels::Transmit transmit = channels_.transmit(t);
      if (transmit.weight != 0.0f) run(transmit);
    }
  }

  static constexpr int kKept = 8;  // transmits whose delay and phase are computed once per pixel
  const Channels& channels_;
  typename Channels::Transmit kept_[kKept];
  int n_kept_ = 0;
  int rest_ = 0;  // first transmit not in kept_
};

template <class Method, class Channels>
ECHO_HD MethodPixel form_compounded(const Method& method, const Channels& channels) {
  const CompoundedElements<Channels> elements(channels);
  float count = 0.0f;
  if constexpr (Method::counts) {
    for (int e = 0; e < channels.n_elements(); ++e) {
      const typename Channels::Element element = channels.element(e);
      count += element.weight != 0.0f && elements.recorded(element) ? 1.0f : 0.0f;
    }
  }
  FormedPixel made;
  ChannelSet<Method> all;
  for (int e = 0; e < channels.n_elements(); ++e) {
    const typename Channels::Element element = channels.element(e);
    if (element.weight == 0.0f) continue;
    const ChannelSample s = elements.sample(element);
    if (s.recorded) all.add(method, element.weight, made.scaled(s.value), {all.n, count});
  }
  made.add(method, all, 1.0f);
  return made.template pixel<Method>();
}

// Interface of Method:
//   AdaptiveAxis axis; AdaptiveOrder order;
//   static constexpr bool counts: add() reads the place.
//   static constexpr bool reads_phases: add() depends on phases of single channels.
//   static constexpr bool replaces: pixel() is the result, instead of weight() times the sum.
//   struct Sums: initially zeros.
//   void add(Sums&, float weight, Complex s, ChannelPlace): one channel.
//   float weight(const Sums&, Complex sum, float n): F of n channels whose weighted sum is `sum`, 0 .. 1.
//   Complex pixel(const Sums&).
template <class Method, class Channels>
ECHO_HD MethodPixel form_pixel(const Method& method, const Channels& channels) {
  if constexpr (!Method::replaces) {
    if (method.axis == AdaptiveAxis::transmits) return form_transmits(method, channels);
    if (method.axis == AdaptiveAxis::both) return form_both(method, channels);
  }
  if (method.order == AdaptiveOrder::compounded) return form_compounded(method, channels);
  return form_each_transmit(method, channels);
}

}  // namespace echoloop
