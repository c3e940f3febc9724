#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.h"
#include "formats/containers/mat_file.h"

namespace echoloop {
namespace {

// Variables of a MATLAB v7.3 file with their whole content, by HDF5 itself (reason: mat_values.h).

using namespace mat73;
using hdf5::Node;

constexpr std::size_t kMaxMatText = 4096;
constexpr std::size_t kReferenceBytes = 8;   // size in the file; the referenced object is larger
constexpr std::size_t kMaxDeflation = 1032;  // of deflate
constexpr std::size_t kMostBytes = std::size_t{8} << 30;

// Follows references of cells and struct arrays to the depth of any real workspace, in number and bytes up to the limit
// of a file of `file_size`. Throws Error of one line.
class Mat73Builder {
 public:
  Mat73Builder(std::size_t file_size, std::string left)
      : left_(std::move(left)),
        references_left_(file_size / kReferenceBytes),
        bytes_left_(std::min(kMostBytes, kMaxDeflation * file_size)) {}

  MatNode variable(const std::string& name, const Node& object) {
    leaving_ = name == left_;
    return node(object);
  }

  std::vector<std::vector<std::byte>> blocks;

 private:
  MatNode node(const Node& object) {
    if (object.is_group()) return structure(object);
    const Outline outline = dataset_outline(object);
    MatNode node;
    node.dims = outline.dims;
    if (outline.number) {
      numbers(object, outline, node);
    } else if (outline.kind == "cell" || outline.kind == "references") {
      node.kind = MatNode::Kind::cell;
      follow(object, outline, [&](std::size_t, MatNode inside) { node.cells.push_back(std::move(inside)); });
    } else if (outline.kind == "char" || hdf5::type_text(hdf5::Id(H5Dget_type(object.id()))) == "text") {
      node.kind = MatNode::Kind::text;
      if (count(outline) > 0 && count(outline) <= kMaxMatText) node.text = object.text(kMaxMatText);
    }
    return node;
  }

  static std::size_t count(const Outline& outline) { return checked_bytes(outline.dims, 1).value_or(0); }

  template <class Take>
  void follow(const Node& dataset, const Outline& outline, Take&& take) {
    if (count(outline) == 0) return;  // {}
    dataset.each_target(references_left_, [&](std::size_t k, std::optional<Node> target) {
      if (references_left_-- == 0) throw Error(dataset.where(), "more references than the file can hold", kAccepted);
      take(k, target ? node(*target) : MatNode{});
    });
  }

  void numbers(const Node& dataset, const Outline& outline, MatNode& node) {
    if (count(outline) == 0) return;  // []
    node.kind = MatNode::Kind::numbers;
    if (leaving_ && outline.imaginary.empty()) {
      node.left_at = dataset.stored_path();
      node.numbers.shape = {0};
      return;
    }
    const auto read = [&](const std::string& member) {
      const auto size = checked_bytes(outline.dims, 8);
      if (!size || *size / 8 > bytes_left_)
        throw Error(dataset.where(), "more numbers than the file can hold", kAccepted);
      const ArrayView view = read_numbers(dataset, outline, member, blocks.emplace_back());
      if (view.bytes.size() > bytes_left_)
        throw Error(dataset.where(), "more numbers than the file can hold", kAccepted);
      bytes_left_ -= view.bytes.size();
      return view;
    };
    node.numbers = read(outline.real);
    if (!outline.imaginary.empty()) node.imaginary = read(outline.imaginary);
  }

  // Reads a struct: 1x1 contains its fields; in an array of them each field is references, one per element, no class.
  MatNode structure(const Node& group) {
    MatNode node;
    node.kind = MatNode::Kind::structure;
    node.dims = {1, 1};
    const std::vector<std::string> fields = members(group);
    std::vector<Outline> outlines;
    bool array = !fields.empty();
    for (const std::string& field : fields) {
      const Node member = group.at(field);
      outlines.push_back(member.is_dataset() ? dataset_outline(member) : Outline{});
      array = array && outlines.back().kind == "references" && outlines.back().dims == outlines.front().dims;
    }
    if (array) node.dims = outlines.front().dims;
    node.rows.resize(array ? std::min(count(outlines.front()), references_left_) : 1);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const Node member = group.at(fields[f]);
      if (!array) {
        node.rows[0].emplace(fields[f], variable(fields[f], member));
      } else {
        follow(member, outlines[f],
               [&](std::size_t k, MatNode inside) { node.rows.at(k).emplace(fields[f], std::move(inside)); });
      }
    }
    return node;
  }

  std::string left_;
  bool leaving_ = false;
  std::size_t references_left_, bytes_left_;
};

using matio::kUndamaged;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxNodes = 4'000'000;  // twice a workspace of 100 000 Receive structs of 20 fields

class Builder {
 public:
  explicit Builder(std::string what) : what_(std::move(what)) {}

