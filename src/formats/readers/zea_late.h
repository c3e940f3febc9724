// What zea's files say of delays that are no way through the tissue: the acoustic lens and the length of the
// transmitted pulse. Internal to src/formats, reader process.
#pragma once

#include <cstddef>
#include <vector>

#include "core/acquisition.h"
#include "formats/containers/hdf5_file.h"

namespace echoloop {

// How much later than the way from its elements to a point and back the peaks of the echoes of each of n_tx transmits
// come, s. a.center_hz and a.sound_speed_m_s are set; what was taken, and what the file lacks, goes to a.assumptions.
// Throws Error for values that are none.
//
// The lens is flat, of thickness d and sound speed cl, on the elements (zea's model, z counted from them): straight
// through it a wave needs d (1/cl - 1/c) more each way; the refraction that zea's beamformer computes beyond that is
// below 0.03 mm for 1 mm of lens up to 30 degrees. Older files have Verasonics' lens_correction, in wavelengths each
// way. The pulse is waveforms_two_way, sampled at 250 MHz from the firing on (Verasonics' TW.Wvfm2Wy).
std::vector<double> zea_late_s(const hdf5::Node& root, const hdf5::Node& scan, std::size_t n_tx, Acquisition& a);

}  // namespace echoloop
