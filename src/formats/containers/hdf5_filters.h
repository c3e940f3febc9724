// The packings of HDF5 datasets that HDF5's library does not bring. Unpacking only. Internal to src/formats, reader
// process; under the library's lock.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <span>

namespace echoloop::hdf5 {

// As registered with the HDF Group. LZF: the fast packing that h5py offers (compression="lzf"). Blosc: the packing of
// zea's recordings (hdf5plugin.Blosc): blocks, shuffled by bytes or bits and packed by zstd, lz4 and others; by
// libblosc where the build has found it (kHaveBlosc).
inline constexpr H5Z_filter_t kLzfFilter = 32000, kBloscFilter = 32001;

// zstd makes 128 KiB of one repeated byte out of 4, and Blosc's other packers less.
inline constexpr std::size_t kBloscExpansion = 32768;

#ifdef ECHO_HAVE_BLOSC
inline constexpr bool kHaveBlosc = true;
#else
inline constexpr bool kHaveBlosc = false;
#endif

// Tells the library of both; of Blosc only with libblosc, which then unpacks in the calling thread.
void register_filters();

// Fills `out` from LZF data: a control byte below 32 is followed by that many bytes and one more as they are; else its
// upper 3 bits + 2 (7: + the next byte) bytes repeat those that lie its lower 5 bits and the following byte + 1 back.
// False unless the data fill `out` exactly.
bool unpack_lzf(std::span<const unsigned char> packed, std::span<unsigned char> out);

// Whether `filter`, one of the two, says among its values that its chunks unpack to `chunk_bytes`.
bool unpacks_to(hid_t creation_plan, H5Z_filter_t filter, std::size_t chunk_bytes);

}  // namespace echoloop::hdf5
