// A MATLAB variable with all that is inside it: numbers, text, structs and arrays of them, cells. For workspaces, where
// everything is nested (Verasonics), and for cells. v5 to v7 by matio, v7.3 by mat73_tree.h: in the reader process
// only. Internal to src/formats.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mat_file.h"

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

class MatTree {
 public:
  // Reads the variables that `names` lists, those that there are. Throws Error on damaged files, and on structures
  // nested deeper or larger than any real workspace. `file_size` bounds what is believed of sizes.
  MatTree(const std::string& what, const std::string& path, std::size_t file_size,
          const std::vector<std::string>& names, MatContainer container);

  [[nodiscard]] const MatNode* find(std::string_view name) const;
  // Keeps the numbers alive.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::map<std::string, MatNode, std::less<>> variables_;
  std::shared_ptr<const void> owner_;
};

}  // namespace echoloop
