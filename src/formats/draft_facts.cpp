#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <vector>

#include "core/facts.h"
#include "core/units.h"
#include "formats/import_draft.h"
#include "formats/readers/description_json.h"

namespace echoloop {
namespace {

std::string short_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (std::string one = without_spaces(text.substr(at, end - at)); !one.empty()) parts.push_back(std::move(one));
    at = end + 1;
  }
  return parts;
}

// Parses numbers separated by spaces or commas; nullopt if there is anything else.
std::optional<std::vector<double>> plain_numbers(std::string_view text) {
  std::vector<double> numbers;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" ,\t", at), text.size());
    if (end > at) {
      const auto value = finite_number(text.substr(at, end - at));
      if (!value) return std::nullopt;
      numbers.push_back(*value);
    }
    at = end + 1;
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

// Returns rows "x z; x z"; for positions also "x z, x z" and "(x, z), (x, z)".
std::vector<std::string> rows_in(std::string_view text, bool positions) {
  if (!positions || text.find(';') != std::string_view::npos) return parts_of(text, ';');
  if (text.find('(') != std::string_view::npos) {
    std::vector<std::string> rows = parts_of(text, ')');
    for (std::string& row : rows) row.erase(0, row.find('(') == std::string::npos ? 0 : row.find('(') + 1);
    return rows;
  }
  const std::vector<std::string> rows = parts_of(text, ',');
  const bool apart = std::ranges::all_of(rows, [](const std::string& row) {
    const auto values = plain_numbers(row);
    return values && values->size() > 1;
  });
  return apart ? rows : std::vector{std::string(text)};
}

// Parses "first : step : last".
std::optional<std::vector<double>> steps_in(std::string_view text) {
  const std::size_t a = text.find(':'), b = text.find(':', a == text.npos ? a : a + 1);
  if (b == text.npos) return std::nullopt;
  const auto first = finite_number(without_spaces(text.substr(0, a))),
             step = finite_number(without_spaces(text.substr(a + 1, b - a - 1))),
             last = finite_number(without_spaces(text.substr(b + 1)));
  if (!first || !step || !last || *step == 0.0) return std::nullopt;
  const double n = std::floor((*last - *first) / *step + 1e-6);
  if (!(n >= 0.0 && n < 1e5)) return std::nullopt;
  std::vector<double> numbers;
  for (double k = 0.0; k <= n; k += 1.0) numbers.push_back(*first + k * *step);
  return numbers;
}

std::string out_of_range(const FactQuestion& row, const FactRow& form, double si) {
  std::string name = form.label;
  if (row.forms.size() == 1) name = lower_case(row.label);
  const auto unit = [&](double value) { return short_text(value / form.unit.si); };
  const std::string units = *form.unit.symbol == '\0' ? "" : std::string(" ") + form.unit.symbol;
  return name + " = " + unit(si) + units + " is out of range (" + unit(form.least) + " to " + unit(form.most) + ")";
}

bool in_range(const FactRow& form, double largest_si) {
  return form.most == 0.0 || (largest_si >= form.least * (1.0 - 1e-9) && largest_si <= form.most * (1.0 + 1e-9));
}

double largest_in(const Json& json) {
  if (json.is_number()) return std::abs(json.get<double>());
  double most = 0.0;
  if (json.is_array())
    for (const Json& one : json) most = std::max(most, largest_in(one));
  return most;
}

ReadAnswer checked_answer(const FactQuestion& row, const FactRow& form, const Json& json) {
  const double largest = largest_in(json);
  if (!in_range(form, largest)) return {.error = out_of_range(row, form, largest)};
  if (form.shape == FactShape::number && json.is_number() && form.least > 0.0 && json.get<double>() < 0.0)
    return {.error = out_of_range(row, form, json.get<double>())};
  return {.json = json};
}

ReadAnswer refused_answer(const FactRow& form, std::string_view text) {
  constexpr const char* kAccepted[] = {"a number", "numbers", "points: x z; x z", "JSON"};
  return {.error = "'" + std::string(text.substr(0, 24)) +
                   "': accepted: " + kAccepted[static_cast<std::size_t>(form.shape)] +
                   (form.shape == FactShape::word ? "" : ", or a variable of the file")};
}

