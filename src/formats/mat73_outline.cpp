#include "formats/mat73_outline.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "formats/reader.h"

namespace echoloop::mat73 {
namespace {

constexpr std::size_t kMaxLinks = 4096;

std::optional<Number> number_of(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT && size <= 4) return Number{"single", "f4", H5T_IEEE_F32LE};
  if (kind == H5T_FLOAT) return Number{"double", "f8", H5T_IEEE_F64LE};
  if (kind != H5T_INTEGER || size > 8) return std::nullopt;
  const bool sign = H5Tget_sign(type) != H5T_SGN_NONE;
  if (size == 1) return sign ? Number{"int8", "i1", H5T_STD_I8LE} : Number{"uint8", "u1", H5T_STD_U8LE};
  if (size == 2) return sign ? Number{"int16", "i2", H5T_STD_I16LE} : Number{"uint16", "u2", H5T_STD_U16LE};
  if (size <= 4) return sign ? Number{"int32", "i4", H5T_STD_I32LE} : Number{"uint32", "u4", H5T_STD_U32LE};
  return sign ? Number{"int64", "i8", H5T_STD_I64LE} : Number{"uint64", "u8", H5T_STD_U64LE};
}

// {real, imag} as MATLAB writes it, or {r, i} as h5py does.
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

std::vector<std::string> hard_links(const std::string& what, hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t* info, void* list) -> herr_t {
    auto& all = *static_cast<std::vector<std::string>*>(list);
    const std::string_view text(name);
    if (all.size() > kMaxLinks || info->type != H5L_TYPE_HARD || text.starts_with('#')) return 0;
    if (text.find('/') == std::string_view::npos) all.emplace_back(text);
    return 0;
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0)
    throw Error(what, "a damaged list of variables", kAccepted);
  if (names.size() > kMaxLinks) throw Error(what, "too many variables", kAccepted);
  return names;
}

Id open_object(const std::string& what, hid_t group, const std::string& name) {
  H5L_info_t info;
  const bool hard = H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
  Id object(hard ? H5Oopen(group, name.c_str(), H5P_DEFAULT) : hid_t{-1});
  if (!object.valid()) throw Error(what, "a damaged variable '" + printable(name) + "'", kAccepted);
  return object;
}

bool has_attribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

std::string class_attribute(hid_t object) {
  if (!has_attribute(object, "MATLAB_class")) return {};
  const Id attribute(H5Aopen(object, "MATLAB_class", H5P_DEFAULT));
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Sget_simple_extent_npoints(space) != 1)
    return {};
  std::string text(H5Tget_size(type), '\0');
  if (text.empty() || text.size() > 256 || H5Aread(attribute, type, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Outline dataset_outline(const std::string& what, hid_t dataset) {
  const Id space(H5Dget_space(dataset)), type(H5Dget_type(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || static_cast<std::size_t>(rank) > kMaxAxes || !type.valid())
    throw Error(what, "a variable of " + std::to_string(rank) + " axes", kAccepted);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank) + 1);
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  extents.pop_back();
  Outline outline{.kind = class_attribute(dataset),
                  .dims = {extents.rbegin(), extents.rend()},
                  .number = {},
                  .real = {},
                  .imaginary = {}};
  while (outline.dims.size() < 2) outline.dims.insert(outline.dims.begin(), 1);
  if (has_attribute(dataset, "MATLAB_empty")) {
    std::uint8_t empty = 1;
    const Id attribute(H5Aopen(dataset, "MATLAB_empty", H5P_DEFAULT)), points(H5Aget_space(attribute));
    if (H5Sget_simple_extent_npoints(points) == 1) H5Aread(attribute, H5T_NATIVE_UINT8, &empty);
    if (empty != 0) outline.dims = {0, 0};
  }
  const bool other = outline.kind == "char" || outline.kind == "cell" || outline.kind == "function_handle" ||
                     has_attribute(dataset, "MATLAB_object_decode");
  if (!other && H5Tget_class(type) == H5T_COMPOUND) set_complex(type, outline);
  if (!other && H5Tget_class(type) != H5T_COMPOUND) outline.number = number_of(type);
  if (outline.number) outline.kind = outline.number->name;
  if (outline.kind.empty()) outline.kind = H5Tget_class(type) == H5T_REFERENCE ? "references" : "unknown";
  return outline;
}

}  // namespace echoloop::mat73
