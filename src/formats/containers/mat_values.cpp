#include "formats/containers/mat_values.h"

#include <algorithm>

#include "core/plain_text.h"
#include "formats/base/printable.h"

namespace echoloop {

std::string MatVariable::describe() const {
  std::string text = printable(name) + " (";
  for (std::size_t k = 0; k < dims.size(); ++k) text += (k > 0 ? "x" : "") + std::to_string(dims[k]);
  return text + " " + kind + ")";
}

const MatNode* MatNode::find(std::string_view field, std::size_t row) const {
  if (row >= rows.size()) return nullptr;
  const auto found = rows[row].find(field);
  return found == rows[row].end() ? nullptr : &found->second;
}

std::optional<double> MatNode::number(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  if (node == nullptr || node->kind != Kind::numbers || node->numbers.count() == 0) return std::nullopt;
  return node->numbers.real_at(0);
}

std::vector<double> MatNode::values(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  if (node == nullptr || node->kind != Kind::numbers) return {};
  std::vector<double> all(node->numbers.count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = node->numbers.real_at(i);
  return all;
}

std::string MatNode::words(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  return node == nullptr ? std::string() : node->text;
}

void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers) {
  MatField& field = fields[lower_case(std::move(name))];
  field.dims = numbers.shape;
  field.values.resize(numbers.count());
  for (std::size_t i = 0; i < field.values.size(); ++i) field.values[i] = numbers.real_at(i);
}

}  // namespace echoloop
