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
  return node == nullptr || node->kind != Kind::numbers ? std::vector<double>() : node->numbers.reals();
}

std::string MatNode::words(std::string_view field, std::size_t row) const {
  const MatNode* node = find(field, row);
  return node == nullptr ? std::string() : node->text;
}

void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers) {
  fields[lower_case(std::move(name))] = {.dims = numbers.shape, .values = numbers.reals()};
}

}  // namespace echoloop
