// Variables of a MATLAB file as values, whatever the version of the container. Internal to src/formats.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/array_view.h"

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

struct MatArray {
  ArrayView real;
  ArrayView imaginary;  // same shape and type; no bytes when the array is real
  std::shared_ptr<const void> owner;
};

struct MatField {
  std::vector<std::size_t> dims;
  std::vector<double> values;  // MATLAB order: first axis fastest
};

// Adds a numeric field under its lower-case name: param's fields are not case-sensitive.
void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers);

}  // namespace echoloop
