// Tree of the arrays of .npz, .npy and raw binary, in the mapped file or inflated in memory. Reader process.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/containers/archives.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_file.h"
#include "formats/containers/mat_values.h"
#include "formats/containers/pickle.h"
#include "formats/import/array_tree.h"
#include "formats/import/guess.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

class ViewTree final : public MemoryTree {
 public:
  explicit ViewTree(std::string container) { container_ = std::move(container); }

  using MemoryTree::put_numbers;
  void put_text(std::string path, const std::vector<std::string>& text) {
    std::string joined;
    for (const std::string& line : text) joined += (joined.empty() ? "" : ", ") + line;
    put(text_entry(std::move(path), {text.size()}, joined));
  }
};

}  // namespace

std::unique_ptr<ArrayTree> npz_tree(const OpenRequest&, const std::map<std::string, NpzMember>& members) {
  auto tree = std::make_unique<ViewTree>(".npz");
  for (const auto& [name, member] : members)
    if (member.npy.is_text)
      tree->put_text(name, member.npy.text);
    else
      tree->put_numbers(name, {.real = member.npy.array, .imaginary = {}, .owner = member.owner});
  return with_stacks(std::move(tree));
}

std::unique_ptr<ArrayTree> npy_tree(const OpenRequest& request, const NpyFile& file) {
  auto tree = std::make_unique<ViewTree>(".npy");
  tree->put_numbers("array", {.real = file.array, .imaginary = {}, .owner = request.file});
  return tree;
}

std::unique_ptr<ArrayTree> view_tree(std::string container, OwnedArray samples, std::string path) {
  auto tree = std::make_unique<ViewTree>(std::move(container));
  tree->put_numbers(std::move(path), std::move(samples));
  return tree;
}

// Tree of the values of a pickle: keys of dicts and attributes of objects by name, items of lists by number; lists of
// numbers are arrays. Reader process.

namespace {

constexpr std::size_t kMostListed = 4096;  // items of a list other than numbers

class PickleArrays final : public MemoryTree {
 public:
  explicit PickleArrays(std::shared_ptr<const pickle::Tree> tree) : tree_(std::move(tree)) {
    container_ = "pickle";
    visit("", tree_->root, 0);
  }

 private:
  void put_list(const std::string& path, std::vector<double> values, const std::vector<std::size_t>& shape) {
    put({.path = path, .type = "number", .shape = shape, .numeric = true, .text = {}},
        array_of(std::move(values), shape));
  }

  [[nodiscard]] std::optional<double> number(const pickle::Value& value) const {
    if (const auto* const real = std::get_if<double>(&value)) return *real;
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return std::nullopt;
  }

  void items(const std::string& path, const std::vector<pickle::Ref>& refs, std::size_t depth) {
    std::vector<double> numbers;
    for (const pickle::Ref ref : refs)
      if (const auto found = number((*tree_)[ref])) numbers.push_back(*found);
    if (!refs.empty() && numbers.size() == refs.size()) {
      put_list(path, std::move(numbers), {refs.size()});
      return;
    }
    put({.path = path, .type = "list", .shape = {refs.size()}, .text = {}});
    if (stack(path, refs)) return;
    for (std::size_t k = 0; k < std::min(refs.size(), kMostListed); ++k)
      visit(path + "[" + std::to_string(k) + "]", refs[k], depth + 1);
  }

  // Joins a list of arrays of one shape and type into one array with an added axis.
  bool stack(const std::string& path, const std::vector<pickle::Ref>& refs) {
    const auto* const first = refs.empty() ? nullptr : std::get_if<ArrayView>(&(*tree_)[refs[0]]);
    if (refs.size() < 2 || first == nullptr || first->shape.empty() || first->order != MemoryOrder::c) return false;
    auto block = std::make_shared<std::vector<std::byte>>();
    for (const pickle::Ref ref : refs) {
      const auto* const one = std::get_if<ArrayView>(&(*tree_)[ref]);
      if (one == nullptr || one->shape != first->shape || !(one->type == first->type) || one->order != first->order)
        return false;
      total_ += one->bytes.size();
      if (total_ > (std::size_t{8} << 30)) return false;
      block->insert(block->end(), one->bytes.begin(), one->bytes.end());
    }
    ArrayView view = *first;
    view.shape.insert(view.shape.begin(), refs.size());
    view.bytes = *block;
    put_numbers(path + "[:]", {.real = view, .imaginary = {}, .owner = block});
    return true;
  }

