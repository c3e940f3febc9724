#include <algorithm>
#include <vector>

#include "core/facts.h"
#include "formats/file_outline.h"
#include "formats/import_draft.h"
#include "formats/readers/description_json.h"

namespace echoloop {

std::string DraftState::word(const std::string& key) const {
  const auto found = values.find(key);
  return found != values.end() && found->second.json.is_string() ? found->second.json.get<std::string>() : "";
}

std::size_t DraftState::whole(const std::string& key) const {
  const auto found = values.find(key);
  return found != values.end() && found->second.json.is_number_unsigned() ? found->second.json.get<std::size_t>() : 0;
}

std::string DraftState::reason(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second.reason;
}

void DraftState::prefer_positions() {
  const FactQuestion* const row = question_of_key("element_x_m");
  if (values.contains("element_x_m")) forms[row->id] = *form_of_key(*row, "element_x_m");
}

std::optional<double> DraftState::sampling_hz(const FileOutline& outline) const {
  if (const auto fs = values.find("fs_hz"); fs != values.end()) return number_of(outline, fs->second.json);
  const auto times = values.find("time_s");
  const Json name = times == values.end() ? Json() : times->second.json;
  const auto use = name.is_string() ? find_variable(outline, name.get<std::string>()) : std::nullopt;
  const auto range = use ? range_of(*use->entry) : std::nullopt;
  if (!range || use->inverse || range->most <= range->least) return std::nullopt;
  const std::size_t n = std::ranges::max(use->entry->shape);
  return static_cast<double>(n - 1) / ((range->most - range->least) * use->factor);
}

bool fits_axes(const Json& json, std::size_t n_transmits, std::size_t n_elements) {
  return json.is_array() ? json.size() == n_transmits : json != Json("all") || n_transmits == n_elements;
}

std::string DraftState::unknown_of(const std::string& text, const FileOutline& outline) const {
  const Json all = Json::parse(text, nullptr, false, true);
  if (!all.is_object()) return "";
  Json unknown = all;
  for (const auto& [key, value] : all.items()) {
    const FactQuestion* const row = question_of_key(key);
    if (row == nullptr) continue;
    const bool known = std::ranges::any_of(row->forms, [&](const FactRow& form) {
      const auto found = values.find(form.key);
      return found != values.end() &&
             (found->second.state == FactState::read || found->second.state == FactState::guessed);
    });
    const bool names = value.is_string() && row->id != std::string_view("event") && value != "all";
    if (known || (names && variable_of(outline, value).empty())) unknown.erase(key);
  }
  return json_dump(unknown);
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
    if (const FactQuestion* const row = question_of_key(key); row != nullptr) {
      for (const FactRow& form : row->forms)
        if (form.key != key && !json.contains(form.key)) values.erase(form.key);
      forms[row->id] = *form_of_key(*row, key);
    }
    const FactState state = reason.starts_with(kFromDescription) ? FactState::read : FactState::guessed;
    values[key] = {value, is_open(key) ? FactState::assumed : state,
                   is_open(key) ? "Not answered when the description was saved." : reason};
  }
  prefer_positions();
  return true;
}

void fill_slowest_axis(RawShape& shape, std::size_t file_bytes, std::size_t header_bytes, std::size_t value_bytes) {
  if (shape.extents.empty() || value_bytes == 0 || header_bytes >= file_bytes) return;
  std::size_t one = value_bytes;
  for (std::size_t a = 1; a < shape.extents.size() && one <= file_bytes; ++a)
    one *= std::clamp<std::size_t>(shape.extents[a], 1, file_bytes);
  shape.extents[0] = std::max<std::size_t>(1, (file_bytes - header_bytes) / one);
}

std::string divide_axis(RawShape& shape, std::size_t axis, std::size_t faster) {
  constexpr std::size_t kMostAxes = 5;
  if (axis >= shape.extents.size()) return "no such axis";
  if (shape.extents.size() == kMostAxes) return "a fifth axis is the last one";
  const std::size_t n = shape.extents[axis];
  if (faster == 0 || n % faster != 0)
    return "length = " + std::to_string(faster) + " does not divide " + std::to_string(n);
  shape.extents[axis] = faster;
  shape.extents.insert(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis), n / faster);
  std::string other;
  for (const char* const role : {"transmit", "frame", "element"})
    if (other.empty() && std::ranges::find(shape.axes, role) == shape.axes.end()) other = role;
  const std::size_t slower = shape.axes[axis] == "frame" ? 1 : 0;
  shape.axes.insert(shape.axes.begin() + static_cast<std::ptrdiff_t>(axis + slower), other);
  return "";
}

