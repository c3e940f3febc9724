#include "formats/containers/matio_values.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "formats/base/memory_limit.h"

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

// Of the numbers in it, by its dimensions; of those in the cells of a cell array as well.
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
