// Receive weights along a row of pixels, in loops that vectorise, for the kernels compiled once per instruction set
// (namespace ECHO_ISA). No standard library here, see das_rows_kernel.h.
#pragma once

#include "dsp/das.h"

namespace echoloop::ECHO_ISA {

template <Apodization window>
[[gnu::always_inline]] static inline void weigh(int nx, float* __restrict weight) {
  for (int ix = 0; ix < nx; ++ix) weight[ix] = apodization_weight(window, weight[ix]);
}

// weight: in: place in the aperture; out: window weight. One loop per window, so that no loop has a branch.
static void window_row(Apodization window, int nx, float* __restrict weight) {
  switch (window) {
    case Apodization::boxcar:
      return weigh<Apodization::boxcar>(nx, weight);
    case Apodization::hann:
      return weigh<Apodization::hann>(nx, weight);
    case Apodization::hamming:
      return weigh<Apodization::hamming>(nx, weight);
    case Apodization::tukey:
      return weigh<Apodization::tukey>(nx, weight);
    case Apodization::gauss:
      return weigh<Apodization::gauss>(nx, weight);
  }
}

static void place_row(const DasGeometry& g, const ElementGeometry& element, const float* __restrict x_m, int nx,
                      const float* __restrict z_m, float* __restrict place) {
  if (g.f_number <= 0.0f) {
    for (int ix = 0; ix < nx; ++ix) place[ix] = element.aperture_place;
    return;
  }
  for (int ix = 0; ix < nx; ++ix) place[ix] = aperture_place(g, element, local_position(element, x_m[ix], z_m[ix]));
}

static void direct_row(const DasGeometry& g, const ElementGeometry& element, const float* __restrict x_m, int nx,
                       const float* __restrict z_m, float* __restrict weight) {
  for (int ix = 0; ix < nx; ++ix)
    weight[ix] *= directivity_weight(g.width_over_wavelength, local_position(element, x_m[ix], z_m[ix]));
}

// Sets the weights of nx pixels as receive_term() does.
static void weigh_row(const DasGeometry& g, const ElementGeometry& element, const float* __restrict x_m, int nx,
                      const float* __restrict z_m, float* __restrict weight) {
  place_row(g, element, x_m, nx, z_m, weight);
  window_row(g.apodization, nx, weight);
  if (g.width_over_wavelength > 0.0f) direct_row(g, element, x_m, nx, z_m, weight);
}

}  // namespace echoloop::ECHO_ISA
