// Live phantoms: RF channel data of scatterers in motion, computed frame by frame, endless and deterministic, for use
// without a scanner or file and for tests with exactly known truth. The geometry is independent of the beamformer's
// (src/dsp), so that a sign error cannot cancel itself.
//
// Model: two-dimensional, single scattering. Transmits are ideal plane waves, or diverging waves of a phased array,
// unlimited laterally. The echo of a scatterer at (x, z) reaches element e at T + |(x, z) - (x_e, 0)|/c after the wave
// passed the origin, as a Gaussian-windowed cosine centred there; T = (x sin a + z cos a)/c for plane waves and
// (|(x, z) - s| - |s|)/c for waves from a virtual source s. Weights: soft-baffle element directivity, 1/sqrt(range),
// attenuation at the centre frequency. White noise of the channels is added last.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "source/phantom_scene.h"
#include "source/phantom_text.h"
#include "source/source.h"

namespace echoloop {

// Throws Error naming the setting and the accepted values. Takes some 20 ms for the default probe. [any thread]
std::unique_ptr<SeekableSource> make_phantom(const PhantomSettings& settings);

// From scatterers to channel lines: every scatterer's echo on every element and transmit, pulse included; independent
// of anatomy and motion. Works element by element so that the lines being summed stay in the first-level cache. One
// object per thread; buffers are kept between calls.

class EchoSynth {
 public:
  EchoSynth(const Acquisition& acquisition, double fractional_bandwidth);

  // Sets the scatterers, which must not change until the last element(). [producer thread]
  void begin(const Scatterers& scatterers);

  // Returns the echoes on element e: [transmit][sample], valid until the next call. [producer thread]
  std::span<const float> element(int e);

 private:
  void accumulate_element(int e);

  Acquisition acquisition_;
  std::size_t n_transmits_;
  std::size_t n_samples_;
  std::size_t n_phase_;      // floats of a polyphase row
  std::size_t line_stride_;  // floats of a fine line, with two bins for positions outside
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

// Returns the mean square of a channel line at `depth_m` in speckle of level 1, before any gain (see phantom.cpp).
double speckle_variance(const Acquisition& acquisition, double fractional_bandwidth, const Field& field,
                        double depth_m);

}  // namespace echoloop
