// Methods that weigh the sum over elements of each transmit: the pixel is sum_t b_t F_t S_t with S_t = sum_e a_e
// x_{e,t}; its amplitude is |sum_t b_t S_t| times the weight returned. Elements count where the aperture has them and
// their sample was recorded.
#pragma once

#include "dsp/level.h"
#include "dsp/methods/method.h"

namespace echoloop {

// Fewer channels say little about how well they agree: below this many, weights fade to 1 towards a single channel.
inline constexpr float kFullWeightChannels = 4.0f;

// Method has
//   struct Sums, made of zeros: of one transmit;
//   void add(Sums&, float weight, Complex x): one channel;
//   float weight(const Sums&, Complex sum, float n): F of n channels whose weighted sum is `sum`, 0 .. 1.
// Samples come times a power of two, so that floats hold their squares.
template <class Method, class Channels>
ECHO_HD MethodPixel weigh_each_transmit(const Method& method, const Channels& channels) {
  constexpr int kGroup = 4;  // transmits in one pass over the elements, whose part is computed once for them
  Complex das{0.0f, 0.0f};
  Complex weighted{0.0f, 0.0f};
  float factor = 0.0f;  // of the samples; 0: not known yet
  for (int first = 0; first < channels.n_transmits(); first += kGroup) {
    const int left = channels.n_transmits() - first;
    const int count = left < kGroup ? left : kGroup;
    typename Channels::Transmit transmit[kGroup];
    typename Method::Sums sums[kGroup] = {};
    Complex sum[kGroup] = {};
    float n[kGroup] = {};
    for (int t = 0; t < count; ++t) transmit[t] = channels.transmit(first + t);
    for (int e = 0; e < channels.n_elements(); ++e) {
      const typename Channels::Element element = channels.element(e);
      if (element.weight == 0.0f) continue;
#if defined(__CUDACC__)
#pragma unroll
#endif
      for (int t = 0; t < kGroup; ++t) {
        if (t >= count) break;
        const ChannelSample x = channels.sample(transmit[t], element);
        if (!x.recorded) continue;
        const float larger = fmaxf(fabsf(x.value.re), fabsf(x.value.im));
        if (factor == 0.0f && larger > 0.0f) factor = factor_towards_one(larger);
        const Complex v = factor * x.value;
        n[t] += 1.0f;
        sum[t] = sum[t] + element.weight * v;
        method.add(sums[t], element.weight, v);
      }
    }
    for (int t = 0; t < count; ++t) {
      if (n[t] == 0.0f || factor == 0.0f) continue;  // no echo
      const float full = method.weight(sums[t], sum[t], n[t]);
      const float faded = 1.0f + (full - 1.0f) * (n[t] - 1.0f) / (kFullWeightChannels - 1.0f);
      const Complex share = transmit[t].weight / factor * sum[t];
      das = das + share;
      weighted = weighted + (n[t] < kFullWeightChannels ? faded : full) * share;
    }
  }
  const float plain = magnitude(das);
  return {das, plain > 0.0f ? magnitude(weighted) / plain : 0.0f};
}

}  // namespace echoloop
