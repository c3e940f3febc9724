// Live phantoms: RF channel data of scatterers in motion, computed frame by frame, endless and deterministic.
// Why: anyone can try the program without a scanner or a file, and tests get data whose truth is known exactly.
// The geometry here is independent of the beamformer's (src/dsp): a sign error must not cancel itself.
//
// Model: two-dimensional, single scattering. Transmits are ideal plane waves, unlimited laterally. The echo of a
// scatterer at (x, z) reaches element e at (x sin a + z cos a)/c + |(x, z) - (x_e, 0)|/c after the wave passed the
// origin, as a Gaussian-windowed cosine centred there. Weights: soft-baffle element directivity, 1/sqrt(range),
// attenuation at the centre frequency. White noise of the channels is added last.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/grid.h"
#include "source/phantom_settings.h"
#include "source/source.h"

namespace echoloop {

// Throws Error naming the setting and what is accepted. Takes some 20 ms for the default probe. [any thread]
std::unique_ptr<SeekableSource> make_phantom(const PhantomSettings& settings);

// The resting wires of the points phantom. [0] and [1] are 20.00 mm apart in depth, [2] and [3] 10.00 mm apart
// laterally (half of that on a probe too small for it). [any thread]
std::vector<PlanePoint> points_phantom_wires(const PhantomSettings& settings);

// Where the circling wire of the points phantom is in frame `index`. [any thread]
PlanePoint points_phantom_circling_wire(const PhantomSettings& settings, std::uint64_t index);

struct PhantomDisc {
  PlanePoint center{};
  double radius_m = 0.0;
};

// The echo-free cyst and the bright inclusion of the cyst phantom in frame `index`; the strain of the breathing
// (below 3 %) is neglected in the radius. [any thread]
PhantomDisc cyst_phantom_cyst(const PhantomSettings& settings, std::uint64_t index);
PhantomDisc cyst_phantom_inclusion(const PhantomSettings& settings, std::uint64_t index);

// What is true of the flow phantom in frame `index`: a point of the vessel's axis and its direction, which lead to the
// speed anywhere: along the vessel peak (1 - (across / radius)^2), and all of it carried along by the tissue.
struct FlowTruth {
  PlanePoint axis{};       // where the axis crosses x = 0
  double angle_rad = 0.0;  // downwards to the right
  double radius_m = 0.0;
  double peak_m_s = 0.0;    // along the vessel, to the right
  double tissue_m_s = 0.0;  // downwards
};
FlowTruth flow_phantom_truth(const PhantomSettings& settings, std::uint64_t index);

}  // namespace echoloop
