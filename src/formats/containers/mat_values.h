// Variables of a MATLAB file as values, whatever the version of the container. Internal to src/formats.
#pragma once

#include <matio.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"

namespace echoloop {

enum class MatContainer { v5, hdf5 };  // hdf5: v7.3

struct MatVariable {
  std::string name;
  std::string kind;  // "double", "uint8", "struct", "cell", ...
  std::vector<std::size_t> dims;
  bool numeric = false;
  std::vector<std::string> fields;  // struct only

  [[nodiscard]] std::string describe() const;  // "RF (334x128x32 double)"
};

struct MatField {
  std::vector<std::size_t> dims;
  std::vector<double> values;  // MATLAB order: first axis fastest
};

// A variable with all that is inside it: numbers, text, structs and arrays of them, cells.
struct MatNode {
  enum class Kind { numbers, text, structure, cell, other };

  Kind kind = Kind::other;
  std::vector<std::size_t> dims;
  ArrayView numbers;    // the real part
  ArrayView imaginary;  // as `numbers`; no bytes when they are real
  std::string left_at;  // path of numbers that were left in the file, of which `numbers` has none; empty: were not
  std::string text;
  std::vector<std::map<std::string, MatNode, std::less<>>> rows;  // structure: one an element, MATLAB order
  std::vector<MatNode> cells;                                     // cell: MATLAB order

  // A field of element `row`; null when this is no structure, or has no such element or field.
  [[nodiscard]] const MatNode* find(std::string_view field, std::size_t row = 0) const;
  // The first number of a field, if it holds any.
  [[nodiscard]] std::optional<double> number(std::string_view field, std::size_t row = 0) const;
  // All numbers of a field; empty when there are none.
  [[nodiscard]] std::vector<double> values(std::string_view field, std::size_t row = 0) const;
  [[nodiscard]] std::string words(std::string_view field, std::size_t row = 0) const;
};

// Adds a numeric field under its lower-case name: param's fields are not case-sensitive.
void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers);

}  // namespace echoloop

namespace echoloop::matio {

// What mat_file.cpp and mat_tree.cpp share of matio: handles, MATLAB's classes, and numbers whose sizes are checked.
// Includes matio.h: for these two only.

inline constexpr const char* kUndamaged = "an undamaged MATLAB file, v5 to v7.3";

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
using File = std::unique_ptr<mat_t, CloseFile>;

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

struct ClassName {
  matio_classes value;
  const char* name;
  const char* code;  // of parse_number_type(); "": no numbers
};
const ClassName& class_of(const matvar_t& variable);

// Each throws Error, naming `what`.
std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable);
// Of a variable that is not read yet: whether a file of `file_size` can hold so many numbers.
void check_size(const std::string& what, const matvar_t& variable, std::size_t file_size);
// Why the data of a variable could not be read: damaged, or larger than the memory that is left.
Error unread(const std::string& what, const matvar_t& variable);
// Of a variable that was read: views of its numbers, without an owner.
OwnedArray numbers_of(const std::string& what, const matvar_t& variable);

}  // namespace echoloop::matio

namespace echoloop::mat73 {

// MATLAB v7.3 files by HDF5 itself: MATLAB's class, shape and number type of the objects, and their numbers. Why not by
// matio: it takes a class attribute without a closing NUL (as h5py writes it) for none, and loses the fields of a
// struct without MATLAB_fields. Links that are not hard, data kept in other files and filters that are not built in are
// never followed. All throw Error of one line on a damaged file. Internal to src/formats.

inline constexpr const char* kAccepted = "an undamaged MATLAB v7.3 file";

struct Number {
  const char* name;
  const char* code;
  hid_t memory;  // a type of the library's own
};

struct Outline {
  std::string kind;               // MATLAB's word
  std::vector<std::size_t> dims;  // MATLAB's order
  std::optional<Number> number;
  std::string real, imaginary;  // members of a complex number; empty: real numbers
};

// Names of a group's members; MATLAB's own ("#refs#") are left out.
std::vector<std::string> members(const hdf5::Node& group);
bool has_attribute(const hdf5::Node& object, const char* name);
// MATLAB_class: "" when there is none.
std::string class_attribute(const hdf5::Node& object);
// A dataset's; `number` is empty for text, cells, objects and whatever else is no array of numbers.
Outline dataset_outline(const hdf5::Node& dataset);

// Reads the numbers into `block`, which the view points into. `member`: that part of complex ones, empty for others.
ArrayView read_numbers(const hdf5::Node& dataset, const Outline& outline, const std::string& member,
                       std::vector<std::byte>& block);

// Of a file with that root.
std::vector<MatVariable> variables(const hdf5::Node& root);
OwnedArray read_array(const hdf5::Node& root, const std::string& name);

}  // namespace echoloop::mat73
