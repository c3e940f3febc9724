// Tuned delay-and-sum. A block owns a tile of pixels; one extra warp only fetches, for every element and transmit, the
// window of the line that the tile needs into a ring in shared memory; the others sum. Ring slots pass between them
// through a "full" and an "empty" barrier each; there is no other wait. A block may start, and prepare, before the
// kernel that makes its lines has ended. Frames summed together share all but their samples: each has a ring of its
// own, at a constant distance from the previous one.
//
// Geometry is in radians of receive phase, so that a distance is a phase; delays are integers of 1/2048 samples
// (dsp/packed_fir.h). The window's start, the slot's address and the float format's offset are folded into constants of
// the two delays, so a delay-sum is: add, shift, multiply (address), load, mask (fraction), 3 packed multiply-adds.
// Included by the files that compile its variants.
#pragma once

#include <cuda_fp16.h>

#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/fp16/packed_fetch.cuh"
#include "dsp/methods/coherence.h"
#include "dsp/packed_fir.h"

namespace echoloop::cuda {

// Terms of a pixel and an element: weights, samples, hardware functions.

__device__ __forceinline__ float sine(float radians) {
  float v;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(radians));
  return v;
}
__device__ __forceinline__ float cosine(float radians) {
  float v;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(radians));
  return v;
}
__device__ __forceinline__ float root(float v) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

// Returns the phasor within 1e-6, enough for halves.
__device__ __forceinline__ Complex rough_phasor(float turns) {
  const float radians = 6.28318531f * (turns - rintf(turns));
  return {cosine(radians), sine(radians)};
}

// Adds (re, im) times the transmit phasor.
__device__ __forceinline__ void add_turned(float re, float im, float c, float s, float& sum_re, float& sum_im) {
  sum_re += re * c;
  sum_re -= im * s;
  sum_im += re * s;
  sum_im += im * c;
}

// Reads the lines of kF frames at `delay`, in windows `offset` bytes after those that delays count from.
template <int kF>
__device__ __forceinline__ void read_samples(unsigned delay, unsigned word_bytes, unsigned offset, __half2 (&to)[kF]) {
  const unsigned address = (delay >> kDelayBits) * word_bytes + offset;
  const unsigned short fraction = static_cast<unsigned short>(delay & kFractionMask);
  const __half2 w = __half2half2(__ushort_as_half(fraction));
#pragma unroll
  for (unsigned f = 0; f < kF; ++f) {
    unsigned value, step;
    // volatile: stays between the wait for its slot and the slot's release
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(step) : "r"(address + f * frame_ring(kF)));
    to[f] = __hfma2(reinterpret_cast<const __half2&>(step), w, reinterpret_cast<const __half2&>(value));
  }
}

__device__ inline float window_weight(const PackedDasArgs& a, float place) {
  const WindowPolynomial& w = a.window_weight;
  const float u = fabsf(place);
  const float v = fmaxf(u - w.flat, 0.0f);
  const float s = v * v;
  float sum = w.c[6];
#pragma unroll
  for (int k = 5; k >= 0; --k) sum = sum * s + w.c[k];
  return u <= 0.5000005f ? sum : 0.0f;
}

template <WeightKind kWeight>
__device__ float pixel_weight(const PackedDasArgs& a, const float4& record, const float4& normal, float dx, float dz) {
  if (kWeight == WeightKind::box) return fabsf(dx) * a.geometry.f_number <= 0.5000005f * dz ? 1.0f : 0.0f;
  if (kWeight != WeightKind::general) return record.w;
  const LocalPosition p{dx * normal.x + dz * normal.y, dx * normal.y - dz * normal.x};
  float place = normal.z;
  if (a.geometry.f_number > 0.0f)
    place = p.along_m > 0.0f ? __fdividef(p.across_m * a.geometry.f_number, p.along_m) : 1.0f;
  float weight = window_weight(a, place);
  if (a.geometry.width_over_wavelength > 0.0f) {
    // directivity_weight() of dsp/das.h with hardware functions
    const float per_distance = rsqrtf(p.along_m * p.along_m + p.across_m * p.across_m + 1e-20f);
    const float v = 3.14159265f * a.geometry.width_over_wavelength * p.across_m * per_distance;
    const float response = v * v < 1e-5f ? 1.0f : __fdividef(sine(v), v);
    weight *= p.along_m > 0.0f ? p.along_m * per_distance * response : 0.0f;
  }
  return weight;
}

