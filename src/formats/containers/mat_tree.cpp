#include "formats/containers/mat_tree.h"

#include <matio.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/error.h"
#include "formats/containers/mat73_tree.h"

namespace echoloop {
namespace {

constexpr const char* kMatFile = "an undamaged MATLAB file, v5 to v7.3";
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxNodes = 4'000'000;  // a workspace of 100 000 Receive structs of 20 fields, twice over
constexpr std::size_t kMaxAxes = 8;
constexpr std::size_t kMaxExpansion = 1032 * 16;  // of a number of the file, deflated

struct Close {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct Free {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, Free>;

const char* code_of(matio_classes type) {
  switch (type) {
    case MAT_C_DOUBLE:
      return "f8";
    case MAT_C_SINGLE:
      return "f4";
    case MAT_C_INT8:
      return "i1";
    case MAT_C_UINT8:
      return "u1";
    case MAT_C_INT16:
      return "i2";
    case MAT_C_UINT16:
      return "u2";
    case MAT_C_INT32:
      return "i4";
    case MAT_C_UINT32:
      return "u4";
    case MAT_C_INT64:
      return "i8";
    case MAT_C_UINT64:
      return "u8";
    default:
      return nullptr;
  }
}

class Builder {
 public:
  explicit Builder(std::string what) : what_(std::move(what)) {}

  MatNode node(const matvar_t& v, int depth) {
    if (depth > kMaxDepth) throw Error(what_, "structs nested deeper than " + std::to_string(kMaxDepth), kMatFile);
    if (++n_nodes_ > kMaxNodes) throw Error(what_, "more than " + std::to_string(kMaxNodes) + " values", kMatFile);
    MatNode node;
    node.dims = dims(v);
    const std::size_t count = checked_bytes(node.dims, 1).value_or(std::numeric_limits<std::size_t>::max());
    if (v.class_type == MAT_C_STRUCT) {
      structure(v, count, depth, node);
    } else if (v.class_type == MAT_C_CELL) {
      cell(v, count, depth, node);
    } else if (v.class_type == MAT_C_CHAR) {
      text(v, count, node);
    } else if (const char* code = code_of(v.class_type)) {
      numbers(v, code, node);
    }
    return node;
  }

 private:
  std::vector<std::size_t> dims(const matvar_t& v) const {
    if (v.rank < 0 || static_cast<std::size_t>(v.rank) > kMaxAxes || (v.rank > 0 && v.dims == nullptr))
      throw Error(what_, "a MATLAB variable of " + std::to_string(v.rank) + " axes", kMatFile);
    return {v.dims, v.dims + v.rank};
  }

  void structure(const matvar_t& v, std::size_t count, int depth, MatNode& node) {
    node.kind = MatNode::Kind::structure;
    auto* variable = const_cast<matvar_t*>(&v);  // matio's readers take no const
    const unsigned n_fields = Mat_VarGetNumberOfFields(variable);
    char* const* names = Mat_VarGetStructFieldnames(variable);
    if (names == nullptr || n_fields == 0 || count == 0) return;
    if (count > kMaxNodes / n_fields || v.nbytes / sizeof(matvar_t*) < count * n_fields || v.data == nullptr)
      throw Error(what_, "a damaged struct", kMatFile);
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
      throw Error(what_, "a damaged cell array", kMatFile);
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
    for (std::size_t i = 0; i < count; ++i) {  // the low byte of each character
      node.text += static_cast<const char*>(v.data)[i * width];
    }
  }

  void numbers(const matvar_t& v, const char* code, MatNode& node) const {
    const auto type = parse_number_type(code, code[1] == '1' ? '|' : '<');
    const auto size = type ? checked_bytes(node.dims, type->bytes) : std::nullopt;
    const void* data = v.data;
    const void* imaginary = nullptr;
    if (v.isComplex != 0 && data != nullptr) {
      imaginary = static_cast<const mat_complex_split_t*>(data)->Im;
      data = static_cast<const mat_complex_split_t*>(data)->Re;
    }
    if (size == std::size_t{0}) return;  // []
    if (!size || data == nullptr || v.nbytes < *size) throw Error(what_, "damaged numbers", kMatFile);
    node.kind = MatNode::Kind::numbers;
    node.numbers = {.type = *type,
                    .shape = node.dims,
                    .order = MemoryOrder::fortran,
                    .bytes = {static_cast<const std::byte*>(data), *size}};
    if (imaginary == nullptr) return;
    node.imaginary = node.numbers;
    node.imaginary.bytes = {static_cast<const std::byte*>(imaginary), *size};
  }

  std::string what_;
  std::size_t n_nodes_ = 0;
};

// Bytes that the numbers of a variable take before they are read; structs and cells: of what is inside.
void check_sizes(const std::string& what, const matvar_t& v, std::size_t file_size) {
  if (v.rank < 0 || static_cast<std::size_t>(v.rank) > kMaxAxes || (v.rank > 0 && v.dims == nullptr))
    throw Error(what, "a damaged variable", kMatFile);
  const std::vector<std::size_t> shape(v.dims, v.dims + v.rank);
  const auto size = checked_bytes(shape, 16);
  if (!size || *size / kMaxExpansion > file_size)
    throw Error(what,
                "an array of shape " + shape_text(shape) + " in a file of " + std::to_string(file_size) + " bytes",
                kMatFile);
}

}  // namespace

MatTree::MatTree(const std::string& what, const std::string& path, std::size_t file_size,
                 const std::vector<std::string>& names, MatContainer container) {
  if (container == MatContainer::hdf5) {
    Mat73Tree tree = read_mat73_tree(what, path, file_size, names);
    variables_ = std::move(tree.variables);
    owner_ = std::move(tree.owner);
    return;
  }
  const std::unique_ptr<mat_t, Close> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (file == nullptr) throw Error(what, "a damaged MATLAB file", kMatFile);
  // One pass through the file: matio starts at its beginning for each variable that it is asked for by name, and takes
  // long for compressed arrays of structs on its way.
  auto kept = std::make_shared<std::vector<Variable>>();
  while (Variable variable{Mat_VarReadNextInfo(file.get())}) {
    const std::string name = variable->name == nullptr ? "" : variable->name;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    check_sizes(what + " (variable " + name + ")", *variable, file_size);
    kept->push_back(std::move(variable));
  }
  Builder builder(what);
  for (const Variable& variable : *kept) {
    if (Mat_VarReadDataAll(file.get(), variable.get()) != 0)
      throw Error(what, std::string("a damaged variable ") + variable->name, kMatFile);
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

}  // namespace echoloop
