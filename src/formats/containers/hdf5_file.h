// HDF5 files of any origin: groups and datasets by name, attributes, small arrays of numbers and text. Reason for a
// wrapper: only hard links inside the file are followed, no data of other files and only known filters
// (hdf5_filters.cpp); datasets of HDF5 2.0 are read with older libraries as well (hdf5_layout.h); sizes are checked
// before memory is allocated, and every error is one line naming file and object.
// Reader process, one thread. Includes hdf5.h: only for the readers of src/formats that use it.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echoloop::hdf5 {

inline constexpr const char* kUndamaged = "an undamaged HDF5 file";
inline constexpr std::size_t kMaxAxes = 16;      // per dataset
inline constexpr std::size_t kMaxDepth = 16;     // nesting levels of groups
inline constexpr std::size_t kMaxText = 65'536;  // characters

class Id {  // owns one reference to an object of the library
 public:
  explicit Id(hid_t id) : id_(id) {}
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Id& operator=(Id&&) = delete;
  operator hid_t() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
};

enum class Layout { compact, contiguous, chunked };

struct Storage {
  Layout layout = Layout::compact;
  std::vector<std::size_t> chunk;  // extents; chunked only
  bool filtered = false;
  std::uint64_t stored_bytes = 0;  // size in the file
};

class Node {  // a group or a dataset; copies share the handle
 public:
  // Returns the root of a file. `what`: its name in messages, `path`: as opened by the library, `file_size` in bytes.
  static Node open(const std::string& what, const std::string& path, std::size_t file_size);

  [[nodiscard]] hid_t id() const { return *id_; }
  [[nodiscard]] bool is_group() const;
  [[nodiscard]] bool is_dataset() const;
  [[nodiscard]] const std::string& path() const { return path_; }  // "/US/US_DATASET0000", "" for the root
  [[nodiscard]] std::string where() const;                         // "file.h5 (/US/US_DATASET0000)"
  [[nodiscard]] std::string stored_path() const;                   // for at_path(), also of an object of each_target()

  // Returns the names of the hard links of a group, sorted; omits other links, and names that are paths.
  [[nodiscard]] std::vector<std::string> children() const;
  [[nodiscard]] bool has(const std::string& name) const;  // a link of any kind and any target
  // Returns nullopt if there is none. Throws Error if it is no hard link, has no target or is nested too deep.
  [[nodiscard]] std::optional<Node> find(const std::string& name) const;
  [[nodiscard]] Node at(const std::string& name) const;       // throws Error if there is none
  [[nodiscard]] Node at_path(const std::string& path) const;  // "data/rf_data/frame_1", one name after another
  // Same as at_path(), with a cache of so many bytes for unpacked chunks, if no other handle has the dataset open.
  [[nodiscard]] Node dataset_at(const std::string& path, std::size_t cache_bytes) const;

  // Returns a single text of any string type, without padding; nullopt if there is none or it is something else.
  [[nodiscard]] std::optional<std::string> text_attribute(const char* name) const;
  // Returns a single number of any class; enum_attribute() returns the member's name of an enum.
  [[nodiscard]] std::optional<double> number_attribute(const char* name) const;
  // Returns up to `most` numbers of any class; empty if there are none, more, or something else.
  [[nodiscard]] std::vector<double> numbers_attribute(const char* name, std::size_t most) const;
  [[nodiscard]] std::vector<std::size_t> attribute_extents(const char* name) const;  // slowest first
  [[nodiscard]] std::optional<std::string> enum_attribute(const char* name) const;

  // Datasets only; throws Error otherwise.
  [[nodiscard]] std::vector<std::size_t> extents() const;  // slowest first, {} for a scalar
  // Returns 1 to `most` numbers of any class in the file's order. Throws Error naming the actual content.
  [[nodiscard]] std::vector<double> numbers(std::size_t most) const;
  [[nodiscard]] double number() const;                                   // exactly one, any rank
  [[nodiscard]] std::string text(std::size_t most = kMaxText) const;     // a string, or an array of character codes
  [[nodiscard]] std::vector<std::string> texts(std::size_t most) const;  // strings of any shape, in the file's order
  // Calls `take` with the index of each object reference, in the file's order, and its target; nullopt if that is no
  // group or dataset of this file. Throws Error if the dataset contains something else, or more than `most` references.
  void each_target(std::size_t most, const std::function<void(std::size_t, std::optional<Node>)>& take) const;
  // Throws Error unless the stored size is in the file and can unpack to `bytes` (all values as stored).
  [[nodiscard]] Storage storage(std::size_t bytes) const { return storage(bytes, bytes); }
  // Same for an array whose chunks are not all written: `least` of its bytes must be stored.
  [[nodiscard]] Storage storage(std::size_t bytes, std::size_t least) const;

