#include "core/facts.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "core/error.h"
#include "core/source_properties.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::string lower(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += c;
  return lower_case(std::move(plain));
}

// The name most like `key`; empty when none is.
std::string_view nearest_name(std::string_view key, std::span<const std::string_view> names) {
  if (key.size() > 64) return {};
  const std::string wanted = lower(key);
  const std::string cased = lower_case(std::string(key));
  const std::string_view stem = without_unit(cased);
  std::string_view nearest;
  std::size_t least = wanted.size() <= 4 ? 2 : 3;  // fewer changes than that
  for (const std::string_view name : names) {
    const bool other_unit = stem.size() < cased.size() && stem == without_unit(name);
    const std::size_t distance = other_unit ? 1 : edit_distance(wanted, lower(name));
    if (distance < least) least = distance, nearest = name;
  }
  return nearest;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Without the marks of Markdown.
std::string unmarked(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != '`') plain += c;
  return plain;
}

// Lines of at most `width` characters, each behind `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

}  // namespace

const Unit* find_unit(std::string_view text) {
  constexpr std::size_t kAbbreviation = 3;  // letters, at most: "m" is no "ms"
  std::string name(text);
  for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc"})  // both signs, UTF-8
    if (const std::size_t at = name.find(micro); at != std::string::npos) name.replace(at, micro.size(), "u");
  name = lower_case(std::move(name));
  const auto* const found = std::ranges::find_if(kUnits, [&](const Unit& unit) {
    return any_word(unit.spellings, [&](std::string_view word, std::size_t) {
      return name == word || (name.size() > kAbbreviation && name + "s" == word);
    });
  });
  return found == std::end(kUnits) || found->quantity == Quantity::plain ? nullptr : found;
}

const Unit* unit_of_factor(double si, Quantity quantity) {
  const auto* const found = std::ranges::find_if(
      kUnits, [&](const Unit& unit) { return unit.quantity == quantity && std::abs(unit.si / si - 1.0) < 1e-6; });
  return found == std::end(kUnits) ? nullptr : found;
}

const FactRow* find_description_key(std::string_view key) {
  const auto found = std::ranges::find(description_keys(), key, &FactRow::key);
  return found == description_keys().end() ? nullptr : &*found;
}

const FactRow* nearest_description_key(std::string_view key) {
  std::vector<std::string_view> names;
  for (const FactRow& row : description_keys()) names.emplace_back(row.key);
  return find_description_key(nearest_name(key, names));
}

std::vector<const FactRow*> given_facts() {
  std::vector<const FactRow*> rows;
  for (const FactRow& row : kFacts)
    if (row.given.place > 0) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const FactRow* row) { return row->given.place; });
  return rows;
}

const FactRow* find_given(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kFacts, [&](const FactRow& row) { return row.given.place > 0 && name == row.name; });
  return found == std::end(kFacts) ? nullptr : found;
}

double fact_of(const Acquisition& a, const FactRow& row) {
  return row.member != nullptr ? a.*row.member : a.transmits.empty() ? 0.0 : a.transmits.front().t0_s;
}

// Throws Error if a number of `a` is outside the range of its row.
void require_facts(const Acquisition& a, const std::string& what) {
  for (const FactRow& row : kFacts) {
    if (row.member == nullptr) continue;
    const double value = a.*row.member;
    if (std::isfinite(value) && value >= row.range.least && value <= row.range.most) continue;
    throw out_of_range(what + ": " + row.range.of, text_of(value), row.range.text);
  }
}

void set_fact(Acquisition& a, const FactRow& row, double si) {
  if (row.member != nullptr) {
    a.*row.member = si;
    return;
  }
  const double first_s = fact_of(a, row);  // what the transmits differ by is known
  for (Transmit& t : a.transmits) t.t0_s = si + (t.t0_s - first_s);
}

namespace {

constexpr double kMostCenter = 2.0;  // of the sampling frequency: a quarter of it is left for the band of folded RF

double parse_fact(const FactRow& row, std::string_view text) {
  const auto value = finite_number(text);
  const std::string range = text_of(row.given.least) + " to " + text_of(row.given.most);
  if (!value) throw invalid_value(row.name, std::string(text), "a number from " + range);
  if (*value < row.given.least || *value > row.given.most) throw out_of_range(row.name, std::string(text), range);
  return *value;
}

}  // namespace

