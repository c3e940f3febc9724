// Blosc, the packing of zea's recordings (hdf5plugin.Blosc): blocks, shuffled by bytes or bits and packed by zstd, lz4
// and others. HDF5's library does not bring it; libblosc unpacks it where the build has found it (kHaveBlosc).
// Internal to src/formats, reader process; under the library's lock.
#pragma once

#include <hdf5.h>

#include <cstddef>

namespace echoloop::hdf5 {

inline constexpr H5Z_filter_t kBloscFilter = 32001;  // as registered with the HDF Group

// zstd makes 128 KiB of one repeated byte out of 4, and Blosc's other packers less.
inline constexpr std::size_t kBloscExpansion = 32768;

#ifdef ECHO_HAVE_BLOSC
inline constexpr bool kHaveBlosc = true;
#else
inline constexpr bool kHaveBlosc = false;
#endif

// Tells the library of it: unpacking only, in the calling thread. Nothing without libblosc.
void register_blosc();

// Whether the fourth of the filter's values, the size that its chunks unpack to, is `chunk_bytes`.
bool blosc_unpacks_to(hid_t creation_plan, std::size_t chunk_bytes);

}  // namespace echoloop::hdf5