ReadAnswer read_variable(const FactQuestion& row, const FactRow& form, const VariableUse& use, std::string_view text) {
  if (!use.entry->numeric) return {.error = use.entry->path + " is not a number"};
  const auto range = range_of(*use.entry);
  const double largest = range ? range->largest() : 0.0;
  if (use.has_factor || !range) {
    if (range && !use.inverse && !in_range(form, largest * std::abs(use.factor)))
      return {.error = out_of_range(row, form, largest * use.factor)};
    return {.json = without_spaces(text)};
  }
  const double reach = form.unit.quantity == Quantity::duration ? 1e-2 : form.shape == FactShape::number ? 0.02 : 0.5;
  const double factor = unit_by_size(form.unit.quantity, largest, reach);
  if (!in_range(form, largest * factor)) return {.error = out_of_range(row, form, largest * factor)};
  char exact[40];
  std::snprintf(exact, sizeof exact, "%.17g", factor);
  const std::string expression = factor == 1.0 ? use.entry->path : use.entry->path + " * " + exact;
  const Unit* const unit = factor == 1.0 ? nullptr : unit_of_factor(factor, form.unit.quantity);
  const std::string note =
      unit == nullptr ? "" : "read as " + std::string(unit->quantity == Quantity::angle ? unit->word : unit->symbol);
  return {.json = expression, .note = note};
}

}  // namespace

const std::vector<FactQuestion>& fact_questions() {
  static const std::vector<FactQuestion> all = [] {
    std::vector<FactRow> rows;
    std::ranges::copy_if(kFacts, std::back_inserter(rows), [](const FactRow& row) { return row.place > 0; });
    std::ranges::sort(rows, {}, &FactRow::place);
    std::vector<FactQuestion> questions;
    for (const FactRow& row : rows) {
      if (row.asked.id != nullptr) questions.push_back({row.asked, {}});
      questions.back().forms.push_back(row);
    }
    return questions;
  }();
  return all;
}

const FactQuestion* find_question(std::string_view id) {
  const auto found = std::ranges::find(fact_questions(), id, &FactQuestion::id);
  return found == fact_questions().end() ? nullptr : &*found;
}

std::string question_about(const FileOutline& outline, const FactQuestion& row) {
  const auto found = std::ranges::find_if(outline.missing, [&](const OutlineGuess& missing) {
    const FactQuestion* const its = question_of_key(missing.key);
    return its != nullptr && its->id == row.id;
  });
  return found == outline.missing.end() ? "" : found->reason;
}

FactState state_of(const FileOutline& outline, const OutlineGuess& guess) {
  const FactQuestion* const row = question_of_key(guess.key);
  if (row != nullptr && !question_about(outline, *row).empty()) return FactState::asked;
  if (guess.assumed) return FactState::assumed;
  const bool counted =
      row != nullptr && (row->id == std::string_view("transmits") || row->id == std::string_view("elements"));
  const bool inferred = !outline.is_read && (counted || guess.reason.find("read as") != std::string::npos);
  return inferred ? FactState::guessed : FactState::read;
}

std::string question_about_axes(const FileOutline& outline) {
  const auto found = std::ranges::find_if(
      outline.missing, [](const OutlineGuess& missing) { return missing.key == "axes" || missing.key == "data"; });
  return found == outline.missing.end() ? "" : found->reason;
}

const OutlineEntry* largest_array(const FileOutline& outline) {
  const OutlineEntry* largest = nullptr;
  const auto count = [](const OutlineEntry& entry) {
    double n = 1.0;
    for (const std::size_t extent : entry.shape) n *= static_cast<double>(extent);
    return n;
  };
  for (const OutlineEntry& entry : outline.entries)
    if (entry.numeric && (largest == nullptr || count(entry) > count(*largest))) largest = &entry;
  return largest;
}

const FactQuestion* question_of_key(std::string_view key) {
  const auto found = std::ranges::find_if(fact_questions(),
                                          [&](const FactQuestion& row) { return form_of_key(row, key).has_value(); });
  return found == fact_questions().end() ? nullptr : &*found;
}

