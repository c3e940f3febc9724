// The coherence factor (dsp/methods/coherence.h) beside the tuned delay-and-sum: energies of the samples, and what
// becomes of them. Weights and numbers of the channels are known beforehand: count_channels().
#pragma once

#include <cuda_fp16.h>

#include "backend/cuda/fp16/packed_das.h"
#include "dsp/methods/coherence.h"

namespace echoloop::cuda {

// Words are at most 1: their squares, times this, are halves down to -95 dB, and sums of kHalfSumElements of them up to
// 0 dB.
inline constexpr float kEnergyScale = 1024.0f;

// Of a thread's pixels, in floats; energies times kEnergyScale.
template <PackedMethod kMethod, int kP, int kT>
struct CoherenceSums {};

template <int kP, int kT>
struct CoherenceSums<PackedMethod::coherence, kP, kT> {
  float energy[kP] = {};  // E

  __device__ __forceinline__ void add(int i, int /*t*/, float tx_weight, __half2 part) {
    energy[i] += tx_weight * (__low2float(part) + __high2float(part));
  }
};

template <int kP, int kT>
struct CoherenceSums<PackedMethod::coherence_of_transmits, kP, kT> {
  Complex sum[kP][kT] = {};   // of the elements, times the transmit's weight
  float energy[kP][kT] = {};  // of the elements, times its square

  __device__ __forceinline__ void add(int i, int t, float tx_weight, __half2 part) {
    energy[i][t] += tx_weight * tx_weight * (__low2float(part) + __high2float(part));
  }
};

// Of a pixel, complete or one block's part: the delay-and-sum, and (axis elements) the sum of the weighed transmits or
// (E, 0).
struct CoherentPixel {
  Complex sum, rest;
};

__device__ inline ChannelSet<CoherenceFactor> channel_set(Complex sum, float energy, float2 counts) {
  ChannelSet<CoherenceFactor> set;
  set.sums = {counts.x, energy};
  set.sum = sum;
  set.n = counts.y;
  return set;
}

__device__ inline CoherenceFactor coherence_factor(const PackedDasArgs& a) {
  return {a.coherence.strength, a.coherence.axis};
}

template <int kP, int kT>
__device__ CoherentPixel coherent_pixel(const PackedDasArgs& /*a*/, const PackedItem& /*item*/,
                                        const CoherenceSums<PackedMethod::coherence, kP, kT>& sums, int i,
                                        long long /*pixel*/, Complex sum) {
  return {sum, {sums.energy[i] / kEnergyScale, 0.0f}};
}

template <int kP, int kT>
__device__ CoherentPixel coherent_pixel(const PackedDasArgs& a, const PackedItem& item,
                                        const CoherenceSums<PackedMethod::coherence_of_transmits, kP, kT>& sums, int i,
                                        long long pixel, Complex /*sum*/) {
  const long long n_pixels = static_cast<long long>(a.geometry.nx) * a.geometry.nz;
  const auto* counts = static_cast<const __half2*>(a.coherence.counts);
  const bool elements = a.coherence.axis == AdaptiveAxis::elements;
  FormedPixel made;
  made.factor = 1.0f;
  Complex das{0.0f, 0.0f};
  float energy = 0.0f;
#pragma unroll
  for (int t = 0; t < kT; ++t) {
    const int tx = item.part / a.n_splits * kT + t;
    const float weight = tx < a.geometry.n_tx ? transmit_weight(a.geometry, tx) : 0.0f;
    const Complex s = sums.sum[i][t];
    das = das + s;
    energy += weight != 0.0f ? (s.re * s.re + s.im * s.im) / fabsf(weight) : 0.0f;
    if (elements && weight != 0.0f) {
      made.add(coherence_factor(a),
               channel_set(s, sums.energy[i][t] / kEnergyScale, __half22float2(counts[tx * n_pixels + pixel])), 1.0f);
    }
  }
  if (elements) return {das, made.formed};
  return {das, {energy, 0.0f}};
}

// The amplitude of a complete pixel, in the words' scale.
__device__ inline float coherent_level(const PackedDasArgs& a, long long pixel, const CoherentPixel& of) {
  if (a.coherence.axis == AdaptiveAxis::elements) return magnitude(of.rest);
  FormedPixel made;
  made.factor = 1.0f;
  made.add(coherence_factor(a), channel_set(of.sum, of.rest.re, static_cast<const float2*>(a.coherence.counts)[pixel]),
           1.0f);
  return magnitude(made.formed);
}

}  // namespace echoloop::cuda
