// The objects of a MATLAB v7.3 file: MATLAB's class, shape and number type of a dataset.
// Includes hdf5.h: only for mat73.cpp and mat73_outline.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"

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
using Block = std::shared_ptr<std::vector<std::byte>>;
ArrayView read_numbers(const hdf5::Node& dataset, const Outline& outline, const std::string& member,
                       const Block& block);

}  // namespace echoloop::mat73
