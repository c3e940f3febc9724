#include "core/source_properties.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::vector<std::string> words_of(const SourceProperty& property) {
  std::istringstream in{std::string(property.words)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

const SourceProperty* find_source_property(std::string_view name) {
  const auto* const found = std::ranges::find(kSourceProperties, name, &SourceProperty::name);
  return found == kSourceProperties.end() ? nullptr : found;
}

std::string accepted_text(const SourceProperty& property) {
  std::string text;
  for (const std::string& word : words_of(property)) text += (text.empty() ? "" : ", ") + word;
  if (property.least == property.most) return text;
  char range[64];
  std::snprintf(range, sizeof range, "%g to %g", property.least, property.most);
  return range;
}

void require_value(const SourceProperty& property, std::string_view value) {
  constexpr std::size_t kLongest = 200;
  const std::string name(property.name), text(value);
  if (property.words == "*") {
    const bool line = !value.empty() && value.size() <= kLongest && value.find_first_of("\n\r") == value.npos;
    if (!line) throw invalid_value(name, text.substr(0, kLongest), "a label or a number, on one line");
    return;
  }
  if (property.least == property.most) {
    if (std::ranges::count(words_of(property), value) == 0) throw invalid_value(name, text, accepted_text(property));
    return;
  }
  const auto number = finite_number(value);
  if (!number) throw invalid_value(name, text, "a number from " + accepted_text(property));
  if (*number < property.least || *number > property.most) throw out_of_range(name, text, accepted_text(property));
}

}  // namespace echoloop
