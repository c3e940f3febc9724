// The seam between a beamforming method and the executors. A method is a functor: it reads the delayed samples of one
// pixel, its channels, and returns the pixel. Executors of both devices call the same functor
// (backend/cpu/method_das.h, sum_by_method() of backend/cuda/kernels/kernels.h). Besides <cmath> nothing of the
// standard library is used.
//
// Channels offers, for one pixel (dsp/methods/das_channels.h):
//   int n_elements(), n_transmits();
//   Element element(int e);       weight: a_e of the receive aperture; 0: outside
//   Transmit transmit(int t);     weight: b_t
//   ChannelSample sample(const Transmit&, const Element&);   x_{e,t}
// Delay-and-sum is S = sum_t b_t sum_e a_e x_{e,t}.
#pragma once

#include "dsp/complex.h"

namespace echoloop {

struct ChannelSample {
  Complex value;  // delayed, turned by the phase of transmit and receive delay; without weights
  bool recorded;  // false: outside the record, value 0
};

struct MethodPixel {
  Complex sum;   // delay-and-sum, linear: flow and spectral Doppler read it
  float weight;  // of the amplitude of the B-mode image, not negative
};

}  // namespace echoloop
