// Where the frames of an HDF5 dataset lie in the file, when they lie there as they are lent. Reader process.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/containers/hdf5_file.h"
#include "formats/readers/samples.h"

namespace echoloop {

// frame, transmit, element, time, iq: slowest first, as far as they are there.
bool is_natural(const std::vector<Axis>& axes);

// Byte offsets of all frames, or none: for a contiguous dataset, or whole frames in each chunk, unfiltered, of exactly
// `memory_type`, aligned to its numbers, inside the file.
std::vector<std::uint64_t> frame_offsets(const hdf5::Node& dataset, const std::vector<Axis>& axes, hid_t memory_type,
                                         std::size_t frame_bytes, std::size_t n_frames, std::size_t file_size);

}  // namespace echoloop
