#include "core/source_properties.h"

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"

namespace echoloop {

const SourceProperty* find_source_property(std::string_view name) {
  const auto* const found = std::ranges::find(kSourceProperties, name, &SourceProperty::name);
  return found == kSourceProperties.end() ? nullptr : found;
}

std::string accepted_text(const SourceProperty& property) {
  std::string text;
  any_word(property.words, [&text](std::string_view word, std::size_t) {
    text += (text.empty() ? "" : ", ") + std::string(word);
    return false;
  });
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
    const bool known = any_word(property.words, [&](std::string_view word, std::size_t) { return word == value; });
    if (!known) throw invalid_value(name, text, accepted_text(property));
    return;
  }
  const auto number = finite_number(value);
  if (!number) throw invalid_value(name, text, "a number from " + accepted_text(property));
  if (*number < property.least || *number > property.most) throw out_of_range(name, text, accepted_text(property));
}

}  // namespace echoloop
