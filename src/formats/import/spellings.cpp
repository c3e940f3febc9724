#include "formats/import/spellings.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

// Returns true if the fact may have the unit: samples for delays only; wavelengths for lengths and delays.
bool may_have_unit(FactId fact, const Unit& unit) {
  if (unit.quantity == Quantity::samples) return fact == FactId("tx_delays_s");
  return unit.quantity != Quantity::wavelengths || (fact->traits & kInWaves) != 0;
}

std::string_view last_part(std::string_view path) {
  const std::size_t last = path.find_last_of("./@");
  return last == std::string_view::npos ? path : path.substr(last + 1);
}

std::optional<NamedFact> exact(std::string_view name) {
  std::optional<NamedFact> found;
  for (const FactRow& row : kFacts) {
    any_word(row.spellings, [&](std::string_view word, std::size_t rank) {
      if (word == name) found = {.fact = FactId(row), .rank = rank};
      return word == name;
    });
  }
  return found;
}

}  // namespace

std::string plain_name(std::string_view path) {
  std::string name;
  for (const char c : last_part(path)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return lower_case(std::move(name));
}

const Unit* unit_of_text(std::string_view text, FactId fact) {
  std::string name(text);
  std::erase_if(name, [](char c) { return std::string_view("[]() ").find(c) != std::string_view::npos; });
  const Unit* const unit = find_unit(name);
  return unit != nullptr && may_have_unit(fact, *unit) ? unit : nullptr;
}

std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix) {
  const std::string name = plain_name(path);
  std::optional<NamedFact> found = exact(name);
  for (const Unit& unit : kUnits) {
    if (found) return found;
    any_word(unit.spellings, [&](std::string_view ending, std::size_t) {
      if (name.ends_with(ending)) found = exact(std::string_view(name).substr(0, name.size() - ending.size()));
      if (found && !may_have_unit(found->fact, unit)) found.reset();
      return found.has_value();
    });
    if (found && unit.quantity != Quantity::plain) found->unit = &unit;
  }
  if (found) return found;
  const std::string_view last = last_part(path);
  if (!prefix.empty() && last.starts_with(prefix)) return named_fact(last.substr(prefix.size()));
  return std::nullopt;
}

std::string common_prefix(const std::vector<std::string>& paths) {
  constexpr std::ptrdiff_t kLeastShared = 3;
  constexpr std::string_view kMeaning[] = {"tx", "rx", "transmit", "receive", "element", "elem", "bf", "beam", "image"};
  for (const std::string& path : paths) {
    const std::string_view name = last_part(path);
    for (std::size_t at = 1; at + 1 < name.size(); ++at) {
      const bool underscore = name[at - 1] == '_';
      const bool capital = std::islower(static_cast<unsigned char>(name[at - 1])) != 0 &&
                           std::isupper(static_cast<unsigned char>(name[at])) != 0;
      if (!underscore && !capital) continue;
      const std::string_view prefix = name.substr(0, at);
      const auto samples = named_fact(name.substr(at));
      if (!samples || samples->fact != FactId("data") ||
          std::ranges::find(kMeaning, plain_name(prefix)) != std::end(kMeaning))
        continue;
      const auto shares = [&](const std::string& other) { return last_part(other).starts_with(prefix); };
      if (std::ranges::count_if(paths, shares) >= kLeastShared) return std::string(prefix);
    }
  }
  return {};
}

}  // namespace echoloop