// Coherence factor (dsp/methods/coherence.h) in the tuned delay-and-sum: energies of the samples and their use. Weights
// and numbers of the channels are precomputed: count_channels().

// Scale of energies: words are at most 1; their squares times this are halves down to -95 dB, and sums of
// kHalfSumElements of them up to 0 dB.
inline constexpr float kEnergyScale = 1024.0f;

// Sums of a thread's pixels, in floats; energies times kEnergyScale.
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
  Complex sum[kP][kT] = {};   // over elements, times the transmit's weight
  float energy[kP][kT] = {};  // over elements, times the square of that weight

  __device__ __forceinline__ void add(int i, int t, float tx_weight, __half2 part) {
    energy[i][t] += tx_weight * tx_weight * (__low2float(part) + __high2float(part));
  }
};

// Complete pixel or one block's part: the delay-and-sum, and (axis elements) the sum of the weighted transmits or (E,
// 0).
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

// Returns the amplitude of a complete pixel, in the words' scale.
__device__ inline float coherent_level(const PackedDasArgs& a, long long pixel, const CoherentPixel& of) {
  if (a.coherence.axis == AdaptiveAxis::elements) return magnitude(of.rest);
  FormedPixel made;
  made.factor = 1.0f;
  made.add(coherence_factor(a), channel_set(of.sum, of.rest.re, static_cast<const float2*>(a.coherence.counts)[pixel]),
           1.0f);
  return magnitude(made.formed);
}

template <GridKind kGrid, Rotation kRotation, WeightKind kWeight, int kT, int kP, int kU, int kF, PackedMethod kMethod>
struct PackedDas {
  static constexpr bool kCoherent = kMethod != PackedMethod::das;
  static constexpr bool kReceiveFirst = kRotation == Rotation::receive_first;
  static constexpr int kSums = kReceiveFirst ? kT : 1;                // kept over several stages
  static constexpr int kColumns = kGrid == GridKind::polar ? kP : 1;  // different x of a thread's pixels

  // Registers of a summing thread.
  struct Pixels {
    float x[kColumns];       // radians
    float z[kP];             // radians
    int delay[kP][kT];       // transmit delay, units, with all constant offsets
    __half2 phasor[kP][kT];  // transmit_first: (cos, sin) of the transmit phase
    float re[kF][kP];
    float im[kF][kP];
    CoherenceSums<kMethod, kP, kT> coherence;
  };

  // Samples of an element's lines, rotated and summed over elements, per pixel and transmit.
  struct Sums {
    __half2 with_cos[kF][kP][kSums];
    __half2 with_sin[kF][kP][kSums];
    __half2 energy[kCoherent ? kP : 1][kCoherent ? kSums : 1];  // weight times squared samples, times kEnergyScale
  };

  static __device__ PackedShared layout(const PackedDasArgs& a) {
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    return packed_shared(
        {kWeight, kRotation, a.most_elements, kT, kT * kP * summers, a.window, a.stage_elements, a.n_slots, kF});
  }

  // ---- summing warps ----

  static __device__ void write_records(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared) {
    const PackedShared at = layout(a);
    auto* records = reinterpret_cast<float4*>(shared + at.records);
    auto* normals = reinterpret_cast<float4*>(shared + at.normals);
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    for (int e = static_cast<int>(threadIdx.x); e < item.n_elements; e += summers) {
      const ElementGeometry g = a.geometry.elements[item.first_element + e];
      const int start = a.rx_start[static_cast<long long>(item.tile) * a.geometry.n_el + item.first_element + e];
      float weight = 1.0f;
      if (kWeight == WeightKind::element) weight = window_weight(a, g.aperture_place);
      // A multiple of 2^kDelayBits below 2^34: exact.
      records[e] = make_float4(g.x_m * a.radians_per_m, g.z_m * a.radians_per_m,
                               kDelayMagic - static_cast<float>(start) * kDelayUnits, weight);
      if (kWeight == WeightKind::general) normals[e] = make_float4(g.normal_sin, g.normal_cos, g.aperture_place, 0.0f);
    }
  }

