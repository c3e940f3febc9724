// From scatterers to channel lines: every scatterer's echo on every element and transmit, pulse included.
// Why apart from the scenes: it knows waves and sampling, nothing of anatomy or motion. It works element by element so
// that the lines being summed stay in the first-level cache. One object a thread; buffers are kept from call to call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "source/echo_kernels.h"
#include "source/phantom_scene.h"

namespace echoloop {

class EchoSynth {
 public:
  EchoSynth(const Acquisition& acquisition, double fractional_bandwidth);

  // Takes note of the scatterers, which must stay as they are until the last element(). [producer thread]
  void begin(const Scatterers& scatterers);

  // Echoes on element e: [transmit][sample], valid until the next call. [producer thread]
  std::span<const float> element(int e);

 private:
  void accumulate_element(int e);

  Acquisition acquisition_;
  std::size_t n_transmits_;
  std::size_t n_samples_;
  std::size_t n_phase_;      // floats of a polyphase row
  std::size_t line_stride_;  // floats of a fine line, with the two bins for what falls outside
  int limit_;                // fine samples of a line
  float offset_;             // half the pulse, in fine samples
  kernels::ElementGeometry geometry_;
  std::vector<float> taps_;    // the pulse on the fine axis, padded with zeros
  std::vector<float> there_;   // [transmit][scatterer] fine sample of the plane wave's arrival, offset included
  std::vector<float> lines_;   // [transmit][fine sample]
  std::vector<float> phases_;  // [phase][n_phase_]
  std::vector<float> rf_;      // [transmit][sample]
  const Scatterers* scatterers_ = nullptr;
};

// Mean square of a channel line at depth `depth_m` in speckle of level 1, before any gain (see echo_synth.cpp).
double speckle_variance(const Acquisition& acquisition, double fractional_bandwidth, const Field& field,
                        double depth_m);

}  // namespace echoloop