 private:
  // `of`: kept open as long as this object; null: nothing.
  Node(std::string what, std::string path, std::size_t file_size, std::size_t depth, Id id,
       std::shared_ptr<const Id> of = {});

  std::string what_, path_;
  std::size_t file_size_, depth_;
  std::shared_ptr<const Id> id_;
};

// Opens the dataset `name` of `group` as a dataset of a file in memory whose chunks are read from the file of `group`,
// which must remain open. Throws Error naming `where`. `access`: its access properties.
Id open_newer_dataset(const std::string& where, hid_t group, const std::string& name, hid_t access);

// Returns true if one of the library's reasons for its last failure contains `words`.
bool failed_for(std::string_view words);
inline constexpr const char* kDiskError = "errno = 5,";  // part of such a reason

// Returns true for float16, float32, float64, integers of 1 to 8 bytes, in either byte order, and enums of them: types
// that the library converts reliably. False for custom floats and integers of a file.
bool is_plain_number(hid_t type);
bool is_half(hid_t type);           // IEEE float16, in either byte order
std::string type_text(hid_t type);  // "text", "a compound", "float64" ... for messages

// HDF5 compression filters. Decompression only. Internal to src/formats, reader process; under the library's lock.

struct FilterRow {
  H5Z_filter_t id;
  const char* name;                                       // "LZ4"
  std::size_t expansion;                                  // most bytes that one stored byte unpacks to
  const char* lacks = nullptr;                            // remedy, if this build has no decompressor
  std::size_t size_value = static_cast<std::size_t>(-1);  // index of the unpacked size among the filter's values
};

// Returns the row of a known filter, also of one without decompressor; null for others.
const FilterRow* find_filter(H5Z_filter_t id);

// Filter numbers registered with the HDF Group. LZF: the fast compression of h5py (compression="lzf"). Blosc: the
// compression of zea's recordings (hdf5plugin.Blosc): blocks, shuffled by bytes or bits and compressed by zstd, lz4 and
// others; decompressed by libblosc if the build has found it (kHaveBlosc).
inline constexpr H5Z_filter_t kLzfFilter = 32000, kBloscFilter = 32001, kLz4Filter = 32004, kBitshuffleFilter = 32008,
                              kZstdFilter = 32015, kBlosc2Filter = 32026;

#ifdef ECHO_HAVE_BLOSC
inline constexpr bool kHaveBlosc = true;
#else
inline constexpr bool kHaveBlosc = false;
#endif
#ifdef ECHO_HAVE_ZSTD
inline constexpr bool kHaveZstd = true;
#else
inline constexpr bool kHaveZstd = false;
#endif
#ifdef ECHO_HAVE_LZ4
inline constexpr bool kHaveLz4 = true;
#else
inline constexpr bool kHaveLz4 = false;
#endif

// Registers the filters that the library lacks; they decompress in the calling thread. A chunk of LZ4, bitshuffle and
// Zstandard states its own size, which must be that of the dataset passed to expect_chunks_of() before a read.
void register_filters();
void expect_chunks_of(hid_t dataset);  // Node::storage() calls it

// Decompresses LZF data into `out`. A control byte below 32 precedes that many + 1 literal bytes; otherwise its upper 3
// bits + 2 (7: + the next byte) bytes are copied from (lower 5 bits, next byte) + 1 bytes back. Returns false unless
// the data fill `out` exactly.
bool unpack_lzf(std::span<const unsigned char> packed, std::span<unsigned char> out);

// Returns false if the values of the filter give another unpacked chunk size than `chunk_bytes`.
bool unpacks_to(hid_t creation_plan, const FilterRow& filter, std::size_t chunk_bytes);

// Restores `n` values of `value_bytes` bytes from their bits, block by block: `packed` and `out` have n * value_bytes
// bytes. `block`: values in a block, a multiple of 8; the last n % 8 are stored as they are. Source: bitshuffle.
void unshuffle_bits(std::span<const unsigned char> packed, std::span<unsigned char> out, std::size_t value_bytes,
                    std::size_t block);

}  // namespace echoloop::hdf5
