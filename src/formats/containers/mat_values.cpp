#include "formats/containers/mat_values.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "core/units.h"
#include "formats/base/mapping.h"

namespace echoloop {

std::string MatVariable::describe() const {
  std::string text = printable(name) + " (";
  for (std::size_t k = 0; k < dims.size(); ++k) text += (k > 0 ? "x" : "") + std::to_string(dims[k]);
  return text + " " + kind + ")";
}

const MatNode* MatNode::find(std::string_view field, std::size_t row) const {
  if (row >= rows.size()) return nullptr;
  const auto found = rows[row].find(field);
  return found == rows[row].end() ? nullptr : &found->second;
}

std::optional<double> MatNode::number(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  if (node == nullptr || node->kind != Kind::numbers || node->numbers.count() == 0) return std::nullopt;
  return node->numbers.real_at(0);
}

std::vector<double> MatNode::values(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  return node == nullptr || node->kind != Kind::numbers ? std::vector<double>() : node->numbers.reals();
}

std::string MatNode::words(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  return node == nullptr ? std::string() : node->text;
}

void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers) {
  fields[lower_case(std::move(name))] = {.dims = numbers.shape, .values = numbers.reals()};
}

}  // namespace echoloop

namespace echoloop::matio {
namespace {

constexpr std::size_t kMaxAxes = 16;
// Maximum expansion: a number needs 1/1032 byte or more (deflate, gzip) and at most 16 bytes as a complex double.
constexpr std::size_t kMaxExpansion = 1032 * 16;

constexpr ClassName kClasses[] = {
    {MAT_C_DOUBLE, "double", "f8"},   {MAT_C_SINGLE, "single", "f4"}, {MAT_C_INT8, "int8", "i1"},
    {MAT_C_UINT8, "uint8", "u1"},     {MAT_C_INT16, "int16", "i2"},   {MAT_C_UINT16, "uint16", "u2"},
    {MAT_C_INT32, "int32", "i4"},     {MAT_C_UINT32, "uint32", "u4"}, {MAT_C_INT64, "int64", "i8"},
    {MAT_C_UINT64, "uint64", "u8"},   {MAT_C_STRUCT, "struct", ""},   {MAT_C_CELL, "cell", ""},
    {MAT_C_CHAR, "char", ""},         {MAT_C_SPARSE, "sparse", ""},   {MAT_C_OBJECT, "object", ""},
    {MAT_C_FUNCTION, "function", ""}, {MAT_C_OPAQUE, "opaque", ""},   {MAT_C_EMPTY, "empty", ""}};

// Returns a view of `part`: variable.data, or one of the two parts of a complex one.
ArrayView view_of(const std::string& what, const matvar_t& variable, const void* part) {
  const auto type = parse_number_type(class_of(variable).code, '<');
  auto dims = dims_of(what, variable);
  const auto size = type ? checked_bytes(dims, type->bytes) : std::nullopt;
  if (!type || !size || part == nullptr || *size == 0 || variable.data_size != static_cast<int>(type->bytes) ||
      variable.nbytes < *size) {
    throw Error(
        what, "damaged or empty data in variable '" + std::string(variable.name == nullptr ? "" : variable.name) + "'",
        kUndamaged);
  }
  return {.type = *type,
          .shape = std::move(dims),
          .order = MemoryOrder::fortran,
          .bytes = {static_cast<const std::byte*>(part), *size}};
}

// Returns the bytes of the numbers in a variable, by its dimensions; including those in the cells of a cell array.
std::size_t bytes_in(const std::string& what, const matvar_t& variable, int depth) {
  constexpr int kMostDepth = 8;
  const std::vector<std::size_t> dims = dims_of(what, variable);
  if (variable.class_type == MAT_C_CELL && variable.data != nullptr && depth < kMostDepth) {
    const std::size_t n = std::min(checked_bytes(dims, 1).value_or(0), variable.nbytes / sizeof(matvar_t*));
    std::size_t sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const matvar_t* const cell = static_cast<matvar_t* const*>(variable.data)[k];
      if (cell != nullptr) sum += bytes_in(what, *cell, depth + 1);
    }
    return sum;
  }
  const auto type = parse_number_type(class_of(variable).code, '<');
  const std::size_t parts = variable.isComplex != 0 ? 2 : 1;
  return type ? checked_bytes(dims, parts * type->bytes).value_or(0) : 0;
}

}  // namespace

