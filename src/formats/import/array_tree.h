// Contents of a file of any container as a list of named arrays, texts and groups: names for descriptions, basis of
// guesses, and output of `echoloop describe` and the window. MATLAB v5 and v7.3, HDF5, .npz, .npy, pickles. Reader
// process, one thread. Internal to src/formats.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/readers/samples.h"

namespace echoloop {

class MatFile;
struct NpyFile;
struct NpzMember;
namespace hdf5 {
class Node;
}
namespace pickle {
struct Tree;
}

struct TreeEntry {
  std::string path;  // "exp_data.time.fs" in .mat and pickles, "scan/fs" in HDF5, "rf" in .npz, "" in .npy
  std::string type;  // "int16", "complex float32", "text", "struct" ...
  std::vector<std::size_t> shape;  // as given by MATLAB's size() or numpy's shape
  bool numeric = false;            // numbers; other entries only have a name
  bool complex = false;            // known to be complex (for MATLAB v5: after reading)
  std::string text;                // start of a text
  std::string json = {};           // whole text if it may be a JSON object, up to kMostJson bytes
  bool part = false;               // belongs to an entry that joins several
  bool of_files = false;           // of a folder: one number per file

  [[nodiscard]] std::size_t count() const { return checked_bytes(shape, 1).value_or(0); }
};

inline constexpr std::size_t kMostJson = std::size_t{1} << 16;
TreeEntry text_entry(std::string path, std::vector<std::size_t> shape, std::string_view text);

struct RecordingPlan {
  std::size_t entry = 0;
  std::vector<Axis> axes;          // of the entry's shape, or of `shape`
  std::vector<std::size_t> shape;  // with split axes (split_axes); empty: the entry's
  Acquisition acquisition;
  std::vector<double> rotation_rad;  // see SampleSource
  std::string imaginary;             // path of the quadrature component; empty: none
  double offset = 0.0;               // subtracted from the samples
  bool right_to_left = false;        // lines stored from right to left; the acquisition has them from left to right
  std::string format;
};

class ArrayTree {
 public:
  virtual ~ArrayTree() = default;

  [[nodiscard]] const std::vector<TreeEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::string& container() const { return container_; }  // "MATLAB v5", "HDF5", ".npz"
  [[nodiscard]] MemoryOrder axis_order() const {  // order in which an axis is split: MATLAB's or numpy's
    return container_.starts_with("MATLAB") ? MemoryOrder::fortran : MemoryOrder::c;
  }
  // Finds by path, '/' and '.' being equal, else the only path that ends in `name`; nullopt: none, or several.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const { return find_path(entries_, name); }
  // Returns the numbers of an entry (real parts), last axis fastest. Throws Error for more than `most`.
  [[nodiscard]] virtual std::vector<double> numbers(std::size_t entry, std::size_t most) const = 0;
  // Returns the frames of an entry.
  [[nodiscard]] virtual LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const = 0;
  // Returns true if a sample has 2 values, for complex numbers.
  [[nodiscard]] virtual bool is_complex(std::size_t entry) const { return entries_[entry].complex; }

 protected:
  void add(TreeEntry entry);  // throws Error beyond 20 000
  // Returns the samples with the axes of `plan`: unchanged, or split.
  [[nodiscard]] ArrayView planned_view(const std::string& what, const ArrayView& samples,
                                       const RecordingPlan& plan) const;
  // Returns a recording of `samples`, which replace the entry and have its shape.
  [[nodiscard]] LibraryRecording recording_of(const OpenRequest& request, RecordingPlan plan, OwnedArray samples) const;
  std::vector<TreeEntry> entries_;
  std::string container_;
};

// Trees with their arrays in memory, or in the mapped file.
class MemoryTree : public ArrayTree {
 public:
  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override;
  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override;

 protected:
  void put(TreeEntry entry, OwnedArray array = {});
  void put_numbers(std::string path, OwnedArray array);
  [[nodiscard]] virtual OwnedArray array(std::size_t entry) const { return arrays_.at(entry); }
  mutable std::vector<OwnedArray> arrays_;  // per entry
};

inline constexpr std::size_t kMaxTreeEntries = 20'000, kMaxTreeDepth = 10;

enum class AxisCount { stored, matlab };  // order of the axes: as stored by HDF5, or as in MATLAB

// `what`, the path and sizes are those of the request. Each throws Error of one line for a damaged file.
std::unique_ptr<ArrayTree> mat_tree(const OpenRequest& request, const MatFile& file);
std::unique_ptr<ArrayTree> hdf5_tree(const OpenRequest& request, const hdf5::Node& root, AxisCount count);
std::unique_ptr<ArrayTree> npz_tree(const OpenRequest& request, const std::map<std::string, NpzMember>& members);
std::unique_ptr<ArrayTree> npy_tree(const OpenRequest& request, const NpyFile& file);
std::unique_ptr<ArrayTree> pickle_tree(const OpenRequest& request, std::shared_ptr<const pickle::Tree> tree);
// Returns a tree with one array, described as stored in the file: raw binary, or found by other readers.
std::unique_ptr<ArrayTree> view_tree(std::string container, OwnedArray samples, std::string path = "samples");

// Returns the tree with added entries: joined arrays whose paths differ only in a number, and the numbers and texts of
// JSON objects in its texts and in `json`.
struct NamedText {
  std::string path, text;
};
std::unique_ptr<ArrayTree> with_stacks(std::unique_ptr<ArrayTree> tree, const std::vector<NamedText>& json = {});

// Returns the numbers (real parts), last axis fastest, for any memory order.
std::vector<double> row_major_numbers(const ArrayView& view);

// Fits `axes` to an array of that shape: names of missing trailing axes (MATLAB drops those of length 1) are dropped;
// axes of length 1 without a name become unused ones. Throws Error if impossible.
std::vector<Axis> fit_axes(const std::string& what, const std::vector<Axis>& axes,
                           const std::vector<std::size_t>& shape);

}  // namespace echoloop
