// Chunked datasets of HDF5 2.0 (layout message version 5), which older HDF5 libraries refuse: this project's parser of
// their object header and chunk index, and a dataset of the old layout, in memory, over the chunks in the file.
// Reader process, one thread. Internal to src/formats/containers.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
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

// Metadata of an HDF5 file as bytes: bounds-checked numbers, and blocks with verified checksums.

inline constexpr std::uint64_t kUndefined = std::numeric_limits<std::uint64_t>::max();  // address; limit of an axis
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr std::uint64_t kMaxMetadataBlock = std::uint64_t{256} << 20;

struct Damaged {};  // becomes the Error of read_chunked_layout()
struct Unsupported {
  std::string found;
};  // the same

void require(std::convertible_to<bool> auto plausible) {
  if (!plausible) throw Damaged{};
}

// Little-endian numbers of a block, one after another.
class Cursor {
 public:
  explicit Cursor(std::span<const unsigned char> bytes) : rest_(bytes) {}
  std::span<const unsigned char> take(std::uint64_t n) {
    require(n <= rest_.size());
    const auto taken = rest_.first(static_cast<std::size_t>(n));
    rest_ = rest_.subspan(static_cast<std::size_t>(n));
    return taken;
  }
  std::uint64_t number(std::size_t n) {
    require(n <= 8);
    std::uint64_t value = 0;
    const auto bytes = take(n);
    for (std::size_t k = n; k-- > 0;) value = value << 8 | bytes[k];
    return value;
  }
  unsigned byte() { return static_cast<unsigned>(number(1)); }
  void expect(std::string_view signature, unsigned version) {
    require(std::ranges::equal(take(signature.size()), signature,
                               [](unsigned char b, char c) { return b == static_cast<unsigned char>(c); }));
    require(byte() == version);
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const unsigned char> rest_;
};

using Block = std::vector<unsigned char>;

// Both throw Damaged for addresses outside the file and unreadable bytes; checked() also for a wrong checksum, which
// ends the block and is not returned.
Block block(const FileBytes& file, std::uint64_t address, std::uint64_t size);
Block checked_block(const FileBytes& file, std::uint64_t address, std::uint64_t size);

std::uint32_t metadata_checksum(std::span<const unsigned char> bytes);
std::uint64_t checked_product(std::uint64_t a, std::uint64_t b);  // throws Damaged

// What a chunk index is made for.
struct IndexForm {
  std::vector<hsize_t> chunk;       // extents of a chunk
  std::vector<std::uint64_t> grid;  // chunks on each axis up to its limit; kUndefined: unlimited
  std::uint64_t chunk_bytes = 0;    // before filters
  bool filtered = false;
  std::size_t size_bytes = 8;  // of the field with the size of a filtered chunk
};

// Reads the chunk index `kind`, whose part of the layout message begins at `in`. Throws Damaged and Unsupported.
std::vector<StoredChunk> read_chunk_index(const FileBytes& file, const IndexForm& form, unsigned kind, Cursor& in);

}  // namespace echoloop::hdf5