std::string join_axes(RawShape& shape, std::size_t axis, std::size_t most) {
  if (axis + 1 >= shape.extents.size()) return "no faster axis to join";
  const std::size_t n = shape.extents[axis + 1];
  if (n != 0 && shape.extents[axis] > most / n) return "the file is shorter than both axes";
  const bool slower = shape.axes[axis] == "frame" || shape.axes[axis + 1].empty();  // keeps this role
  shape.axes.erase(shape.axes.begin() + static_cast<std::ptrdiff_t>(slower ? axis + 1 : axis));
  shape.extents[axis + 1] *= shape.extents[axis];
  shape.extents.erase(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  return "";
}

std::vector<std::string> named_axes(std::vector<std::string> named, const std::vector<std::size_t>& extents) {
  for (std::size_t a = 0; a < named.size(); ++a) {
    if (!named[a].empty() || a >= extents.size() || extents[a] != 1) continue;
    for (const char* const role : {"frame", "transmit", "iq", "one"}) {
      if (role != std::string_view("one") && std::ranges::find(named, role) != named.end()) continue;
      named[a] = role;
      break;
    }
  }
  return named;
}

std::vector<OpenQuestion> open_questions(const FileOutline& outline, const DraftAxes& axes,
                                         const std::vector<DraftFact>& facts) {
  std::vector<OpenQuestion> list;
  const std::vector<std::string> named = named_axes(axes.roles, axes.extents);
  const auto has = [&](const char* role) { return std::ranges::find(axes.roles, role) != axes.roles.end(); };
  if (!has("time") || !(has("element") || has("line") || has("trace")) || std::ranges::find(named, "") != named.end()) {
    list.push_back({.id = "axes",
                    .key = "axes",
                    .needed = true,
                    .reason = "time and element (or line) are needed, and a role for each axis"});
  } else if (const std::string asked = question_about_axes(outline); !asked.empty() && !axes.answered) {
    list.push_back({.id = "axes", .key = "axes", .reason = asked});
  }
  for (const DraftFact& one : facts) {
    const bool required = one.row->need == FactNeed::required, empty = one.empty();
    const bool asked = one.state == FactState::asked ||
                       (one.state == FactState::assumed && (required || one.row->id == std::string_view("zero")));
    if (empty ? one.row->need != FactNeed::optional : asked)
      list.push_back({.id = one.row->id, .key = empty ? "" : one.as().key, .needed = required && empty});
  }
  return list;
}

// Output of `echoloop describe`.

namespace {

std::string shape_words(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "1" : text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::string description_template(const FileOutline& outline, const std::string& file_name) {
  std::string name = file_name;  // line breaks become spaces
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string text = "// " + name + ": " + outline.container + ", " + std::to_string(outline.bytes) + " bytes\n";
  if (!outline.refusal.empty()) text += "// " + outline.refusal + "\n";
  for (const std::string& assumption : outline.assumptions) text += "// assumed: " + assumption + "\n";
  std::size_t width = 8, shape_width = 6;
  for (const OutlineEntry& entry : outline.entries) {
    width = std::min<std::size_t>(48, std::max(width, entry.path.size()));
    shape_width = std::min<std::size_t>(28, std::max(shape_width, shape_words(entry.shape).size()));
  }
  for (const OutlineEntry& entry : outline.entries)
    text += "//   " + padded(entry.path, width) + "  " + padded(shape_words(entry.shape), shape_width) + "  " +
            padded(entry.type, 10) + "  " + entry.value + "\n";
  if (!outline.first_bytes.empty()) text += "// first bytes: " + outline.first_bytes.substr(0, 128) + "\n";
  if (!outline.missing.empty() && !outline.is_partial) {
    text += "// missing, most important first:\n";
    for (const OutlineGuess& missing : outline.missing)
      text += "//   " + missing.reason + ", for example \"" + missing.key + "\": " + missing.value + "\n";
  }
  if (outline.entries.empty())
    text += "// missing: \"dtype\", \"shape\", \"axes\" and all that echoloop describe --help lists" +
            std::string(outline.n_files > 0 ? "; the files are the first axis\n" : "\n");
  const std::string begin = "{\n  \"file\": " + json_dump(Json(file_name));
  if (outline.is_partial) {  // known facts, for a custom description; this one leaves all to the format
    text += "// known:\n";
    for (const OutlineGuess& guess : outline.guesses) text += "//   \"" + guess.key + "\": " + guess.value + "\n";
    return text + begin + "\n}\n";
  }
  text += begin;
  std::string comment;
  Json assumed = Json::array();
  for (const OutlineGuess& guess : outline.guesses) {
    if (is_guess(state_of(outline, guess))) assumed.push_back(guess.key);
    text += "," + comment + "\n  \"" + guess.key + "\": " + guess.value;
    comment = guess.reason.empty() ? "" : std::string("  // ") + (guess.assumed ? "assumed: " : "") + guess.reason;
  }
  if (!assumed.empty()) text += "," + comment + "\n  \"assumed\": " + assumed.dump(), comment.clear();
  return text + comment + "\n}\n";
}

}  // namespace echoloop
