#include "formats/containers/mat_file.h"

#include <matio.h>
#if __has_include(<H5Epublic.h>)
#include <H5Epublic.h>
#endif

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "formats/base/printable.h"
#include "formats/containers/mat5_check.h"
#include "formats/containers/mat73.h"

namespace echoloop {
namespace {

constexpr const char* kWhole = "an undamaged MATLAB file, v5 to v7.3";
constexpr std::size_t kMaxVariables = 4096, kMaxFields = 4096, kMaxMatAxes = 16;
// A number of the file takes at least 1/1032 byte (deflate or gzip) and at most 16 bytes as a complex double.
constexpr std::size_t kMaxMatExpansion = 1032 * 16;

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using VariablePtr = std::unique_ptr<matvar_t, FreeVariable>;

void silence_libraries() {
  Mat_LogInitFunc("", [](int, auto*) {});
#if __has_include(<H5Epublic.h>)
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
#endif
}

std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable) {
  if (variable.rank < 0 || static_cast<std::size_t>(variable.rank) > kMaxMatAxes ||
      (variable.rank > 0 && variable.dims == nullptr)) {
    throw Error(what, "a MATLAB variable of " + std::to_string(variable.rank) + " axes", kWhole);
  }
  return {variable.dims, variable.dims + variable.rank};
}

struct ClassName {
  matio_classes value;
  const char* name;
  const char* code;
};
constexpr ClassName kClasses[] = {
    {MAT_C_DOUBLE, "double", "f8"},   {MAT_C_SINGLE, "single", "f4"}, {MAT_C_INT8, "int8", "i1"},
    {MAT_C_UINT8, "uint8", "u1"},     {MAT_C_INT16, "int16", "i2"},   {MAT_C_UINT16, "uint16", "u2"},
    {MAT_C_INT32, "int32", "i4"},     {MAT_C_UINT32, "uint32", "u4"}, {MAT_C_INT64, "int64", "i8"},
    {MAT_C_UINT64, "uint64", "u8"},   {MAT_C_STRUCT, "struct", ""},   {MAT_C_CELL, "cell", ""},
    {MAT_C_CHAR, "char", ""},         {MAT_C_SPARSE, "sparse", ""},   {MAT_C_OBJECT, "object", ""},
    {MAT_C_FUNCTION, "function", ""}, {MAT_C_OPAQUE, "opaque", ""},   {MAT_C_EMPTY, "empty", ""}};

const ClassName& class_of(const matvar_t& variable) {
  for (const ClassName& entry : kClasses) {
    if (entry.value == variable.class_type) return entry;
  }
  return kClasses[std::size(kClasses) - 1];
}

MatVariable outline(const std::string& what, matvar_t& variable) {
  const ClassName& type = class_of(variable);
  MatVariable result{.name = variable.name == nullptr ? "" : variable.name,
                     .kind = type.name,
                     .dims = dims_of(what, variable),
                     .numeric = type.code[0] != '\0',
                     .fields = {}};
  if (variable.class_type == MAT_C_STRUCT) {
    const unsigned n = Mat_VarGetNumberOfFields(&variable);
    char* const* const names = Mat_VarGetStructFieldnames(&variable);
    if (n > kMaxFields) throw Error(what, "a struct of " + std::to_string(n) + " fields", kWhole);
    for (unsigned k = 0; names != nullptr && k < n; ++k)
      result.fields.emplace_back(names[k] == nullptr ? "" : names[k]);
  }
  return result;
}

// The numbers of a variable that was read. `part` is variable.data or one of the two parts of a complex one.
ArrayView view_of(const std::string& what, const matvar_t& variable, const void* part) {
  const auto type = parse_number_type(class_of(variable).code, variable.data_size == 1 ? '|' : '<');
  auto dims = dims_of(what, variable);
  const auto size = type ? checked_bytes(dims, type->bytes) : std::nullopt;
  if (!type || !size || part == nullptr || *size == 0 || variable.data_size != static_cast<int>(type->bytes) ||
      variable.nbytes < *size) {
    throw Error(
        what, "damaged or empty data in variable '" + std::string(variable.name == nullptr ? "" : variable.name) + "'",
        kWhole);
  }
  return {.type = *type,
          .shape = std::move(dims),
          .order = MemoryOrder::fortran,
          .bytes = {static_cast<const std::byte*>(part), *size}};
}

}  // namespace

