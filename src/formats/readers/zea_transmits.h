// The transmits of a zea file. Their geometry is t0_delays and tx_apodizations; polar_angles and focus_distances (0 or
// infinite: plane, negative: diverging) are notes that say which wave the delays make. Time is counted from the first
// firing of each transmit, initial_times is that of the first sample; IQ is demodulated on a clock that begins with the
// first sample. Internal to src/formats, reader process.
#pragma once

#include <cstddef>

#include "formats/containers/hdf5_file.h"
#include "formats/readers/hdf5_samples.h"
#include "formats/readers/placed_probe.h"

namespace echoloop {

// Adds the n_tx transmits that `scan` describes, and for IQ the rotation of each one's samples; what was taken, and
// what the file lacks, goes to the assumptions. Frequencies and sound speed of parts.acquisition are set. Throws Error.
void add_zea_transmits(const hdf5::Node& root, const hdf5::Node& scan, const PlacedProbe& placed, std::size_t n_tx,
                       Hdf5Parts& parts);

}  // namespace echoloop