const ClassName& class_of(const matvar_t& variable) {
  for (const ClassName& entry : kClasses)
    if (entry.value == variable.class_type) return entry;
  return kClasses[std::size(kClasses) - 1];
}

std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable) {
  if (variable.rank < 0 || static_cast<std::size_t>(variable.rank) > kMaxAxes ||
      (variable.rank > 0 && variable.dims == nullptr))
    throw Error(what, "a MATLAB variable of " + std::to_string(variable.rank) + " axes", kUndamaged);
  return {variable.dims, variable.dims + variable.rank};
}

void check_size(const std::string& what, const matvar_t& variable, std::size_t file_size) {
  const std::vector<std::size_t> shape = dims_of(what, variable);
  const auto size = checked_bytes(shape, 16);
  if (!size || *size / kMaxExpansion > file_size) {
    throw Error(what,
                "an array of shape " + shape_text(shape) + " in a file of " + std::to_string(file_size) + " bytes",
                kUndamaged);
  }
}

Error unread(const std::string& what, const matvar_t& variable) {
  const std::string named = std::string("variable ") + (variable.name == nullptr ? "" : variable.name);
  const std::size_t bytes = bytes_in(what, variable, 0);
  const std::unique_ptr<std::byte[]> tried(new (std::nothrow) std::byte[std::max<std::size_t>(bytes, 1)]);
  if (tried != nullptr) return {what, "a damaged " + named, kUndamaged};
  return {what,
          named + " of " + std::to_string(bytes >> 20) + " MiB, more than the reader process may allocate (" +
              std::to_string(memory_limit() >> 20) + " MiB)",
          "more free memory, or a variable saved in parts"};
}

OwnedArray numbers_of(const std::string& what, const matvar_t& variable) {
  OwnedArray array;
  if (variable.isComplex == 0) {
    array.real = view_of(what, variable, variable.data);
    return array;
  }
  const auto* const parts = static_cast<const mat_complex_split_t*>(variable.data);
  array.real = view_of(what, variable, parts == nullptr ? nullptr : parts->Re);
  array.imaginary = view_of(what, variable, parts == nullptr ? nullptr : parts->Im);
  return array;
}

}  // namespace echoloop::matio

