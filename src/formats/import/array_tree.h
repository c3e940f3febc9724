// What a file of any container holds, as a list of named arrays, texts and groups: what a description may name, what
// guesses are made from, what `echoloop describe` and the window show. MATLAB v5 and v7.3, HDF5, .npz, .npy, pickles.
// Reader process, one thread. Internal to src/formats.
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
  std::string path;  // "exp_data.time.fs" in .mat and pickles, "scan/fs" in HDF5, "rf" in .npz, "" of .npy
  std::string type;  // "int16", "complex float32", "text", "struct" ...
  std::vector<std::size_t> shape;  // as MATLAB's size() or numpy's shape says it
  bool numeric = false;            // numbers; everything else only has a name
  bool complex = false;            // known complex (of MATLAB v5: once it was read)
  std::string text;                // of a text, its start
  std::string json = {};           // of a text that may be a JSON object, up to kMostJson bytes: all of it
  bool part = false;               // of an entry that joins several
  bool of_files = false;           // of a folder: one number of each file

  [[nodiscard]] std::size_t count() const { return checked_bytes(shape, 1).value_or(0); }
};

inline constexpr std::size_t kMostJson = std::size_t{1} << 16;
TreeEntry text_entry(std::string path, std::vector<std::size_t> shape, std::string_view text);

struct RecordingPlan {
  std::size_t entry = 0;
  std::vector<Axis> axes;          // of the entry's shape, or of `shape`
  std::vector<std::size_t> shape;  // with axes that are split (split_axes); empty: the entry's
  Acquisition acquisition;
  std::vector<double> rotation_rad;  // see SampleSource
  std::string imaginary;             // path of the quadrature component; empty: none
  double offset = 0.0;               // subtracted from the samples
  bool right_to_left = false;        // lines, which the acquisition has from left to right
  std::string format;
};

class ArrayTree {
 public:
  virtual ~ArrayTree() = default;

  [[nodiscard]] const std::vector<TreeEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::string& container() const { return container_; }  // "MATLAB v5", "HDF5", ".npz"
  [[nodiscard]] MemoryOrder axis_order() const {  // in which an axis is split: MATLAB's or numpy's
    return container_.starts_with("MATLAB") ? MemoryOrder::fortran : MemoryOrder::c;
  }
  // By path, '/' and '.' alike; else the only entry whose path ends in `name`. Nothing when there is none, or several.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const { return find_path(entries_, name); }
  // Numbers of an entry (of complex ones the real parts), last axis fastest. Error when there are more than `most`.
  [[nodiscard]] virtual std::vector<double> numbers(std::size_t entry, std::size_t most) const = 0;
  // The frames of an entry.
  [[nodiscard]] virtual LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const = 0;
  // Values per sample: 2 for complex numbers.
  [[nodiscard]] virtual bool is_complex(std::size_t entry) const { return entries_[entry].complex; }

 protected:
  void add(TreeEntry entry);  // Error beyond 20 000
  // The samples with the axes that `plan` has: as they are, or split.
  [[nodiscard]] ArrayView planned_view(const std::string& what, const ArrayView& samples,
                                       const RecordingPlan& plan) const;
  // Of `samples` in place of the entry, whose shape they have.
  [[nodiscard]] LibraryRecording recording_of(const OpenRequest& request, RecordingPlan plan, OwnedArray samples) const;
  std::vector<TreeEntry> entries_;
  std::string container_;
};

// Trees that hold their arrays in memory, or where the file is mapped.
class MemoryTree : public ArrayTree {
 public:
  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override;
  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override;

 protected:
  void put(TreeEntry entry, OwnedArray array = {});
  void put_numbers(std::string path, OwnedArray array);
  [[nodiscard]] virtual OwnedArray array(std::size_t entry) const { return arrays_.at(entry); }
  mutable std::vector<OwnedArray> arrays_;  // of each entry
};

inline constexpr std::size_t kMaxTreeEntries = 20'000, kMaxTreeDepth = 10;

enum class AxisCount { stored, matlab };  // order of the axes: as HDF5 stores them, or as MATLAB counts them

// `what`, the path, and sizes are those of the request. Each throws Error of one line on a damaged file.
std::unique_ptr<ArrayTree> mat_tree(const OpenRequest& request, const MatFile& file);
std::unique_ptr<ArrayTree> hdf5_tree(const OpenRequest& request, const hdf5::Node& root, AxisCount count);
std::unique_ptr<ArrayTree> npz_tree(const OpenRequest& request, const std::map<std::string, NpzMember>& members);
std::unique_ptr<ArrayTree> npy_tree(const OpenRequest& request, const NpyFile& file);
std::unique_ptr<ArrayTree> pickle_tree(const OpenRequest& request, std::shared_ptr<const pickle::Tree> tree);
// One array that lies in the file as it is described: raw binary, and what other readers have found.
std::unique_ptr<ArrayTree> view_tree(std::string container, OwnedArray samples, std::string path = "samples");

// The tree, with more entries: one for arrays whose paths differ in a number alone, and the numbers and texts of JSON
// objects, of its texts and of `json`.
struct NamedText {
  std::string path, text;
};
std::unique_ptr<ArrayTree> with_stacks(std::unique_ptr<ArrayTree> tree, const std::vector<NamedText>& json = {});

// Its numbers (real parts), last axis fastest, in whatever order they lie.
std::vector<double> row_major_numbers(const ArrayView& view);

// The axes of an array of that shape: names of trailing axes that it lacks (MATLAB drops those of length 1) are
// dropped; axes of length 1 that have no name become axes that do not count. Error when it cannot be.
std::vector<Axis> fit_axes(const std::string& what, const std::vector<Axis>& axes,
                           const std::vector<std::size_t>& shape);

}  // namespace echoloop
