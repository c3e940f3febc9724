// Live phantoms: RF channel data of scatterers in motion, computed frame by frame, endless and deterministic.
// Why: anyone can try the program without a scanner or a file, and tests get data whose truth is known exactly.
// The geometry here is independent of the beamformer's (src/dsp): a sign error must not cancel itself.
//
// Model: two-dimensional, single scattering. Transmits are ideal plane waves, unlimited laterally. The echo of a
// scatterer at (x, z) reaches element e at (x sin a + z cos a)/c + |(x, z) - (x_e, 0)|/c after the wave passed the
// origin, as a Gaussian-windowed cosine centred there. Weights: soft-baffle element directivity, 1/sqrt(range),
// attenuation at the centre frequency. White noise of the channels is added last.
#pragma once

#include <memory>

#include "source/phantom_truth.h"
#include "source/source.h"

namespace echoloop {

// Throws Error naming the setting and what is accepted. Takes some 20 ms for the default probe. [any thread]
std::unique_ptr<SeekableSource> make_phantom(const PhantomSettings& settings);

}  // namespace echoloop