  void named(const std::string& path, const pickle::Dict& dict, std::size_t depth) {
    for (const auto& [key, value] : dict.items) {
      const auto* const name = std::get_if<pickle::Text>(&(*tree_)[key]);
      if (name == nullptr) continue;
      const std::string word = printable(name->utf8.substr(0, name->utf8.find_first_of("./")), 60);
      visit(path.empty() ? word : path + "." + word, value, depth + 1);
    }
  }

  void visit(const std::string& path, pickle::Ref ref, std::size_t depth) {
    if (depth > kMaxTreeDepth) return;
    const pickle::Value& value = (*tree_)[ref];
    if (const auto found = number(value)) {
      put_list(path, {*found}, {});
    } else if (const auto* const view = std::get_if<ArrayView>(&value)) {
      put_numbers(path, {.real = *view, .imaginary = {}, .owner = tree_});
    } else if (const auto* const text = std::get_if<pickle::Text>(&value)) {
      put(text_entry(path, {}, text->utf8));
    } else if (const auto* const dict = std::get_if<pickle::Dict>(&value)) {
      put({.path = path, .type = "dict", .shape = {}, .text = {}});
      named(path, *dict, depth);
    } else if (const auto* const list = std::get_if<pickle::List>(&value)) {
      items(path, list->items, depth);
    } else if (const auto* const tuple = std::get_if<pickle::Tuple>(&value)) {
      items(path, tuple->items, depth);
    } else if (const auto* const object = std::get_if<pickle::Opaque>(&value)) {
      put({.path = path, .type = printable(object->name, 80), .shape = {}, .text = {}});
      if (object->state == pickle::kNoState) return;
      const pickle::Value& state = (*tree_)[object->state];
      if (const auto* const fields = std::get_if<pickle::Dict>(&state)) named(path, *fields, depth);
    }
  }

  std::shared_ptr<const pickle::Tree> tree_;
  std::size_t total_ = 0;  // bytes of stacked arrays
};

}  // namespace

std::unique_ptr<ArrayTree> pickle_tree(const OpenRequest&, std::shared_ptr<const pickle::Tree> tree) {
  return with_stacks(std::make_unique<PickleArrays>(std::move(tree)));
}

// Tree of the variables of a MATLAB file: v5 here, v7.3 as an HDF5 file unless it holds cells. Reader process.

namespace {

constexpr std::size_t kMostRows = 65'536;  // of a stacked array of structs

class MatlabTree final : public MemoryTree {
 public:
  MatlabTree(const OpenRequest& request, const MatFile& file) : what_(request.what()), file_(file) {
    container_ = file.container() == MatContainer::v5 ? "MATLAB v5" : "MATLAB v7.3";
    std::vector<std::string> nested;
    for (const MatVariable& variable : file.variables())
      if (!variable.numeric) nested.push_back(variable.name);
    if (!nested.empty()) {
      tree_ = std::make_unique<MatTree>(what_, request.path_to_open.string(), request.bytes().size(), nested,
                                        file.container());
    }
    for (const MatVariable& variable : file.variables())
      if (variable.numeric)
        put({.path = variable.name, .type = variable.kind, .shape = variable.dims, .numeric = true, .text = {}});
      else if (const MatNode* const node = tree_->find(variable.name))
        visit(variable.name, *node, 0);
  }

  [[nodiscard]] bool is_complex(std::size_t entry) const override { return !array(entry).imaginary.bytes.empty(); }

 protected:
  [[nodiscard]] OwnedArray array(std::size_t entry) const override {
    OwnedArray& known = arrays_.at(entry);
    if (known.real.bytes.empty()) known = file_.read_array(entries_[entry].path);  // a variable
    return known;
  }

 private:
  void visit(const std::string& path, const MatNode& node, std::size_t depth) {
    if (depth > kMaxTreeDepth) return;
    switch (node.kind) {
      case MatNode::Kind::numbers:
        put_numbers(path, {.real = node.numbers, .imaginary = node.imaginary, .owner = tree_->owner()});
        break;
      case MatNode::Kind::text:
        put(text_entry(path, node.dims, node.text));
        break;
      case MatNode::Kind::structure:
        put({.path = path, .type = "struct", .shape = node.dims, .text = {}});
        if (node.rows.size() == 1)
          for (const auto& [name, field] : node.rows[0]) visit(path + "." + name, field, depth + 1);
        else if (!node.rows.empty() && node.rows.size() <= kMostRows)
          for (const auto& [name, field] : node.rows[0]) stack(path + "." + name, node, name, field);
        break;
      case MatNode::Kind::cell:
        cell(path, node, depth);
        break;
      case MatNode::Kind::other:
        break;
    }
  }