  static __device__ void prepare(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, Pixels& px) {
    const PackedShared at = layout(a);
    const DasGeometry& g = a.geometry;
    const PixelPlace<kP> p = pixel_place<kP>(a, item);
    const int first_tx = item.part / a.n_splits * kT;
    const int ring_words = static_cast<int>(shared_address(shared + at.ring) / 8u);
    auto* phasors = reinterpret_cast<__half2*>(shared + at.phasors) + threadIdx.x;
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    if (kGrid == GridKind::cartesian) px.x[0] = g.x_m[p.ix] * a.radians_per_m;
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      const float z_m = g.z_m[p.iz[i]];  // polar: distance from the apex, the origin of the plan's phase
      px.z[i] = z_m * a.radians_per_m;
      if (kGrid == GridKind::polar) {
        const auto at = place_of(g, p.ix, p.iz[i]);
        px.x[i % kColumns] = at.x_m * a.radians_per_m;
        px.z[i] = at.z_m * a.radians_per_m;
      }
#pragma unroll
      for (int f = 0; f < kF; ++f) px.re[f][i] = px.im[f][i] = 0.0f;
#pragma unroll
      for (int t = 0; t < kT; ++t) {
        const int tx = min(first_tx + t, g.n_tx - 1);
        const int row = tx * g.nz + p.iz[i];
        const float excess = g.tx_excess[static_cast<long long>(row) * g.nx + p.ix];
        const int start = a.tx_start[static_cast<long long>(item.tile) * g.n_tx + tx];
        const int whole = g.row_base[row] - start + t * a.window + ring_words;
        const float rest = excess - fabsf(z_m) * g.samples_per_m;
        px.delay[i][t] = whole * (1 << kDelayBits) + __float2int_rn(rest * kDelayUnits) - kDelayMagicBits;
        // The plan's phase covers the transmit path plus |z|; the receive phase covers the whole path.
        const Complex c = transmit_weight(g, tx) * rough_phasor(g.row_turns[row] + excess * g.turns_per_sample -
                                                                fabsf(z_m) * g.samples_per_m * g.turns_per_sample);
        const __half2 phasor = first_tx + t < g.n_tx ? __floats2half2_rn(c.re, c.im) : __floats2half2_rn(0.0f, 0.0f);
        if (kReceiveFirst)
          phasors[(i * kT + t) * summers] = phasor;
        else
          px.phasor[i][t] = phasor;
      }
    }
  }

  // Adds one element's samples to pixel i: summed over the transmits, then rotated and weighted by the receive phasor.
  static __device__ __forceinline__ void add_transmit_first(const PackedDasArgs& a, Pixels& px, int i, int receive,
                                                            unsigned offset, Complex phasor) {
    __half2 by_cos[kF], by_sin[kF];
#pragma unroll
    for (int t = 0; t < kT; ++t) {
      __half2 v[kF];
      read_samples(static_cast<unsigned>(receive + px.delay[i][t]), a.word_bytes, offset, v);
      const __half2 c = __low2half2(px.phasor[i][t]);
      const __half2 s = __high2half2(px.phasor[i][t]);
#pragma unroll
      for (int f = 0; f < kF; ++f) {
        by_cos[f] = t == 0 ? __hmul2(v[f], c) : __hfma2(v[f], c, by_cos[f]);
        by_sin[f] = t == 0 ? __hmul2(v[f], s) : __hfma2(v[f], s, by_sin[f]);
      }
    }
#pragma unroll
    for (int f = 0; f < kF; ++f) {
      add_turned(__low2float(by_cos[f]) - __high2float(by_sin[f]), __high2float(by_cos[f]) + __low2float(by_sin[f]),
                 phasor.re, phasor.im, px.re[f][i], px.im[f][i]);
    }
  }

  // Adds the sums over elements, rotated by the transmit phasors.
  static __device__ __forceinline__ void turn_sums(Pixels& px, const __half2* phasors, int summers, const Sums& sums,
                                                   const float (&tx_weight)[kT]) {
#pragma unroll
    for (int i = 0; i < kP; ++i) {
#pragma unroll
      for (int t = 0; t < kSums; ++t) {
        const float2 p = __half22float2(phasors[(i * kT + t) * summers]);
#pragma unroll
        for (int f = 0; f < kF; ++f) {
          const __half2 c = sums.with_cos[f][i][t];
          const __half2 s = sums.with_sin[f][i][t];
          const float re = __low2float(c) - __high2float(s), im = __high2float(c) + __low2float(s);
          if constexpr (kMethod == PackedMethod::coherence_of_transmits)
            add_turned(re, im, p.x, p.y, px.coherence.sum[i][t].re, px.coherence.sum[i][t].im);
          else
            add_turned(re, im, p.x, p.y, px.re[f][i], px.im[f][i]);
        }
        if constexpr (kCoherent) px.coherence.add(i, t, tx_weight[t], sums.energy[i][t]);
      }
    }
  }

  // Adds an element whose windows are `offset` bytes into the ring.
  static __device__ __forceinline__ void add_element(const PackedDasArgs& a, Pixels& px, const float4& record,
                                                     const float4& normal, unsigned offset, Sums& sums) {
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      const float dx = px.x[i % kColumns] - record.x;
      const float dz = px.z[i] - record.y;
      const float distance = root(__fmaf_rn(dz, dz, dx * dx));
      const int receive = __float_as_int(__fmaf_rn(distance, a.units_per_radian, record.z));
      float c = cosine(distance);
      float si = sine(distance);
      float weight = 1.0f;
      if (kWeight != WeightKind::none) {
        weight = pixel_weight<kWeight>(a, record, normal, dx, dz);
        c *= weight;
        si *= weight;
      }
      if (kReceiveFirst) {
        const __half2 phasor = __floats2half2_rn(c, si);
        const __half2 of_energy = __float2half2_rn(kCoherent ? fabsf(weight) * kEnergyScale : 0.0f);
#pragma unroll
        for (int t = 0; t < kT; ++t) {
          __half2 v[kF];
          read_samples(static_cast<unsigned>(receive + px.delay[i][t]), a.word_bytes, offset, v);
#pragma unroll
          for (int f = 0; f < kF; ++f) {
            sums.with_cos[f][i][t] = __hfma2(v[f], __low2half2(phasor), sums.with_cos[f][i][t]);
            sums.with_sin[f][i][t] = __hfma2(v[f], __high2half2(phasor), sums.with_sin[f][i][t]);
          }
          if constexpr (kCoherent) sums.energy[i][t] = __hfma2(__hmul2(v[0], of_energy), v[0], sums.energy[i][t]);
        }
      } else {
        add_transmit_first(a, px, i, receive, offset, {c, si});
      }
    }
  }

  static __device__ void sum(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared, Pixels& px) {
    const PackedShared at = layout(a);
    const unsigned barriers = shared_address(shared);
    const auto* records = reinterpret_cast<const float4*>(shared + at.records);
    const auto* normals = reinterpret_cast<const float4*>(shared + at.normals);
    const auto* phasors = reinterpret_cast<const __half2*>(shared + at.phasors) + threadIdx.x;
    const int summers = static_cast<int>(blockDim.x) - kWarp;
    const unsigned row_bytes = static_cast<unsigned>(kT * a.window) * 8u;  // between the windows of successive elements
    const int n_stages = stages(a, item);
    const __half2 zero = __float2half2_rn(0.0f);
    float tx_weight[kT] = {};  // 0 beyond the last transmit
    if constexpr (kCoherent) {
#pragma unroll
      for (int t = 0; t < kT; ++t) {
        const int tx = item.part / a.n_splits * kT + t;
        tx_weight[t] = tx < a.geometry.n_tx ? transmit_weight(a.geometry, tx) : 0.0f;
      }
    }
    Sums sums;
    int slot = 0;
    unsigned offset = 0;
    unsigned parity = 0;
    int e = 0;
    int until_turn = 0;  // stages before the sums are turned
    for (int s = 0; s < n_stages; ++s) {
      if (kReceiveFirst && until_turn == 0) {
        until_turn = a.stages_a_turn;
#pragma unroll
        for (int i = 0; i < kP; ++i) {
#pragma unroll
          for (int t = 0; t < kSums; ++t) {
#pragma unroll
            for (int f = 0; f < kF; ++f) sums.with_cos[f][i][t] = sums.with_sin[f][i][t] = zero;
            if constexpr (kCoherent) sums.energy[i][t] = zero;
          }
        }
      }
      wait_for(barriers + static_cast<unsigned>(slot) * 8u, parity);
      const int end = min(e + a.stage_elements, item.n_elements);
#pragma unroll kU
      for (; e < end; ++e, offset += row_bytes) {
        const float4 normal = kWeight == WeightKind::general ? normals[e] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        add_element(a, px, records[e], normal, offset, sums);
      }
      // One lane arrives for its warp: arrivals by every lane take 1 % longer. Racecheck misses that the other lanes'
      // reads precede it and reports them; with every lane arriving it reports nothing.
      __syncwarp();
      if (threadIdx.x % kWarp == 0) arrive(barriers + static_cast<unsigned>(kMaxStageSlots + slot) * 8u);
      if (kReceiveFirst && (--until_turn == 0 || s + 1 == n_stages)) turn_sums(px, phasors, summers, sums, tx_weight);
      if (++slot == a.n_slots) {
        slot = 0;
        offset = 0;
        parity ^= 1u;
      }
    }
  }

  // Writes the sums of this thread's pixels and the terms of their factor, as two images of partial sums.
  static __device__ void write_coherence(const PackedDasArgs& a, const PackedItem& item, unsigned char* shared,
                                         Pixels& px) {
    const PixelPlace<kP> p = pixel_place<kP>(a, item);
    float re[2][kP], im[2][kP];
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      const CoherentPixel made =
          coherent_pixel(a, item, px.coherence, i, pixel_index(a, p, i), {px.re[0][i], px.im[0][i]});
      re[0][i] = made.sum.re;
      im[0][i] = made.sum.im;
      re[1][i] = made.rest.re;
      im[1][i] = made.rest.im;
    }
    const float scale = *a.scale;
    if (!gather_parts<kP, 2>(a, item, shared, p, re, im)) return;
