#include "formats/draft_state.h"

#include <algorithm>

#include "formats/base/description_keys.h"
#include "formats/readers/description_json.h"

namespace echoloop {

std::string DraftState::word(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end()) return "";
  const Json json = Json::parse(found->second.json, nullptr, false);
  return json.is_string() ? json.get<std::string>() : "";
}

std::size_t DraftState::whole(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end()) return 0;
  const Json json = Json::parse(found->second.json, nullptr, false);
  return json.is_number_unsigned() ? json.get<std::size_t>() : 0;
}

std::string DraftState::reason(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second.reason;
}

void DraftState::prefer_positions() {
  const FactRow* const row = fact_row_of_key("element_x_m");
  if (values.contains("element_x_m")) forms[row->id] = *form_of_key(*row, "element_x_m");
}

std::optional<double> DraftState::sampling_hz(const FileOutline& outline) const {
  if (const auto fs = values.find("fs_hz"); fs != values.end()) return number_of(outline, fs->second.json);
  const auto times = values.find("time_s");
  const Json name = times == values.end() ? Json() : Json::parse(times->second.json, nullptr, false);
  const auto use = name.is_string() ? find_variable(outline, name.get<std::string>()) : std::nullopt;
  const auto range = use ? range_of(*use->entry) : std::nullopt;
  if (!range || use->inverse || range->most <= range->least) return std::nullopt;
  const std::size_t n = std::ranges::max(use->entry->shape);
  return static_cast<double>(n - 1) / ((range->most - range->least) * use->factor);
}

bool fits_axes(const std::string& transmits, std::size_t n_transmits, std::size_t n_elements) {
  const Json json = Json::parse(transmits, nullptr, false);
  return json.is_array() ? json.size() == n_transmits : json != Json("all") || n_transmits == n_elements;
}

std::string DraftState::unknown_of(const std::string& text, const FileOutline& outline) const {
  const Json all = Json::parse(text, nullptr, false, true);
  if (!all.is_object()) return "";
  Json unknown = all;
  for (const auto& [key, value] : all.items()) {
    const FactRow* const row = fact_row_of_key(key);
    if (row == nullptr) continue;
    const bool known = std::ranges::any_of(row->forms, [&](const FactForm& form) {
      const auto found = values.find(form.key);
      return found != values.end() &&
             (found->second.state == FactState::read || found->second.state == FactState::guessed);
    });
    const bool names = value.is_string() && row->id != std::string_view("event") && value != "all";
    const std::string json = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (known || (names && variable_of(outline, json).empty())) unknown.erase(key);
  }
  return unknown.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool DraftState::take_description(const std::string& text, const std::string& reason) {
  const Json json = Json::parse(text, nullptr, false, true);
  if (!json.is_object()) return false;
  const Json open = json.value("assumed", Json::array());
  const auto is_open = [&](const std::string& key) { return std::ranges::find(open, Json(key)) != open.end(); };
  for (const auto& [key, value] : json.items()) {
    if (find_description_key(key) == nullptr || key == "file" || key == "assumed") continue;
    if (key == "axes") {
      axes_answered = !is_open(key);
      if (value.is_array() && std::ranges::all_of(value, [](const Json& one) { return one.is_string(); }))
        axes = value.get<std::vector<std::string>>();
      continue;
    }
    if (const FactRow* const row = fact_row_of_key(key); row != nullptr) {
      for (const FactForm& form : row->forms) {
        if (form.key != key && !json.contains(form.key)) values.erase(form.key);
      }
      forms[row->id] = *form_of_key(*row, key);
    }
    const FactState state = reason == kFromDescription ? FactState::read : FactState::guessed;
    values[key] = {value.dump(-1, ' ', false, Json::error_handler_t::replace), is_open(key) ? FactState::asked : state,
                   is_open(key) ? "Not answered when the description was saved." : reason};
  }
  prefer_positions();
  return true;
}

}  // namespace echoloop
