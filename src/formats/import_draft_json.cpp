// The description that a draft makes, and the one that it begins with.
#include <algorithm>
#include <utility>

#include "formats/base/description_keys.h"
#include "formats/import_draft.h"
#include "formats/readers/description_json.h"

namespace echoloop {

std::string ImportDraft::description(Naming naming) const {
  std::string text = "{";
  const auto add = [&](const std::string& key, const std::string& json) {
    text += std::string(text.size() > 1 ? "," : "") + "\n  \"" + key + "\": " + json;
  };
  std::vector<std::string> assumed;
  for (const OpenQuestion& open : questions()) {
    if (!open.key.empty()) assumed.push_back(open.key);
  }
  for (const DescriptionKey& row : description_keys()) {
    const std::string key = row.key;
    if (key == "file") {
      if (naming == Naming::file) add(key, Json(file_name_).dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (key == "axes") {
      add(key, Json(named_axes(now_.axes, shape())).dump());
    } else if (key == "assumed") {
      if (!assumed.empty()) add(key, Json(assumed).dump());
    } else if (const auto found = now_.values.find(key); found != now_.values.end()) {
      const FactRow* const fact_row = fact_row_of_key(key);
      if (fact_row != nullptr && fact(fact_row->id).as().key != key) continue;  // said in another way
      if (fact_row != nullptr && lines() && fact_row->id == std::string_view("transmits")) continue;
      if (key == "t0_s" && now_.values.contains("time_s") && fact("sampling").as().key == std::string_view("time_s"))
        continue;
      if (key == "demod_hz" && !iq()) continue;
      add(key, found->second.json);
    }
  }
  return text + "\n}\n";
}

void ImportDraft::take_description(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false, true);
  if (!json.is_object()) return;
  State next = now_;
  const Json open = json.value("assumed", Json::array());
  const auto is_open = [&](const std::string& key) { return std::ranges::find(open, Json(key)) != open.end(); };
  for (const auto& [key, value] : json.items()) {
    if (find_description_key(key) == nullptr || key == "file" || key == "assumed") continue;
    if (key == "axes") {
      next.axes_answered = !is_open(key);
      if (value.is_array() && std::ranges::all_of(value, [](const Json& one) { return one.is_string(); }))
        next.axes = value.get<std::vector<std::string>>();
      continue;
    }
    if (const FactRow* const row = fact_row_of_key(key); row != nullptr) {
      for (const FactForm& form : row->forms) {
        if (form.key != key && !json.contains(form.key)) next.values.erase(form.key);
      }
      next.forms[row->id] = *form_of_key(*row, key);
    }
    next.values[key] = {value.dump(-1, ' ', false, Json::error_handler_t::replace),
                        is_open(key) ? FactState::asked : FactState::read,
                        is_open(key) ? "Not answered when the description was saved." : "description"};
  }
  now_ = std::move(next);
  if (now_.axes.size() != shape().size()) {
    const std::size_t n = shape().size();
    while (now_.axes.size() > n) now_.axes.pop_back();
    now_.axes.resize(n);
  }
  guessed_ = now_.values;
}

}  // namespace echoloop
