// HDF5 files, which anybody may have made: groups and datasets by name, attributes, small arrays of numbers and text.
// Why a wrapper: only hard links inside the file are followed, no data of other files and no filter but the built-in
// ones and LZF, sizes are checked before memory is taken, and every refusal is one line naming file and object.
// Reader process, one thread. Includes hdf5.h: only for the readers of src/formats that stand on it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echoloop::hdf5 {

inline constexpr const char* kUndamaged = "an undamaged HDF5 file";
inline constexpr std::size_t kMaxAxes = 16;      // of a dataset
inline constexpr std::size_t kMaxDepth = 16;     // of groups in groups
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
  std::uint64_t stored_bytes = 0;  // taken up in the file
};

class Node {  // a group or a dataset; copies share it
 public:
  // The root of a file. `what` names the file in messages, `path` is what the library opens, `file_size` in bytes.
  static Node open(const std::string& what, const std::string& path, std::size_t file_size);

  [[nodiscard]] hid_t id() const { return *id_; }
  [[nodiscard]] bool is_group() const;
  [[nodiscard]] bool is_dataset() const;
  [[nodiscard]] const std::string& path() const { return path_; }  // "/US/US_DATASET0000", "" for the root
  [[nodiscard]] std::string where() const;                         // "file.h5 (/US/US_DATASET0000)"
  [[nodiscard]] std::string stored_path() const;                   // for at_path(), also of an object of each_target()

  // Names of the hard links of a group, by name; other links, and names that are paths, are left out.
  [[nodiscard]] std::vector<std::string> children() const;
  [[nodiscard]] bool has(const std::string& name) const;  // of any kind, and whatever it leads to
  // Nothing when there is none; Error when it is no hard link, leads to nothing or lies too deep.
  [[nodiscard]] std::optional<Node> find(const std::string& name) const;
  [[nodiscard]] Node at(const std::string& name) const;       // Error when there is none
  [[nodiscard]] Node at_path(const std::string& path) const;  // "data/rf_data/frame_1", name by name
  // As at_path(); up to so many bytes of its unpacked chunks are kept, when nothing else has it open.
  [[nodiscard]] Node dataset_at(const std::string& path, std::size_t cache_bytes) const;

  // One text of any kind, without padding; nothing when there is none or it is something else.
  [[nodiscard]] std::optional<std::string> text_attribute(const char* name) const;
  // One number of any class; the member's name of an enum is `enum_attribute`.
  [[nodiscard]] std::optional<double> number_attribute(const char* name) const;
  // Up to `most` numbers of any class; empty when there are none, more, or something else.
  [[nodiscard]] std::vector<double> numbers_attribute(const char* name, std::size_t most) const;
  [[nodiscard]] std::vector<std::size_t> attribute_extents(const char* name) const;  // slowest first
  [[nodiscard]] std::optional<std::string> enum_attribute(const char* name) const;

  // Datasets only (Error otherwise).
  [[nodiscard]] std::vector<std::size_t> extents() const;  // slowest first, {} for a single number
  // 1 to `most` numbers of any class in the file's order; Error naming what is there instead.
  [[nodiscard]] std::vector<double> numbers(std::size_t most) const;
  [[nodiscard]] double number() const;                                // exactly one, whatever the rank
  [[nodiscard]] std::string text(std::size_t most = kMaxText) const;  // a string, or an array of character codes
  // Object references: calls `take` with the place of each, in the file's order, and what it leads to; nothing where
  // that is no group or dataset of this file. Error when the dataset holds something else, or more than `most`.
  void each_target(std::size_t most, const std::function<void(std::size_t, std::optional<Node>)>& take) const;
  // Error unless `bytes` (all its values as they are stored) can come out of what the file holds, and of this file.
  [[nodiscard]] Storage storage(std::size_t bytes) const { return storage(bytes, bytes); }
  // Of an array whose chunks need not all be written: `least` bytes of it can.
  [[nodiscard]] Storage storage(std::size_t bytes, std::size_t least) const;

 private:
  Node(std::string what, std::string path, std::size_t file_size, std::size_t depth, Id id);

  std::string what_, path_;
  std::size_t file_size_, depth_;
  std::shared_ptr<const Id> id_;
};

// Whether one of the library's reasons for its last failure contains `words`.
bool failed_for(std::string_view words);
inline constexpr const char* kDiskError = "errno = 5,";  // among its reasons

// float16, float32, float64, integers of 1 to 8 bytes, in either byte order, and enums of them: what the library
// converts without surprises. Floats and integers of a file's own making are none.
bool is_plain_number(hid_t type);
bool is_half(hid_t type);           // IEEE float16, in either byte order
std::string type_text(hid_t type);  // "text", "a compound", "float64" ... for messages

}  // namespace echoloop::hdf5
