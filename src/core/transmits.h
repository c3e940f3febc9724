// Which transmits of a frame make the image, by the parameters transmit_first, transmit_last and transmit_every.
// Pure functions; any thread.
#pragma once

#include <vector>

#include "core/acquisition.h"
#include "core/params.h"
#include "core/scan_lines.h"

namespace echoloop {

// Transmits first, first + every, ... (from 0), `count` of them.
struct TransmitPick {
  int first = 0;
  int every = 1;
  int count = 0;
  friend bool operator==(const TransmitPick&, const TransmitPick&) = default;
};

// Where lines are formed every transmit is needed for its own line: all of them then, whatever the parameters say.
// The parameters must have passed validate_params().
TransmitPick picked_transmits(const ImagingParams& params, const Acquisition& acquisition);

// Whether transmits are weighed at every pixel by its place in their cones (dsp/transmit_cone.h).
bool uses_cones(const ImagingParams& params, const Acquisition& acquisition);

// The acquisition as if only those transmits had been recorded. The same object when they are all.
AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick);

// The axes of those beams. Empty: not all transmits are focused.
std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick);

// What a selection takes from the level of an echo that all transmits agree on, dB, at most 0: 20 log10(picked / all),
// or 0 with cones, whose weights add up to 1 at every pixel.
double transmit_level_db(const ImagingParams& params, const Acquisition& acquisition);

}  // namespace echoloop
