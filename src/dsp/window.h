// Window functions: receive apodization across the active aperture, and the Hamming window of the course's FIR.
#pragma once

#include "core/params.h"
#include "dsp/phase.h"

namespace echoloop {

// Weight at u in [-1/2, 1/2] across the aperture (0 = middle); 0 outside. A hair of tolerance counts a tie as inside.
//   boxcar 1 | hann cos^2(pi u) | hamming 0.54 + 0.46 cos(2 pi u)
//   tukey: flat over the inner half, Hann flanks (taper ratio 0.5) | gauss: exp(-u^2 / (2 * 0.2^2)), 0.044 at the rim
ECHO_HD float apodization_weight(Apodization window, float u) {
  const float a = u < 0.0f ? -u : u;
  const float inside = a <= 0.5000005f ? 1.0f : 0.0f;
  float w = 1.0f;
  if (window == Apodization::hann) w = 0.5f + 0.5f * unit_phasor(u).re;
  if (window == Apodization::hamming) w = 0.54f + 0.46f * unit_phasor(u).re;
  if (window == Apodization::tukey) w = a <= 0.25f ? 1.0f : 0.5f - 0.5f * unit_phasor(2.0f * u).re;
  if (window == Apodization::gauss) w = expf(-12.5f * u * u);
  return inside * w;
}

}  // namespace echoloop
