// Variables of a MATLAB file as values, for all versions of the container. Internal to src/formats.
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

// A variable with its whole content: numbers, text, structs and arrays of them, cells.
struct MatNode {
  enum class Kind { numbers, text, structure, cell, other };

  Kind kind = Kind::other;
  std::vector<std::size_t> dims;
  ArrayView numbers;    // the real part
  ArrayView imaginary;  // as `numbers`; no bytes for real numbers
  std::string left_at;  // path of numbers left in the file, in which case `numbers` is empty; empty: none
  std::string text;
  std::vector<std::map<std::string, MatNode, std::less<>>> rows;  // structure: one per element, MATLAB order
  std::vector<MatNode> cells;                                     // cell: MATLAB order

  // Returns a field of element `row`; null if this is no structure, or has no such element or field.
  [[nodiscard]] const MatNode* find(std::string_view field, std::size_t row = 0) const;
  // Returns the first number of a field; nullopt if it has none.
  [[nodiscard]] std::optional<double> number(std::string_view field, std::size_t row = 0) const;
  // Returns all numbers of a field; empty if there are none.
  [[nodiscard]] std::vector<double> values(std::string_view field, std::size_t row = 0) const;
  [[nodiscard]] std::string words(std::string_view field, std::size_t row = 0) const;
};

// Adds a numeric field under its lower-case name: param's fields are not case-sensitive.
void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers);

}  // namespace echoloop

namespace echoloop::matio {

// matio helpers of mat_file.cpp and mat_tree.cpp: handles, MATLAB's classes, and numbers with checked sizes. Includes
// matio.h: for these two only.

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
  const char* code;  // for parse_number_type(); "": not numeric
};
const ClassName& class_of(const matvar_t& variable);

// These functions throw Error, naming `what`.
std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable);
// Throws Error unless a file of `file_size` bytes can contain the numbers of a variable that is not read yet.
void check_size(const std::string& what, const matvar_t& variable, std::size_t file_size);
// Returns the reason for a failed read of a variable: damaged, or larger than the available memory.
Error unread(const std::string& what, const matvar_t& variable);
// Returns views of the numbers of a variable that has been read, without an owner.
OwnedArray numbers_of(const std::string& what, const matvar_t& variable);

}  // namespace echoloop::matio

namespace echoloop::mat73 {

// MATLAB v7.3 files by HDF5 itself: MATLAB's class, shape and number type of the objects, and their numbers. Reason for
// not using matio: it ignores a class attribute without a closing NUL (as written by h5py), and loses the fields of a
// struct without MATLAB_fields. Links that are not hard, data in other files and unknown filters are never followed.
// All functions throw Error of one line on a damaged file. Internal to src/formats.

inline constexpr const char* kAccepted = "an undamaged MATLAB v7.3 file";

struct Number {
  const char* name;
  const char* code;
  hid_t memory;  // a predefined HDF5 type
};

struct Outline {
  std::string kind;               // MATLAB's class name
  std::vector<std::size_t> dims;  // MATLAB's axis order
  std::optional<Number> number;
  std::string real, imaginary;  // members of a complex number; empty: real numbers
};

// Returns the names of a group's members without MATLAB's own ("#refs#").
std::vector<std::string> members(const hdf5::Node& group);
bool has_attribute(const hdf5::Node& object, const char* name);
// Returns MATLAB_class; "" if there is none.
std::string class_attribute(const hdf5::Node& object);
// Returns a dataset's outline; `number` is empty for text, cells, objects and all else that is not numeric.
Outline dataset_outline(const hdf5::Node& dataset);

// Reads the numbers into `block`, to which the view refers. `member`: that part of complex ones, empty for others.
ArrayView read_numbers(const hdf5::Node& dataset, const Outline& outline, const std::string& member,
                       std::vector<std::byte>& block);

// Returns the variables of a file with that root.
std::vector<MatVariable> variables(const hdf5::Node& root);
OwnedArray read_array(const hdf5::Node& root, const std::string& name);

}  // namespace echoloop::mat73
