// HDF5 compression filters that are not in the HDF5 library. Decompression only. Internal to src/formats, reader
// process; under the library's lock.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <span>

namespace echoloop::hdf5 {

// Filter numbers registered with the HDF Group. LZF: the fast compression of h5py (compression="lzf"). Blosc: the
// compression of zea's recordings (hdf5plugin.Blosc): blocks, shuffled by bytes or bits and compressed by zstd, lz4 and
// others; decompressed by libblosc if the build has found it (kHaveBlosc).
inline constexpr H5Z_filter_t kLzfFilter = 32000, kBloscFilter = 32001;

// zstd stores 128 KiB of one repeated byte in 4 bytes; Blosc's other compressors reach less.
inline constexpr std::size_t kBloscExpansion = 32768;

#ifdef ECHO_HAVE_BLOSC
inline constexpr bool kHaveBlosc = true;
#else
inline constexpr bool kHaveBlosc = false;
#endif

// Registers both with the library; Blosc only with libblosc, which then decompresses in the calling thread.
void register_filters();

// Decompresses LZF data into `out`. A control byte below 32 precedes that many + 1 literal bytes; otherwise its upper 3
// bits + 2 (7: + the next byte) bytes are copied from (lower 5 bits, next byte) + 1 bytes back. Returns false unless
// the data fill `out` exactly.
bool unpack_lzf(std::span<const unsigned char> packed, std::span<unsigned char> out);

// Returns true if the values of `filter`, one of the two, give `chunk_bytes` as the unpacked chunk size.
bool unpacks_to(hid_t creation_plan, H5Z_filter_t filter, std::size_t chunk_bytes);

}  // namespace echoloop::hdf5