namespace echoloop::mat73 {
namespace {

using hdf5::Id;
using hdf5::Node;

constexpr std::size_t kMaxStructMembers = 4096;
constexpr std::size_t kMaxBytes = std::size_t{8} << 30;

std::optional<Number> number_of(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (!hdf5::is_plain_number(type)) return std::nullopt;
  if (kind == H5T_FLOAT && size <= 4) return Number{"single", "f4", H5T_IEEE_F32LE};
  if (kind == H5T_FLOAT) return Number{"double", "f8", H5T_IEEE_F64LE};
  if (kind != H5T_INTEGER) return std::nullopt;
  const bool sign = H5Tget_sign(type) != H5T_SGN_NONE;
  if (size == 1) return sign ? Number{"int8", "i1", H5T_STD_I8LE} : Number{"uint8", "u1", H5T_STD_U8LE};
  if (size == 2) return sign ? Number{"int16", "i2", H5T_STD_I16LE} : Number{"uint16", "u2", H5T_STD_U16LE};
  if (size <= 4) return sign ? Number{"int32", "i4", H5T_STD_I32LE} : Number{"uint32", "u4", H5T_STD_U32LE};
  return sign ? Number{"int64", "i8", H5T_STD_I64LE} : Number{"uint64", "u8", H5T_STD_U64LE};
}

// Sets the members of a complex number: {real, imag} as written by MATLAB, or {r, i} as by h5py.
void set_complex(hid_t type, Outline& outline) {
  for (const auto& [real, imaginary] : {std::pair{"real", "imag"}, std::pair{"r", "i"}}) {
    const int re = H5Tget_member_index(type, real), im = H5Tget_member_index(type, imaginary);
    if (re < 0 || im < 0) continue;
    const Id part(H5Tget_member_type(type, static_cast<unsigned>(re)));
    const Id other(H5Tget_member_type(type, static_cast<unsigned>(im)));
    if (H5Tequal(part, other) <= 0) return;
    outline.number = number_of(part);
    outline.real = real;
    outline.imaginary = imaginary;
    return;
  }
}

}  // namespace

std::vector<std::string> members(const Node& group) {
  std::vector<std::string> names = group.children();
  std::erase_if(names, [](const std::string& name) { return name.starts_with('#'); });
  if (names.size() > kMaxStructMembers) throw Error(group.where(), "too many variables", kAccepted);
  return names;
}

bool has_attribute(const Node& object, const char* name) { return H5Aexists(object.id(), name) > 0; }

std::string class_attribute(const Node& object) {
  return object.text_attribute("MATLAB_class").value_or(std::string());
}

Outline dataset_outline(const Node& dataset) {
  const Id type(H5Dget_type(dataset.id()));
  const std::vector<std::size_t> extents = dataset.extents();
  if (!type.valid()) throw Error(dataset.where(), "a damaged variable", kAccepted);
  Outline outline{.kind = class_attribute(dataset),
                  .dims = {extents.rbegin(), extents.rend()},
                  .number = {},
                  .real = {},
                  .imaginary = {}};
  while (outline.dims.size() < 2) outline.dims.insert(outline.dims.begin(), 1);
  if (has_attribute(dataset, "MATLAB_empty")) {
    if (dataset.number_attribute("MATLAB_empty").value_or(1.0) != 0.0) outline.dims = {0, 0};
  }
  const bool other = outline.kind == "char" || outline.kind == "cell" || outline.kind == "function_handle" ||
                     has_attribute(dataset, "MATLAB_object_decode");
  if (!other && H5Tget_class(type) == H5T_COMPOUND) set_complex(type, outline);
  if (!other && H5Tget_class(type) != H5T_COMPOUND) outline.number = number_of(type);
  if (outline.number) outline.kind = outline.number->name;
  if (outline.kind.empty()) outline.kind = H5Tget_class(type) == H5T_REFERENCE ? "references" : "unknown";
  return outline;
}

ArrayView read_numbers(const Node& dataset, const Outline& outline, const std::string& member,
                       std::vector<std::byte>& block) {
  const std::string what = dataset.where();
  const auto type = parse_number_type(outline.number->code, '<');
  const std::size_t bytes = type ? checked_bytes(outline.dims, type->bytes).value_or(0) : 0;
  const Id stored(H5Dget_type(dataset.id()));
  const auto stored_bytes = checked_bytes(outline.dims, H5Tget_size(stored));
  if (!stored_bytes || bytes == 0 || bytes > kMaxBytes)
    throw Error(what, "an array of shape " + shape_text(outline.dims), kAccepted);
  static_cast<void>(dataset.storage(*stored_bytes));
  block.resize(bytes);
  const Id part(member.empty() ? hid_t{-1} : H5Tcreate(H5T_COMPOUND, type->bytes));
  if (part.valid()) H5Tinsert(part, member.c_str(), 0, outline.number->memory);
  const hid_t memory = member.empty() ? outline.number->memory : static_cast<hid_t>(part);
  if (H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, block.data()) < 0)
    throw Error(what, "damaged data", kAccepted);
  return {.type = *type, .shape = outline.dims, .order = MemoryOrder::fortran, .bytes = block};
}

std::vector<MatVariable> variables(const Node& root) {
  std::vector<MatVariable> found;
  for (const std::string& name : members(root)) {
    const Node object = root.at(name);
    if (object.is_dataset()) {
      const Outline outline = dataset_outline(object);
      found.push_back({name, outline.kind, outline.dims, outline.number.has_value(), {}});
    } else if (object.is_group()) {
      MatVariable variable{name, class_attribute(object), {1, 1}, false, members(object)};
      if (variable.kind.empty()) variable.kind = "struct";
      if (has_attribute(object, "MATLAB_sparse")) variable.kind = "sparse";
      if (!variable.fields.empty()) {  // struct array: its fields are references, of its shape
        const Node first = object.at(variable.fields[0]);
        const Outline outline = first.is_dataset() ? dataset_outline(first) : Outline{};
        if (outline.kind == "references") variable.dims = outline.dims;
      }
      found.push_back(std::move(variable));
    }
  }
  return found;
}

OwnedArray read_array(const Node& root, const std::string& name) {
  const Node object = root.at(name);
  if (!object.is_dataset()) throw Error(object.where(), "no array", kAccepted);
  const Outline outline = dataset_outline(object);
  if (!outline.number) throw Error(object.where(), "no numbers", kAccepted);
  struct Owner {
    std::vector<std::byte> real, imaginary;
  };
  const auto owner = std::make_shared<Owner>();
  OwnedArray array;
  array.real = read_numbers(object, outline, outline.real, owner->real);
  if (!outline.imaginary.empty()) array.imaginary = read_numbers(object, outline, outline.imaginary, owner->imaginary);
  array.owner = owner;
  return array;
}

}  // namespace echoloop::mat73
