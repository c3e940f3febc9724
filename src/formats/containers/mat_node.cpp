#include "formats/containers/mat_node.h"

namespace echoloop {

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

}  // namespace echoloop
