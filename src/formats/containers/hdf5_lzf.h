// LZF, the fast packing that h5py offers (compression="lzf"): HDF5's library does not bring it, so it is unpacked here.
// Internal to src/formats, reader process; under the library's lock.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <span>

namespace echoloop::hdf5 {

inline constexpr H5Z_filter_t kLzfFilter = 32000;  // as registered with the HDF Group

// Tells the library of it. Unpacking only.
void register_lzf();

// Fills `out` from LZF data: a control byte below 32 is followed by that many bytes and one more as they are; else its
// upper 3 bits + 2 (7: + the next byte) bytes repeat those that lie its lower 5 bits and the following byte + 1 back.
// False unless the data fill `out` exactly.
bool unpack_lzf(std::span<const unsigned char> packed, std::span<unsigned char> out);

// Whether the third of the filter's values, the size that its chunks unpack to, is `chunk_bytes`.
bool lzf_unpacks_to(hid_t creation_plan, std::size_t chunk_bytes);

}  // namespace echoloop::hdf5
