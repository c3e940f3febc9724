#include "formats/containers/mat73.h"

#include <utility>

#include "core/error.h"

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
      if (!variable.fields.empty()) {  // the fields of a struct array are references, and of its shape
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
