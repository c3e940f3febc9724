// What the tuned delay-and-sum computes for a pixel and an element: weights, samples, the hardware's own functions.
#pragma once

#include <cuda_fp16.h>

#include "backend/cuda/fp16/packed_das.h"
#include "dsp/packed.h"

namespace echoloop::cuda {

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

// To 1e-6, enough for halves.
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

// The lines of kF frames at `delay`, whose windows lie `offset` bytes beyond the ones that delays count from.
template <int kF>
__device__ __forceinline__ void read_samples(unsigned delay, unsigned word_bytes, unsigned offset, __half2 (&to)[kF]) {
  const unsigned address = (delay >> kDelayBits) * word_bytes + offset;
  const unsigned short fraction = static_cast<unsigned short>(delay & kFractionMask);
  const __half2 w = __half2half2(__ushort_as_half(fraction));
#pragma unroll
  for (unsigned f = 0; f < kF; ++f) {
    unsigned value, step;
    // volatile: stays between the wait for its slot and the slot's return.
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
  if (a.geometry.f_number > 0.0f) {
    place = p.along_m > 0.0f ? __fdividef(p.across_m * a.geometry.f_number, p.along_m) : 1.0f;
  }
  float weight = window_weight(a, place);
  if (a.geometry.width_over_wavelength > 0.0f) {
    // directivity_weight() of dsp/das.h with the hardware's own functions.
    const float per_distance = rsqrtf(p.along_m * p.along_m + p.across_m * p.across_m + 1e-20f);
    const float v = 3.14159265f * a.geometry.width_over_wavelength * p.across_m * per_distance;
    const float response = v * v < 1e-5f ? 1.0f : __fdividef(sine(v), v);
    weight *= p.along_m > 0.0f ? p.along_m * per_distance * response : 0.0f;
  }
  return weight;
}

}  // namespace echoloop::cuda