bool looks_like_mat(std::span<const std::byte> bytes) {
  if (bytes.size() < 128) return false;
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), 128);
  return start.starts_with("MATLAB 5.") || start.starts_with("MATLAB 7.");
}

struct MatFile::Handle {
  mat_t* file = nullptr;           // v5 to v7
  std::unique_ptr<Mat73> file_73;  // v7.3
};

MatFile::MatFile(const std::string& what, const std::string& path, std::span<const std::byte> bytes)
    : what_(what), file_size_(bytes.size()), handle_(std::make_unique<Handle>()) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  const bool hdf5 = bytes.size() > 520 && std::memcmp(bytes.data() + 512, kHdf5.data(), kHdf5.size()) == 0;
  if (!hdf5) check_mat5(what_, bytes);
  silence_libraries();
  if (hdf5) {
    handle_->file_73 = std::make_unique<Mat73>(what_, path, file_size_);
    variables_ = handle_->file_73->variables();
    if (variables_.empty()) throw Error(what_, "a MATLAB file without variables", kWhole);
    return;
  }
  handle_->file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
  const auto fail = [&](const std::string& found) {
    if (handle_->file != nullptr) Mat_Close(handle_->file);
    throw Error(what_, found, kWhole);
  };
  if (handle_->file == nullptr || Mat_GetVersion(handle_->file) == MAT_FT_MAT73) fail("a damaged MATLAB file");
  try {
    while (const VariablePtr variable{Mat_VarReadNextInfo(handle_->file)}) {
      if (variables_.size() >= kMaxVariables) throw Error(what_, "too many variables", kWhole);
      variables_.push_back(outline(what_, *variable));
    }
  } catch (...) {
    Mat_Close(handle_->file);
    throw;
  }
  if (variables_.empty()) fail("a MATLAB file without variables, or a damaged one");
}

MatFile::~MatFile() {
  silence_libraries();
  handle_->file_73.reset();
  if (handle_->file != nullptr) Mat_Close(handle_->file);
}

MatContainer MatFile::container() const { return handle_->file_73 ? MatContainer::hdf5 : MatContainer::v5; }

MatArray MatFile::read_array(const std::string& name) const {
  silence_libraries();
  if (handle_->file_73) return handle_->file_73->read_array(name);
  const std::string what = what_ + " (variable " + printable(name) + ")";
  VariablePtr variable{Mat_VarReadInfo(handle_->file, name.c_str())};
  if (!variable) throw Error(what, "a damaged variable", kWhole);
  const auto size = checked_bytes(dims_of(what, *variable), 16);
  if (!size || *size / kMaxMatExpansion > file_size_) {
    throw Error(what,
                "an array of shape " + shape_text(dims_of(what, *variable)) + " in a file of " +
                    std::to_string(file_size_) + " bytes",
                kWhole);
  }
  if (Mat_VarReadDataAll(handle_->file, variable.get()) != 0) throw Error(what, "damaged data", kWhole);
  MatArray array;
  if (variable->isComplex != 0) {
    const auto* const parts = static_cast<const mat_complex_split_t*>(variable->data);
    array.real = view_of(what, *variable, parts == nullptr ? nullptr : parts->Re);
    array.imaginary = view_of(what, *variable, parts == nullptr ? nullptr : parts->Im);
  } else {
    array.real = view_of(what, *variable, variable->data);
  }
  array.owner = std::shared_ptr<const void>(
      variable.release(), [](const void* owned) { Mat_VarFree(static_cast<matvar_t*>(const_cast<void*>(owned))); });
  return array;
}

}  // namespace echoloop
