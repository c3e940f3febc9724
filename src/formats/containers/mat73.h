// MATLAB v7.3 files by HDF5 itself: MATLAB's class, shape and number type of the objects, and their numbers. Why not by
// matio: it takes a class attribute without a closing NUL (as h5py writes it) for none, and loses the fields of a
// struct without MATLAB_fields. Links that are not hard, data kept in other files and filters that are not built in are
// never followed. All throw Error of one line on a damaged file. Internal to src/formats.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_values.h"

namespace echoloop::mat73 {

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