  MatNode node(const matvar_t& v, int depth) {
    if (depth > kMaxDepth) throw Error(what_, "structs nested deeper than " + std::to_string(kMaxDepth), kUndamaged);
    if (++n_nodes_ > kMaxNodes) throw Error(what_, "more than " + std::to_string(kMaxNodes) + " values", kUndamaged);
    MatNode node;
    node.dims = matio::dims_of(what_, v);
    const std::size_t count = checked_bytes(node.dims, 1).value_or(std::numeric_limits<std::size_t>::max());
    if (v.class_type == MAT_C_STRUCT) {
      structure(v, count, depth, node);
    } else if (v.class_type == MAT_C_CELL) {
      cell(v, count, depth, node);
    } else if (v.class_type == MAT_C_CHAR) {
      text(v, count, node);
    } else if (matio::class_of(v).code[0] != '\0' && count > 0) {  // not []
      node.kind = MatNode::Kind::numbers;
      const OwnedArray array = matio::numbers_of(what_, v);
      node.numbers = array.real;
      node.imaginary = array.imaginary;
    }
    return node;
  }

 private:
  void structure(const matvar_t& v, std::size_t count, int depth, MatNode& node) {
    node.kind = MatNode::Kind::structure;
    auto* variable = const_cast<matvar_t*>(&v);  // matio's functions have no const parameters
    const unsigned n_fields = Mat_VarGetNumberOfFields(variable);
    char* const* names = Mat_VarGetStructFieldnames(variable);
    if (names == nullptr || n_fields == 0 || count == 0) return;
    if (count > kMaxNodes / n_fields || v.nbytes / sizeof(matvar_t*) < count * n_fields || v.data == nullptr)
      throw Error(what_, "a damaged struct", kUndamaged);
    node.rows.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (unsigned k = 0; k < n_fields; ++k) {
        const matvar_t* field = Mat_VarGetStructFieldByIndex(variable, k, i);
        if (field != nullptr && names[k] != nullptr) node.rows[i].emplace(names[k], this->node(*field, depth + 1));
      }
    }
  }

  void cell(const matvar_t& v, std::size_t count, int depth, MatNode& node) {
    node.kind = MatNode::Kind::cell;
    if (count > kMaxNodes || v.nbytes / sizeof(matvar_t*) < count || (count > 0 && v.data == nullptr))
      throw Error(what_, "a damaged cell array", kUndamaged);
    for (std::size_t i = 0; i < count; ++i) {
      const matvar_t* inside = Mat_VarGetCell(const_cast<matvar_t*>(&v), static_cast<int>(i));
      node.cells.push_back(inside == nullptr ? MatNode{} : this->node(*inside, depth + 1));
    }
  }

  static void text(const matvar_t& v, std::size_t count, MatNode& node) {
    node.kind = MatNode::Kind::text;
    constexpr std::size_t kMost = 4096;
    const auto width = static_cast<std::size_t>(v.data_size > 0 ? v.data_size : 1);
    if (v.data == nullptr || count > kMost || v.nbytes < count * width) return;
    for (std::size_t i = 0; i < count; ++i)  // low byte of each character
      node.text += static_cast<const char*>(v.data)[i * width];
  }

  std::string what_;
  std::size_t n_nodes_ = 0;
};

}  // namespace

MatTree::MatTree(const std::string& what, const std::string& path, std::size_t file_size,
                 const std::vector<std::string>& names, MatContainer container, std::string left) {
  if (container == MatContainer::hdf5) {
    const Node root = Node::open(what, path, file_size);
    Mat73Builder builder(file_size, std::move(left));
    for (const std::string& name : names)
      if (const auto variable = root.find(name)) variables_.emplace(name, builder.variable(name, *variable));
    owner_ = std::make_shared<const std::vector<std::vector<std::byte>>>(std::move(builder.blocks));
    return;
  }
  const matio::File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (file == nullptr) throw Error(what, "a damaged MATLAB file", kUndamaged);
  // Reads all variables in one pass: matio restarts at the beginning of the file for each variable requested by name,
  // which is slow for compressed arrays of structs.
  auto kept = std::make_shared<std::vector<matio::Variable>>();
  while (matio::Variable variable{Mat_VarReadNextInfo(file.get())}) {
    const std::string name = variable->name == nullptr ? "" : variable->name;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    matio::check_size(what + " (variable " + name + ")", *variable, file_size);
    kept->push_back(std::move(variable));
  }
  Builder builder(what);
  for (const matio::Variable& variable : *kept) {
    if (Mat_VarReadDataAll(file.get(), variable.get()) != 0) throw matio::unread(what, *variable);
    variables_.emplace(variable->name, builder.node(*variable, 0));
  }
  owner_ = kept;
}

void MatTree::unpack(std::string_view name) {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.rows.size() != 1) return;
  auto fields = std::move(found->second.rows[0]);
  variables_.erase(found);
  variables_.merge(fields);
}