Facts take_facts(std::vector<std::string>& settings) {
  Facts facts;
  std::erase_if(settings, [&](const std::string& setting) {
    const std::size_t equals = setting.find('=');
    const FactRow* row = equals == std::string::npos ? nullptr : find_given(setting.substr(0, equals));
    if (row != nullptr) facts[row->name] = parse_fact(*row, std::string_view(setting).substr(equals + 1));
    if (row != nullptr || equals == std::string::npos) return row != nullptr;
    const SourceProperty* const property = find_source_property(std::string_view(setting).substr(0, equals));
    if (property == nullptr) return false;
    require_value(*property, std::string_view(setting).substr(equals + 1));
    facts[std::string(property->name)] = setting.substr(equals + 1);
    return true;
  });
  return facts;
}

std::string to_text(const FactValue& value) {
  if (!value.text.empty()) return value.text;
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value.number);
  return text;
}

AcquisitionPtr with_facts(const std::string& what, const AcquisitionPtr& acquisition, const Facts& facts) {
  if (facts.empty()) return acquisition;
  Acquisition a = *acquisition;
  for (const auto& [name, value] : facts) {
    if (const SourceProperty* const property = find_source_property(name)) {
      a.assumptions.emplace_back(std::string(property->label) + " " + value.text + " (set by the user)", name);
      a.assumptions.back().given = true;
      a.assumptions.back().value = value.text;
      continue;
    }
    const FactRow* row = find_given(name);
    if (row == nullptr) throw Error(what, "'" + name + "'", "a property of the recording");
    set_fact(a, *row, value.number);
    std::erase_if(a.assumptions, [row](const Assumption& assumed) { return assumed.fact == row->name; });
    a.assumptions.emplace_back(std::string(row->given.label) + " " + text_of(value.number / row->unit.si) + " " +
                                   row->unit.symbol + " (set by the user)",
                               name);
    a.assumptions.back().given = true;
  }
  a.validate(what);
  if (facts.contains("center_hz") && a.signal == SignalKind::rf && a.center_hz > kMostCenter * a.sampling_hz)
    throw out_of_range(
        "center_hz", text_of(a.center_hz),
        "RF sampled at " + text_of(a.sampling_hz) + " Hz: up to " + text_of(kMostCenter * a.sampling_hz));
  return std::make_shared<const Acquisition>(std::move(a));
}

std::string_view nearest_transmit_key(std::string_view key) { return nearest_name(key, kTransmitKeys); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t above = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, corner + (a[i - 1] == b[k - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

std::string_view without_unit(std::string_view key) {
  for (const std::string_view unit :
       {"_m", "_mm", "_um", "_s", "_ms", "_us", "_ns", "_hz", "_khz", "_mhz", "_rad", "_deg", "_bytes"})
    if (key.size() > unit.size() && key.ends_with(unit)) return without_unit(key.substr(0, key.size() - unit.size()));
  return key;
}

std::string without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

VariableExpression parse_variable(std::string_view text) {
  for (const char sign : {'*', '/'}) {
    const std::size_t at = text.find(std::string(" ") + sign + " ");
    if (at == std::string_view::npos) continue;
    const std::string left = without_spaces(text.substr(0, at)), right = without_spaces(text.substr(at + 3));
    if (const auto number = finite_number(right); number && *number != 0.0)
      return {.name = left, .factor = sign == '*' ? *number : 1.0 / *number, .has_factor = true};
    if (const auto number = finite_number(left))
      return {.name = right, .factor = *number, .inverse = sign == '/', .has_factor = true};
  }
  return {.name = without_spaces(text)};
}

std::string description_help() {
  std::string text =
      "echoloop describe FILE           arrays of a file, and a JSON description of it to complete\n"
      "echoloop describe FILE > F.json  FILE opens with it from then on, if F.json lies beside F.mat, F.h5, F.bin ...\n"
      "\n"
      "A description beside .mat, .h5, .npz, .npy, .pkl, .mha and raw files (.bin .raw .dat .rf). Wherever a number\n"
      "or a list of numbers belongs, the name of a variable of the file may stand, with a factor: \"acq.fs\",\n"
      "\"probe.pitch_mm * 1e-3\", \"1 / acq.dt\". Lines may end in // comments.\n";
  std::string_view group;
  for (const FactRow& row : description_keys()) {
    if (row.group != group) {
      group = row.group;
      text += "\n" + std::string(group) + "\n";
    }
    text += "  \"" + std::string(row.key) + "\": " + row.example + "\n" + wrapped(unmarked(row.help), 6, 110);
  }
  return text;
}

std::string description_markdown() {
  std::string text;
  for (const FactRow& row : description_keys()) {
    text += "| `" + std::string(row.key) + "` | `" + row.example + "` | " + row.help +
            ((row.traits & kNumbers) != 0 ? " (or a variable)" : "") + " |\n";
  }
  return text;
}

}  // namespace echoloop