std::optional<std::size_t> form_of_key(const FactQuestion& row, std::string_view key) {
  const auto found = std::ranges::find(row.forms, key, &FactRow::key);
  if (found == row.forms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - row.forms.begin());
}

double ValueRange::largest() const { return std::max(std::abs(least), std::abs(most)); }

std::optional<ValueRange> range_of(const OutlineEntry& entry) {
  if (!entry.numeric || entry.value.empty()) return std::nullopt;
  const std::size_t dots = entry.value.find(" ... ");
  if (dots != std::string::npos) {
    const auto least = finite_number(entry.value.substr(0, dots)), most = finite_number(entry.value.substr(dots + 5));
    if (!least || !most) return std::nullopt;
    return ValueRange{.first = *least, .least = *least, .most = *most};
  }
  const auto values = plain_numbers(entry.value);
  if (!values) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(*values);
  return ValueRange{.first = values->front(), .least = least, .most = most};
}

std::optional<VariableUse> find_variable(const FileOutline& outline, std::string_view text) {
  if (const auto entry = find_path(outline.entries, without_spaces(text)))
    return VariableUse{.entry = &outline.entries[*entry]};
  const VariableExpression e = parse_variable(text);
  const auto entry = e.has_factor ? find_path(outline.entries, e.name) : std::nullopt;
  if (!entry) return std::nullopt;
  return VariableUse{
      .entry = &outline.entries[*entry], .factor = e.factor, .inverse = e.inverse, .has_factor = e.has_factor};
}

bool holds_points(const OutlineEntry& entry) {
  const std::string name = lower_case(entry.path.substr(entry.path.find_last_of("./") + 1));
  const bool few = std::ranges::any_of(entry.shape, [](std::size_t n) { return n == 2 || n == 3; });
  return few && name.find("delay") == std::string::npos;
}

namespace {

// Returns the SI value of the unit of typed numbers, and removes a typed unit: the one on screen, unless one is typed.
double take_unit(std::string& text, const FactRow& form) {
  const std::size_t end = text.find_last_of("0123456789.") + 1;
  const std::string typed = without_spaces(std::string_view(text).substr(end));
  const Unit* const unit = end == 0 ? nullptr : find_unit(typed);
  const bool fits = unit != nullptr && unit->quantity == form.unit.quantity;
  if (fits || (end > 0 && typed == form.unit.symbol)) text.resize(end);
  return fits ? unit->si : form.unit.si;
}

}  // namespace

ReadAnswer read_answer(const FactQuestion& row, const FactRow& form, const FileOutline& outline,
                       std::string_view typed) {
  std::string text = without_spaces(typed);
  if (const auto use = find_variable(outline, text)) return read_variable(row, form, *use, text);
  if (form.shape == FactShape::word) {
    if (row.id == std::string_view("event")) {
      if (std::ranges::find(kEventWords, text) != std::end(kEventWords)) return {.json = text};
      return {.error = "'" + text.substr(0, 24) + "': accepted: first_firing, origin, centre, delays"};
    }
    const Json json = Json::parse(text, nullptr, false);
    return json.is_array() ? ReadAnswer{.json = json} : refused_answer(form, text);
  }
  if (form.key == std::string_view("tx_elements") && text == "all") return {.json = "all"};
  if (text.starts_with('[')) {  // JSON, SI units
    const Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() || form.shape == FactShape::number ? refused_answer(form, text)
                                                                  : checked_answer(row, form, json);
  }
  const std::string said = text;
  const double per_unit = take_unit(text, form);
  if (form.shape == FactShape::points) {
    const bool positions = form.key != std::string_view("tx_delays_s");
    Json rows = Json::array();
    for (const std::string& one : rows_in(text, positions)) {
      auto values = plain_numbers(one);
      if (!values || values->size() < 2 || (positions && values->size() > 3)) return refused_answer(form, said);
      for (double& value : *values) value *= per_unit;
      rows.push_back(*values);
    }
    return rows.empty() ? refused_answer(form, said) : checked_answer(row, form, rows);
  }
  auto values =
      form.shape == FactShape::list && text.find(':') != std::string::npos ? steps_in(text) : plain_numbers(text);
  if (!values || (form.shape == FactShape::number && values->size() > 1)) return refused_answer(form, said);
  for (double& value : *values) value *= per_unit;
  const bool alone = form.shape == FactShape::number || (values->size() == 1 && form.key == std::string_view("t0_s"));
  return checked_answer(row, form, alone ? Json(values->front()) : Json(*values));
}

