// The datasets of an HDF5 file as a tree; of a MATLAB v7.3 file with the axes as MATLAB counts them. Reader process.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "formats/base/printable.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat73.h"
#include "formats/import/array_tree.h"
#include "formats/readers/hdf5_samples.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMostSplit = std::size_t{1} << 28;  // numbers of an array with split axes

class Hdf5Tree final : public ArrayTree {
 public:
  Hdf5Tree(const OpenRequest& request, Node root, AxisCount count)
      : what_(request.what()), root_(std::move(root)), matlab_(count == AxisCount::matlab) {
    container_ = matlab_ ? "MATLAB v7.3" : "HDF5";
    visit(root_, "", 0);
  }

  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override {
    const TreeEntry& e = entries_.at(entry);
    if (!e.numeric || e.complex || e.count() > most)
      throw Error(what_ + " (" + printable(e.path) + ")", e.type + " of shape " + shape_text(e.shape),
                  "1 to " + std::to_string(most) + " numbers");
    if (!attributes_[entry].empty()) return node(entry).numbers_attribute(attributes_[entry].c_str(), most);
    const std::vector<double> stored = node(entry).numbers(most);
    if (!matlab_) return stored;
    return row_major_numbers({.type = {NumberKind::real, 8, ByteOrder::little},
                              .shape = e.shape,
                              .order = MemoryOrder::fortran,
                              .bytes = std::as_bytes(std::span(stored))});
  }

  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override {
    const TreeEntry& e = entries_.at(plan.entry);
    if (!plan.shape.empty() || plan.offset != 0.0) return recording_in_memory(request, std::move(plan));
    Hdf5Parts parts{.acquisition = std::move(plan.acquisition), .samples = {}, .format = std::move(plan.format)};
    parts.samples.axes = std::move(plan.axes);
    if (matlab_) std::reverse(parts.samples.axes.begin(), parts.samples.axes.end());
    parts.samples.datasets = {stored_path(e.path)};
    parts.samples.rotation_rad = std::move(plan.rotation_rad);
    if (!plan.imaginary.empty()) {
      const auto other = find(plan.imaginary);
      if (!other) throw Error(what_, "no " + printable(plan.imaginary), "the name of the imaginary part");
      parts.samples.imaginary = stored_path(entries_[*other].path);
    }
    return make_hdf5_recording(request, root_, std::move(parts));
  }

 private:
  // Hyperslabs cannot split an axis, and subtract nothing.
  [[nodiscard]] LibraryRecording recording_in_memory(const OpenRequest& request, RecordingPlan plan) const {
    const TreeEntry& e = entries_.at(plan.entry);
    if (e.complex || !plan.imaginary.empty())
      throw Error(what_, "\"shape\" or \"offset\" of complex samples in " + container_,
                  "real samples, or another container");
    const std::vector<double> values = numbers(plan.entry, kMostSplit);
    return recording_of(request, std::move(plan), array_of(std::vector<float>(values.begin(), values.end()), e.shape));
  }
  [[nodiscard]] std::string stored_path(std::string path) const {
    if (matlab_) std::replace(path.begin(), path.end(), '.', '/');
    return path;
  }
  [[nodiscard]] Node node(std::size_t entry) const {
    std::string path = stored_path(entries_[entry].path);
    if (!attributes_[entry].empty()) path = path.substr(0, path.rfind('@'));
    while (path.ends_with('/')) path.pop_back();
    return path.empty() ? root_ : root_.at_path(path);
  }

  void put(TreeEntry entry, std::string attribute = {}) {
    add(std::move(entry));
    attributes_.push_back(std::move(attribute));
  }

  void visit(const Node& group, const std::string& path, std::size_t depth) {
    if (depth > kMaxTreeDepth) return;
    if (!matlab_) number_attributes(group, path.empty() ? "" : path + "/");
    for (const std::string& name : group.children()) {
      if (name.starts_with('#') || name.find('.') != std::string::npos) continue;
      const std::string child_path = path.empty() ? name : path + (matlab_ ? "." : "/") + name;
      try {
        const Node child = group.at(name);
        if (child.is_group()) {
          put({.path = child_path, .type = matlab_ ? "struct" : "group", .shape = {}, .text = {}});
          visit(child, child_path, depth + 1);
        } else if (child.is_dataset()) {
          dataset(child, child_path);
        }
      } catch (const Error&) {  // an object that this tree does not show
        put({.path = child_path, .type = "unreadable", .shape = {}, .text = {}});
      }
    }
  }

  // "fs@": a number that is an attribute of a group or of a dataset.
  void number_attributes(const Node& object, const std::string& prefix) {
    for (const std::string& name : attribute_names(object)) {
      const std::vector<double> values = object.numbers_attribute(name.c_str(), 4096);
      if (!values.empty()) {
        put({.path = prefix + "@" + name,
             .type = "attribute",
             .shape = values.size() == 1 ? std::vector<std::size_t>{} : object.attribute_extents(name.c_str()),
             .numeric = true,
             .text = {}},
            name);
      } else if (const auto text = object.text_attribute(name.c_str())) {
        put(text_entry(prefix + "@" + name, {}, *text), name);
      }
    }
  }

  static std::vector<std::string> attribute_names(const Node& object) {
    std::vector<std::string> names;
    H5Aiterate2(
        object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
          auto& list = *static_cast<std::vector<std::string>*>(to);
          list.emplace_back(name);
          return list.size() < 64 ? 0 : 1;
        },
        &names);
    return names;
  }

  void dataset(const Node& object, const std::string& path) {
    std::vector<std::size_t> shape = object.extents();
    if (matlab_) std::reverse(shape.begin(), shape.end());
    const hdf5::Id type(H5Dget_type(object.id()));
    const std::string kind = matlab_ ? mat73::class_attribute(object) : "";
    TreeEntry entry{.path = path, .type = hdf5::type_text(type), .shape = std::move(shape), .text = {}};
    if (kind == "cell" || H5Tget_class(type) == H5T_REFERENCE) {
      entry.type = "cell";
    } else if (kind == "char" || H5Tget_class(type) == H5T_STRING) {
      entry = text_entry(path, std::move(entry.shape), entry.count() <= kMostJson ? object.text(kMostJson) : "");
    } else if (hdf5::is_plain_number(type) && H5Tget_class(type) != H5T_ENUM) {
      entry.numeric = entry.count() > 0;
    } else if (H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2) {
      entry.numeric = entry.complex = true;
      entry.type = "complex";
    }
    put(std::move(entry));
    if (!matlab_) number_attributes(object, path + "/");
  }

  std::string what_;
  Node root_;
  bool matlab_;
  std::vector<std::string> attributes_;  // of each entry: the attribute that it is; empty: a group or dataset
};

}  // namespace

std::unique_ptr<ArrayTree> hdf5_tree(const OpenRequest& request, const Node& root, AxisCount count) {
  return with_stacks(std::make_unique<Hdf5Tree>(request, root, count));
}

}  // namespace echoloop
