// Chunked datasets of HDF5 2.0 (layout message version 5), which older HDF5 libraries refuse: this project's parser of
// their object header and chunk index, and a dataset of the old layout, in memory, over the chunks in the file.
// Reader process, one thread. Internal to src/formats/containers.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/containers/hdf5_file.h"

namespace echoloop::hdf5 {

// Reads bytes of a file by their address, counted from the superblock; returns false if they are unreadable.
struct FileBytes {
  std::function<bool(std::uint64_t address, std::span<unsigned char> out)> read;
  std::uint64_t size = 0;
};

struct StoredChunk {
  std::uint64_t address = 0, bytes = 0;  // as stored: filtered, inside the file
  std::uint32_t mask = 0;                // filters that were not applied, bit by bit
  std::vector<hsize_t> at;               // index of its first value on each axis
};

struct StoredFilter {
  H5Z_filter_t id = 0;
  std::vector<unsigned> values;
};

// Description of a chunked dataset, without attributes.
struct ChunkedLayout {
  std::vector<hsize_t> extents, chunk;  // slowest axis first
  std::vector<unsigned char> type;      // datatype message
  std::vector<unsigned char> fill;      // fill value of that type; empty: zero
  std::vector<StoredFilter> filters;
  bool raw_edges = false;  // chunks that exceed the extents are not filtered
  std::vector<StoredChunk> chunks;
};

// Parses the object header at `address` (version 2) with a layout message of version 4 or 5 and any of the five chunk
// indices: single chunk, implicit, fixed array, extensible array, version-2 B-tree. Source: HDF5 File Format
// Specification 3.0 and 4.0, sections III.F, VII.A, VII.C, VII.D. Checks every size, address, count and checksum.
// Throws Error naming `where`.
ChunkedLayout read_chunked_layout(const std::string& where, const FileBytes& file, std::uint64_t address);

// Opens the dataset `name` of `group` as a dataset of a file in memory whose chunks are read from the file of `group`,
// which must remain open. Throws Error naming `where`. `access`: its access properties.
Id open_newer_dataset(const std::string& where, hid_t group, const std::string& name, hid_t access);

}  // namespace echoloop::hdf5
