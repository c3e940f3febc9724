// The spectrum of a course along the frames of an ensemble: which Doppler frequencies a singular component has.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace echoloop {

// Power in dB against its largest value, at `bins` frequencies from -1 to 1 as shares of the Nyquist frequency, both
// included; positive: towards the probe. The course [frame] is weighted by a Hann window, so that a tone's side lobes
// lie 31 dB and more below it. Not below `floor_db`. Empty when the course is.
std::vector<float> component_spectrum_db(std::span<const std::complex<float>> course, int bins, double floor_db);

}  // namespace echoloop
