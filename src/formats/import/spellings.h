// What the names in a file say of its recording, by the spellings of core/facts.h. A name counts without its case,
// underscores and the groups that it lies in; a unit may follow it ("fs_MHz"). Internal to src/formats/import.
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
  const Unit* unit = nullptr;  // of kUnits; null: none
};
inline bool in_unit(const Unit* unit, Quantity quantity) { return unit != nullptr && unit->quantity == quantity; }

// What the last part of a path says, as it is or without `prefix`; nothing when it is no known spelling.
std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix = {});
// What a text beside a fact says, "MHz", "degrees", "um"; null: no unit, or one that the fact cannot have.
const Unit* unit_of_text(std::string_view text, FactId fact);
std::string plain_name(std::string_view path);  // its last part, lower case, letters and digits only
// What names of one file begin with, the samples among them, up to an underscore or a capital letter: "us_" of us_rf,
// us_fs and us_pitch; empty: nothing, or a word that says something ("tx_").
std::string common_prefix(const std::vector<std::string>& paths);

// Numbers in sentences. Internal to src/formats/import.

inline std::string exact_number(double value) {  // comes back as it was
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
