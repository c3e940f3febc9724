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

bool fits_axes(const std::string& transmits, std::size_t n_transmits, std::size_t n_elements) {
  const Json json = Json::parse(transmits, nullptr, false);
  return json.is_array() ? json.size() == n_transmits : json != Json("all") || n_transmits == n_elements;
}

bool DraftState::take_description(const std::string& text) {
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
    values[key] = {value.dump(-1, ' ', false, Json::error_handler_t::replace),
                   is_open(key) ? FactState::asked : FactState::read,
                   is_open(key) ? "Not answered when the description was saved." : kFromDescription};
  }
  prefer_positions();
  return true;
}

}  // namespace echoloop
