// The spectrum of a temporal singular vector (dsp/low_rank.h): which Doppler frequencies a component has.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace echoloop {

// Power in dB against its largest value, at `bins` frequencies from -1 to 1 as shares of the Nyquist frequency, both
// included; positive: towards the probe. The vector [frame] is weighted by a Hann window, so that a tone's side lobes
// lie 31 dB and more below it. Not below `floor_db`. Empty when the vector is.
std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db);

}  // namespace echoloop
