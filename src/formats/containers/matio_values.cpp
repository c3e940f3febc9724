#include "formats/containers/matio_values.h"

#include <iterator>

#include "core/error.h"

namespace echoloop::matio {
namespace {

constexpr std::size_t kMaxAxes = 16;
// A number of the file takes at least 1/1032 byte (deflate or gzip) and at most 16 bytes as a complex double.
constexpr std::size_t kMaxExpansion = 1032 * 16;

constexpr ClassName kClasses[] = {
    {MAT_C_DOUBLE, "double", "f8"},   {MAT_C_SINGLE, "single", "f4"}, {MAT_C_INT8, "int8", "i1"},
    {MAT_C_UINT8, "uint8", "u1"},     {MAT_C_INT16, "int16", "i2"},   {MAT_C_UINT16, "uint16", "u2"},
    {MAT_C_INT32, "int32", "i4"},     {MAT_C_UINT32, "uint32", "u4"}, {MAT_C_INT64, "int64", "i8"},
    {MAT_C_UINT64, "uint64", "u8"},   {MAT_C_STRUCT, "struct", ""},   {MAT_C_CELL, "cell", ""},
    {MAT_C_CHAR, "char", ""},         {MAT_C_SPARSE, "sparse", ""},   {MAT_C_OBJECT, "object", ""},
    {MAT_C_FUNCTION, "function", ""}, {MAT_C_OPAQUE, "opaque", ""},   {MAT_C_EMPTY, "empty", ""}};

// `part`: variable.data, or one of the two parts of a complex one.
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

}  // namespace

const ClassName& class_of(const matvar_t& variable) {
  for (const ClassName& entry : kClasses) {
    if (entry.value == variable.class_type) return entry;
  }
  return kClasses[std::size(kClasses) - 1];
}

std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable) {
  if (variable.rank < 0 || static_cast<std::size_t>(variable.rank) > kMaxAxes ||
      (variable.rank > 0 && variable.dims == nullptr)) {
    throw Error(what, "a MATLAB variable of " + std::to_string(variable.rank) + " axes", kUndamaged);
  }
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
