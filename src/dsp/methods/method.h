// Interface between a beamforming method and the executors. A method is a functor: it reads the delayed samples of one
// pixel, its channels, and returns the pixel. Executors of both devices call the same functor (backend/cpu/cpu_steps.h,
// sum_by_method() of backend/cuda/kernels/kernels.h). The standard library is not used (core/hd.h).
//
// Channels offers, for one pixel (dsp/methods/das_channels.h):
//   int n_elements(), n_transmits();
//   Element element(int e);       weight: a_e of the receive aperture; 0: outside
//   Transmit transmit(int t);     weight: b_t
//   bool recorded(const Transmit&, const Element&);          false: outside the record
//   ChannelSample sample(const Transmit&, const Element&);   x_{e,t}
// Delay-and-sum is S = sum_t b_t sum_e a_e x_{e,t}.
//
// The header of a method ends with run_method() for its value, which calls run(functor); with_method()
// (dsp/methods/methods.h) finds it. Methods that read rows above and below the pixel use stored channels instead
// (dsp/methods/element_rows.h).
#pragma once

#include "core/adaptive_kinds.h"
#include "dsp/complex.h"
#include "dsp/level.h"

namespace echoloop {

struct ChannelSample {
  Complex value;  // delayed, turned by the phases of transmit and receive delay; unweighted
  bool recorded;  // false: outside the record, value 0
};

struct MethodPixel {
  Complex sum;   // delay-and-sum, linear, or the pixel of a method that replaces it
  float weight;  // factor of the amplitude in the B-mode image
};

// Settings of a method for the executors of any device.
struct MethodSettings {
  Adaptive method = Adaptive::off;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
  float strength = 1.0f;      // coherence: 0 Wiener, 1 coherence factor; generalized, phase: power of the weight
  int bins = 2;               // generalized: spatial frequencies on either side of 0
  float root = 2.0f;          // p_das
  int lags = 10;              // slsc
  int rows = 0;               // slsc, minimum_variance: K, rows above and below the pixel
  int neighbours = 1;         // minimum_variance: elements summed to a channel
  float subarray = 0.5f;      // minimum_variance: share of the active channels
  float loading = 0.01f;      // minimum_variance: delta, of the mean power of a channel
  bool shows_factor = false;  // the image is the factor itself, not levels
  float own[kMostOwnParameters] = {};  // own: its parameters, in order
  OwnRows own_rows = OwnRows::none;    // own: rows above and below the pixel that it reads
};

template <Adaptive method>
struct MethodTag {};

}  // namespace echoloop
