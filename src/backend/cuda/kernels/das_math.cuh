// Terms of delay-and-sum in single precision for a pixel and an element (dsp/das_geometry.h), by fast instructions.
//
// A place in a line costs three additions. With M = 2^23 + row_base, a float, p + M rounded down is exactly 2^23 +
// row_base + floor(p): its bits minus those of 2^23 are the sample's number, and p - ((p + M) - M) the fraction. Roots
// and quotients are the hardware's estimate and one Newton step, phasors the hardware's sine and cosine of reduced
// angles (absolute error 5e-7).
#pragma once

#include "dsp/das_geometry.h"

namespace echoloop::cuda {

inline constexpr float kMagic = 8388608.0f;  // 2^23
inline constexpr unsigned kMagicBits = 0x4B000000U;
inline constexpr int kMostSamples = 1 << 22;  // of a line: half the range of such a float

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

// Returns the phasor of a delay of `excess` samples.
__device__ __forceinline__ Complex delay_phasor(float excess, float turns_per_sample) {
  const float whole = __fadd_rn(__fmaf_rn(excess, turns_per_sample, 1.5f * kMagic), -1.5f * kMagic);
  const float radians = 6.28318531f * __fmaf_rn(excess, turns_per_sample, -whole);
  Complex c;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(c.re) : "f"(radians));
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(c.im) : "f"(radians));
  return c;
}

// Returns to + a b.
__device__ __forceinline__ Complex add_product(Complex to, Complex a, Complex b) {
  return {__fmaf_rn(a.re, b.re, __fmaf_rn(-a.im, b.im, to.re)), __fmaf_rn(a.re, b.im, __fmaf_rn(a.im, b.re, to.im))};
}

__device__ __forceinline__ float distance_of(float dx, float dz) {
  return newton_root(__fmaf_rn(dx, dx, __fmaf_rn(dz, dz, 1e-30f)));
}

// Returns, as receive_term() of dsp/das.h, samples beyond row_base ...
template <DasForm form>
__device__ __forceinline__ float receive_excess(const DasGeometry& g, const ElementGeometry& e, const PixelPlace& at) {
  const float dx = at.x_m - e.x_m;
  const float distance = distance_of(dx, at.z_m - e.z_m);
  if (form == DasForm::plain || g.down_m == nullptr) {
    return newton_quotient(__fmaf_rn(dx, dx, e.z_m * __fmaf_rn(-2.0f, at.z_m, e.z_m)),
                           distance + (fabsf(at.z_m) + 1e-12f)) *
           g.samples_per_m;
  }
  const float down = at.z_m - g.apex_z_m;
  const float element_down = e.z_m - g.apex_z_m;
  return newton_quotient(
             __fmaf_rn(e.x_m, __fmaf_rn(-2.0f, at.x_m, e.x_m), element_down * __fmaf_rn(-2.0f, down, element_down)),
             distance + (at.r_m + 1e-12f)) *
         g.samples_per_m;
}

// ... the same where all elements have z 0 and the grid is Cartesian ...
__device__ __forceinline__ float flat_excess(const DasGeometry& g, const ElementGeometry& e, const PixelPlace& at) {
  const float dx = at.x_m - e.x_m;
  return newton_quotient(dx * dx, distance_of(dx, at.z_m) + (fabsf(at.z_m) + 1e-12f)) * g.samples_per_m;
}

// ... and the weight.
__device__ __forceinline__ float receive_weight(const DasGeometry& g, const ElementGeometry& e, const PixelPlace& at) {
  const LocalPosition p = local_position(e, at.x_m, at.z_m);
  float weight;
  if (g.apodization == Apodization::boxcar && g.f_number > 0.0f)
    weight = p.along_m > 0.0f && fabsf(p.across_m) * g.f_number <= 0.5000005f * p.along_m ? 1.0f : 0.0f;
  else
    weight = apodization_weight(g.apodization, aperture_place(g, e, p));
  if (g.width_over_wavelength > 0.0f) weight *= directivity_weight(g.width_over_wavelength, p);
  return weight;
}

}  // namespace echoloop::cuda