std::string variable_of(const FileOutline& outline, const Json& json) {
  const auto use = json.is_string() ? find_variable(outline, json.get<std::string>()) : std::nullopt;
  return use ? use->entry->path : "";
}

std::optional<double> number_of(const FileOutline& outline, const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto use = json.is_string() ? find_variable(outline, json.get<std::string>()) : std::nullopt;
  const auto range = use ? range_of(*use->entry) : std::nullopt;
  if (!range || range->least != range->most) return std::nullopt;
  return use->inverse ? use->factor / range->first : use->factor * range->first;
}

std::string one_line(std::string_view text) {
  std::string line = plain_text(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

std::string shown_value(const FactRow& form, const FileOutline& outline, const Json& json) {
  if (json.is_discarded()) return "";
  const auto unit = [&](double si) { return short_text(si / form.unit.si); };
  if (json.is_string()) {
    const std::string expression = json.get<std::string>();
    const auto use = find_variable(outline, expression);
    const auto range = use ? range_of(*use->entry) : std::nullopt;
    if (!range) return one_line(expression);
    const auto of = [&](double value) { return unit(use->inverse ? use->factor / value : use->factor * value); };
    if (range->least == range->most) return of(range->first);
    std::size_t n = 1;
    for (const std::size_t extent : use->entry->shape) n *= std::max<std::size_t>(1, extent);
    if (form.shape == FactShape::points && use->entry->shape.size() == 2)
      return counted(std::max(use->entry->shape[0], use->entry->shape[1]), "point");
    const bool swapped = use->factor < 0.0 || use->inverse;
    return std::to_string(n) + " values, " + of(swapped ? range->most : range->least) + " … " +
           of(swapped ? range->least : range->most);
  }
  if (json.is_number()) return unit(json.get<double>());
  if (!json.is_array()) return json_dump(json);
  const auto is_number = [](const Json& one) { return one.is_number(); };
  if (json.empty() || !std::ranges::all_of(json, is_number))
    return std::to_string(json.size()) + (form.shape == FactShape::points ? " rows" : " entries");
  if (json.size() <= 4) {
    std::string values;
    for (const Json& one : json) values += (values.empty() ? "" : ", ") + unit(one.get<double>());
    return values;
  }
  const auto [least, most] = std::ranges::minmax(json.get<std::vector<double>>());
  return std::to_string(json.size()) + " values, " + unit(least) + " … " + unit(most);
}

std::vector<std::string> roles_by_length(const std::vector<std::size_t>& shape) {
  std::vector<std::string> roles(shape.size());
  std::vector<std::size_t> order;
  for (std::size_t a = 0; a < shape.size(); ++a) order.push_back(a);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t a) { return shape[a]; });
  constexpr const char* kOrder[] = {"time", "element", "transmit", "frame"};
  for (std::size_t k = 0; k < std::min(order.size(), std::size(kOrder)); ++k)
    if (shape[order[k]] > 1) roles[order[k]] = kOrder[k];
  return roles;
}

std::string typed_value(const FactRow& form, const Json& json) {
  if (json.is_discarded()) return "";
  const auto unit = [&](const Json& one) { return short_text(one.get<double>() / form.unit.si); };
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return unit(json);
  const auto numbers = [&](const Json& list) {
    return list.is_array() && !list.empty() &&
           std::ranges::all_of(list, [](const Json& one) { return one.is_number(); });
  };
  std::string typed;
  if (numbers(json)) {
    for (const Json& one : json) typed += (typed.empty() ? "" : ", ") + unit(one);
    return typed;
  }
  if (form.shape != FactShape::points || !json.is_array() || !std::ranges::all_of(json, numbers))
    return json_dump(json);
  for (const Json& row : json) {
    typed += typed.empty() ? "" : "; ";
    for (std::size_t k = 0; k < row.size(); ++k) typed += (k == 0 ? "" : " ") + unit(row[k]);
  }
  return typed;
}

}  // namespace echoloop