  // Stacks a field of an array of structs: arrays joined as cells are, or, if each has the same number, one row each.
  void stack(const std::string& path, const MatNode& node, const std::string& name, const MatNode& first) {
    if (first.kind != MatNode::Kind::numbers) return;
    const std::size_t n = first.numbers.count();
    if (std::ranges::count_if(first.dims, [](std::size_t extent) { return extent > 1; }) > 1) {
      MatNode cell;
      cell.kind = MatNode::Kind::cell;
      for (const auto& row : node.rows)
        if (const auto found = row.find(name); found != row.end()) cell.cells.push_back(found->second);
      if (cell.cells.size() == node.rows.size()) join(path, cell);
      return;
    }
    if (!first.imaginary.bytes.empty()) return;
    if (n == 0 || n > (std::size_t{1} << 22) / node.rows.size()) return;
    std::vector<double> values;
    for (const auto& row : node.rows) {
      const auto found = row.find(name);
      if (found == row.end() || found->second.kind != MatNode::Kind::numbers || found->second.numbers.count() != n)
        return;
      for (std::size_t k = 0; k < n; ++k) values.push_back(found->second.numbers.real_at(k));
    }
    put_numbers(path, array_of(std::move(values), {node.rows.size(), n}));
  }

  void cell(const std::string& path, const MatNode& node, std::size_t depth) {
    put({.path = path, .type = "cell", .shape = node.dims, .text = {}});
    if (node.cells.size() > 1 && std::ranges::all_of(node.cells, [](const MatNode& one) {
          return one.kind == MatNode::Kind::structure && one.rows.size() == 1;
        })) {  // list of dictionaries as written by scipy
      MatNode list;
      list.kind = MatNode::Kind::structure;
      for (const MatNode& one : node.cells) list.rows.push_back(one.rows[0]);
      for (const auto& [name, field] : list.rows[0]) stack(path + "{:}." + name, list, name, field);
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(node.cells.size(), 8); ++k)
      visit(path + "{" + std::to_string(k + 1) + "}", node.cells[k], depth + 1);
    if (node.cells.size() > 1 && node.cells[0].kind == MatNode::Kind::numbers) join(path + "{:}", node);
  }

  void join(const std::string& path, const MatNode& cell) {
    try {
      put_numbers(path, join_recordings(what_, cell, tree_->owner()));
    } catch (const Error&) {  // cells other than such a list
    }
  }

  std::string what_;
  const MatFile& file_;
  std::unique_ptr<MatTree> tree_;
};

}  // namespace

std::unique_ptr<ArrayTree> mat_tree(const OpenRequest& request, const MatFile& file) {
  if (file.container() == MatContainer::v5) return with_stacks(std::make_unique<MatlabTree>(request, file));
  auto stored =
      hdf5_tree(request, hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size()),
                AxisCount::matlab);
  // Cells are read if they contain the samples: this reads the whole file.
  const bool nested = std::ranges::any_of(stored->entries(), [](const TreeEntry& e) { return e.type == "cell"; });
  if (nested && !guess_samples(*stored)) return with_stacks(std::make_unique<MatlabTree>(request, file));
  return stored;
}

// Tree of the datasets of an HDF5 file; for MATLAB v7.3 with axes in MATLAB's order. Reader process.

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
  // Reads into memory, as hyperslabs can neither split an axis nor subtract an offset.
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
      } catch (const Error&) {  // unsupported object
        put({.path = child_path, .type = "unreadable", .shape = {}, .text = {}});
      }
    }
  }

  // Adds numeric attributes of a group or dataset, named "@fs".
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
  std::vector<std::string> attributes_;  // name of the attribute per entry; empty: a group or dataset
};

}  // namespace

std::unique_ptr<ArrayTree> hdf5_tree(const OpenRequest& request, const Node& root, AxisCount count) {
  return with_stacks(std::make_unique<Hdf5Tree>(request, root, count));
}

}  // namespace echoloop