void MatTree::join_structs(std::string_view name) {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.kind != MatNode::Kind::cell || found->second.cells.empty()) return;
  const auto is_structure = [](const MatNode& cell) { return cell.kind == MatNode::Kind::structure; };
  if (!std::ranges::all_of(found->second.cells, is_structure)) return;
  MatNode list;
  list.kind = MatNode::Kind::structure;
  for (MatNode& cell : found->second.cells) std::ranges::move(cell.rows, std::back_inserter(list.rows));
  list.dims = {1, list.rows.size()};
  found->second = std::move(list);
}

const MatNode* MatTree::find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

namespace {

constexpr const char* kCellLayout = "a cell for each transmit, time x element [x frame] of numbers of one type";
constexpr std::size_t kMaxCellBytes = std::size_t{8} << 30;

using CellBlock = std::vector<std::byte>;

// Joins one part (real or imaginary) of all cells, padded with zeros to the longest.
ArrayView join_part(const MatNode& cell, ArrayView MatNode::*part, const std::vector<std::size_t>& shape,
                    CellBlock& block) {
  const ArrayView& first = cell.cells.front().*part;
  const std::size_t item = first.type.bytes, rows = shape[0], n_cells = shape[2];
  block.resize(checked_bytes(shape, item).value());
  for (std::size_t k = 0; k < n_cells; ++k) {
    const ArrayView& from = cell.cells[k].*part;
    const std::size_t own_rows = cell.cells[k].dims[0], columns = shape[1];
    for (std::size_t line = 0; line < columns * shape[3]; ++line) {  // element fastest, then frame
      const std::size_t to = ((line / columns * n_cells + k) * columns + line % columns) * rows;
      std::memcpy(block.data() + to * item, from.bytes.data() + line * own_rows * item, own_rows * item);
    }
  }
  return {.type = first.type, .shape = shape, .order = MemoryOrder::fortran, .bytes = block};
}

}  // namespace

OwnedArray join_recordings(const std::string& what, const MatNode& cell, const std::shared_ptr<const void>& owner) {
  std::vector<std::size_t> shape;
  bool complex = false;
  for (std::size_t k = 0; k < cell.cells.size(); ++k) {
    const MatNode& node = cell.cells[k];
    std::vector<std::size_t> dims = node.dims;
    const bool numbers = node.kind == MatNode::Kind::numbers && dims.size() >= 2 && dims.size() <= 3;
    dims.resize(3, 1);
    if (k == 0) {
      shape = {dims[0], dims[1], cell.cells.size(), dims[2]};
      complex = !node.imaginary.bytes.empty();
    }
    if (!numbers || dims[1] != shape[1] || dims[2] != shape[3] || complex == node.imaginary.bytes.empty() ||
        node.numbers.type != cell.cells.front().numbers.type) {
      throw Error(what,
                  "cell " + std::to_string(k + 1) + " of shape " + shape_text(node.dims) + " after a cell of shape " +
                      shape_text(cell.cells.front().dims),
                  kCellLayout);
    }
    shape[0] = std::max(shape[0], dims[0]);
  }
  if (cell.cells.empty()) throw Error(what, "an empty cell array", kCellLayout);
  OwnedArray array;
  if (cell.cells.size() == 1) {
    array.real = cell.cells[0].numbers;
    array.imaginary = cell.cells[0].imaginary;
    array.owner = owner;
    return array;
  }
  const auto bytes = checked_bytes(shape, cell.cells[0].numbers.type.bytes);
  if (!bytes || *bytes > kMaxCellBytes)
    throw Error(what, "cells with a total of " + shape_text(shape) + " numbers", kCellLayout);
  struct Owner {
    CellBlock real, imaginary;
  };
  const auto joined = std::make_shared<Owner>();
  array.real = join_part(cell, &MatNode::numbers, shape, joined->real);
  if (complex) array.imaginary = join_part(cell, &MatNode::imaginary, shape, joined->imaginary);
  if (shape[3] == 1)
    for (ArrayView* view : {&array.real, &array.imaginary}) view->shape = {shape[0], shape[1], shape[2]};
  array.owner = joined;
  return array;
}

std::optional<MatField> join_rows(const MatNode& cell) {
  if (cell.kind != MatNode::Kind::cell || cell.cells.empty()) return std::nullopt;
  const std::size_t n_rows = cell.cells.size(), n = cell.cells.front().numbers.count();
  MatField field{.dims = {n_rows, n}, .values = std::vector<double>(n_rows * n)};
  for (std::size_t k = 0; k < n_rows; ++k) {
    const MatNode& row = cell.cells[k];
    if (row.kind != MatNode::Kind::numbers || row.numbers.count() != n) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) field.values[i * n_rows + k] = row.numbers.real_at(i);
  }
  return field;
}

}  // namespace echoloop
