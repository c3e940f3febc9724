// Facts of a recording from the names in a file, by the spellings of core/facts.h. Names are compared without case,
// underscores and groups; a unit may follow ("fs_MHz"). Internal to src/formats/import.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.h"

namespace echoloop {

struct NamedFact {
  FactId fact;
  std::size_t rank = 0;        // among the spellings of the fact; 0 is the clearest
  const Unit* unit = nullptr;  // from kUnits; null: none
};
inline bool in_unit(const Unit* unit, Quantity quantity) { return unit != nullptr && unit->quantity == quantity; }

// Returns the fact named by the last part of a path, as it is or without `prefix`; nullopt if unknown.
std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix = {});
// Returns the unit in a text for a fact, "MHz", "degrees", "um"; null: no unit, or one impossible for the fact.
const Unit* unit_of_text(std::string_view text, FactId fact);
std::string plain_name(std::string_view path);  // last part, lower case, letters and digits only
// Returns the common start of names of one file, including the samples, up to an underscore or a capital letter: "us_"
// for us_rf, us_fs and us_pitch; empty: none, or a word with a meaning ("tx_").
std::string common_prefix(const std::vector<std::string>& paths);

// Numbers in sentences. Internal to src/formats/import.

inline std::string exact_number(double value) {  // restores the same number
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  if (std::stod(text) != value) std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

inline std::string word(const std::string& text) { return text; }
inline std::string word(const char* text) { return text; }
inline std::string word(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}
inline std::string word(std::size_t value) { return std::to_string(value); }

template <class... Parts>
std::string words(const Parts&... parts) {
  return (std::string() + ... + word(parts));
}

}  // namespace echoloop