#pragma unroll
    for (int i = 0; i < kP; ++i) {
      if (!p.inside[i]) continue;
      const Complex sum{re[0][i], im[0][i]};
      const float weighed = coherent_level(a, pixel_index(a, p, i), {sum, {re[1][i], im[1][i]}});
      const float level = fmaxf(weighed, kLeastWeight * magnitude(sum));  // as WeighedPixels
      write_pixel(a, 0, pixel_index(a, p, i), {sum.re * scale, sum.im * scale}, level * scale);
    }
  }

  static __device__ void run(const PackedDasArgs& a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const PackedItem item = a.items[blockIdx.x];
    const bool fetching = threadIdx.x >= blockDim.x - kWarp;
    if (threadIdx.x == blockDim.x - kWarp) {
      const unsigned barriers = shared_address(shared);
      const unsigned summing_warps = blockDim.x / kWarp - 1;
      for (unsigned s = 0; s < static_cast<unsigned>(a.n_slots); ++s) {
        init_barrier(barriers + s * 8u, kFullArrivals);
        init_barrier(barriers + (kMaxStageSlots + s) * 8u, summing_warps);
      }
      publish_barriers();
    }
    __syncthreads();
    allow_next_kernel();
    if (fetching) {
      fetch_windows<kT, kF>(a, item, layout(a), shared);
      return;
    }
    Pixels px;
    write_records(a, item, shared);
    prepare(a, item, shared, px);
    wait_for_earlier_kernel();
    summers_wait();
    sum(a, item, shared, px);
    if constexpr (kCoherent)
      write_coherence(a, item, shared, px);
    else
      write_pixels<kP, kF>(a, item, shared, px.re, px.im);
  }
};

}  // namespace echoloop::cuda
