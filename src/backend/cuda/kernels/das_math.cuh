// What delay-and-sum in single precision computes for a pixel and an element (dsp/das.h), by the fast instructions.
//
// A place in a line takes three additions. With M = 2^23 + row_base, a float, p + M rounded down is exactly
// 2^23 + row_base + floor(p): its bits less those of 2^23 are the sample's number, and p - ((p + M) - M) the fraction.
// Roots and quotients are the hardware's estimate and one Newton step, phasors the hardware's sine and cosine of
// reduced angles (absolute error 5e-7).
#pragma once

#include "dsp/das.h"

namespace echoloop::cuda {

inline constexpr float kMagic = 8388608.0f;  // 2^23
inline constexpr unsigned kMagicBits = 0x4B000000U;
inline constexpr int kMostSamples = 1 << 22;  // of a line: half of what such a float can count

__device__ __forceinline__ float newton_root(float v) {
  float estimate;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(v));
  const float r = v * estimate;
  return __fmaf_rn(__fmaf_rn(-r, r, v), 0.5f * estimate, r);
}

__device__ __forceinline__ float newton_quotient(float a, float b) {
  float estimate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(b));
  const float q = a * estimate;
  return __fmaf_rn(__fmaf_rn(-q, b, a), estimate, q);
}

__device__ __forceinline__ Complex reduced_phasor(float turns) {
  const float whole = __fadd_rn(__fadd_rn(turns, 1.5f * kMagic), -1.5f * kMagic);
  const float radians = 6.28318531f * (turns - whole);
  Complex c;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(c.re) : "f"(radians));
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(c.im) : "f"(radians));
  return c;
}

// receive_term() of dsp/das.h: samples beyond row_base ...
template <DasForm form>
__device__ __forceinline__ float receive_excess(const DasGeometry& g, float element_x_m, float element_z_m,
                                                const PixelPlace& at) {
  const float dx = at.x_m - element_x_m;
  const float dz = at.z_m - element_z_m;
  const float distance = newton_root(__fmaf_rn(dx, dx, __fmaf_rn(dz, dz, 1e-30f)));
  if (form == DasForm::plain || g.down_m == nullptr) {
    return newton_quotient(__fmaf_rn(dx, dx, element_z_m * __fmaf_rn(-2.0f, at.z_m, element_z_m)),
                           distance + (fabsf(at.z_m) + 1e-12f)) *
           g.samples_per_m;
  }
  const float down = at.z_m - g.apex_z_m;
  const float element_down = element_z_m - g.apex_z_m;
  return newton_quotient(__fmaf_rn(element_x_m, __fmaf_rn(-2.0f, at.x_m, element_x_m),
                                   element_down * __fmaf_rn(-2.0f, down, element_down)),
                         distance + (at.r_m + 1e-12f)) *
         g.samples_per_m;
}

// ... and the weight.
__device__ __forceinline__ float receive_weight(const DasGeometry& g, const ElementGeometry& e, const PixelPlace& at) {
  const LocalPosition p = local_position(e, at.x_m, at.z_m);
  float weight;
  if (g.apodization == Apodization::boxcar && g.f_number > 0.0f) {
    weight = p.along_m > 0.0f && fabsf(p.across_m) * g.f_number <= 0.5000005f * p.along_m ? 1.0f : 0.0f;
  } else {
    weight = apodization_weight(g.apodization, aperture_place(g, e, p));
  }
  if (g.width_over_wavelength > 0.0f) weight *= directivity_weight(g.width_over_wavelength, p);
  return weight;
}

}  // namespace echoloop::cuda
