// Variables of a MATLAB file as values, whatever the version of the container. Internal to src/formats.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
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
