#include "history/uff_nodes.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

#include "history/part_file.h"

namespace echoloop::uff {
namespace {

[[noreturn]] void fail(const std::string& what) {
  const int error = errno;
  throw std::runtime_error(error == ENOSPC ? disk_error_text(error)
                           : error != 0    ? what + " (" + disk_error_text(error) + ")"
                                           : what);
}

Handle text_type(const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a type of text");
  check(H5Tset_size(type.get(), text.empty() ? 1 : text.size()), "a type of text");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "a type of text");
  return type;
}

void set_text_in(hid_t object, const char* attribute, const std::string& text, const Handle& space) {
  const Handle type = text_type(text);
  const Handle made(H5Acreate2(object, attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    attribute);
  check(H5Awrite(made.get(), type.get(), text.c_str()), attribute);
}

void set_size(hid_t object, std::array<double, 2> size) {
  const hsize_t two = 2;
  const Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose, "size");
  const Handle made(H5Acreate2(object, "size", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    "size");
  check(H5Awrite(made.get(), H5T_NATIVE_DOUBLE, size.data()), "size");
}

Handle make_described(const Node& node, const std::string& uff_class, double array, std::size_t n) {
  Handle group = make_group(node);
  set_text(group.get(), "class", uff_class);
  set_text(group.get(), "name", node.name);
  set_number(group.get(), "array", array);
  set_size(group.get(), {1.0, static_cast<double>(n)});
  return group;
}

}  // namespace

Handle::Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
  if (id < 0) fail(what);
}

void check(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

Handle make_group(const Node& node) {
  return {H5Gcreate2(node.parent, node.name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, node.name};
}

Handle make_object(const Node& node, const std::string& uff_class) { return make_described(node, uff_class, 0.0, 1); }

Handle make_array(const Node& node, const std::string& uff_class, std::size_t n) {
  return make_described(node, uff_class, 1.0, n);
}

std::string member_name(const std::string& array, std::size_t index) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "_%04zu", index + 1);
  return array + number.data();
}

void write_numbers(const Node& node, std::span<const float> values, std::vector<hsize_t> dims,
                   const std::string& matlab_class) {
  const Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose, node.name);
  const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, node.name);
  check(H5Pset_chunk(options.get(), static_cast<int>(dims.size()), dims.data()), node.name);
  const Handle set(
      H5Dcreate2(node.parent, node.name.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, options.get(), H5P_DEFAULT),
      H5Dclose, node.name);
  check(H5Dwrite(set.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), node.name);
  mark_numbers(set.get(), node.name, matlab_class);
}

void write_number(const Node& node, double value, const std::string& matlab_class) {
  const auto single = static_cast<float>(value);
  write_numbers(node, {&single, 1}, {1, 1}, matlab_class);
}

void write_string(const Node& node, const std::string& text) {
  const Handle type = text_type(text);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), node.name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, node.name);
  const Handle set(
      H5Dcreate2(node.parent, node.name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, node.name);
  check(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), node.name);
}

void mark_numbers(hid_t object, const std::string& name, const std::string& matlab_class) {
  set_text(object, "class", matlab_class);
  set_text(object, "name", name);
  set_number(object, "imaginary", 0.0);
  set_number(object, "complex", 0.0);
}

void set_text(hid_t object, const char* attribute, const std::string& text) {
  set_text_in(object, attribute, text, Handle(H5Screate(H5S_SCALAR), H5Sclose, attribute));
}

void set_texts(hid_t object, const char* attribute, const std::string& text) {
  const hsize_t one = 1;
  set_text_in(object, attribute, text, Handle(H5Screate_simple(1, &one, nullptr), H5Sclose, attribute));
}

void set_number(hid_t object, const char* attribute, double value) {
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose, attribute);
  const Handle made(H5Acreate2(object, attribute, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    attribute);
  check(H5Awrite(made.get(), H5T_NATIVE_DOUBLE, &value), attribute);
}

}  // namespace echoloop::uff
