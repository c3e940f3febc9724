// A MATLAB variable with all that is inside it: numbers, text, structs and arrays of them, cells. Internal to
// src/formats.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/array_view.h"

namespace echoloop {

struct MatNode {
  enum class Kind { numbers, text, structure, cell, other };

  Kind kind = Kind::other;
  std::vector<std::size_t> dims;
  ArrayView numbers;                                              // the real part
  ArrayView imaginary;                                            // as `numbers`; no bytes when they are real
  std::string text;                                               //
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

}  // namespace echoloop
