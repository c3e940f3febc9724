#include "formats/import_draft.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "formats/containers/array_view.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostSteps = 200;  // undo limit

bool unsaid(FactState state) { return state == FactState::assumed || state == FactState::missing; }

}  // namespace

ImportDraft::ImportDraft(FileOutline outline, std::string file_name)
    : outline_(std::move(outline)), file_name_(std::move(file_name)) {
  take_guesses();
  assume_rest();
}

ImportDraft::ImportDraft(FileOutline outline, std::string file_name, const RawGuess& raw)
    : outline_(std::move(outline)), file_name_(std::move(file_name)), raw_(true) {
  const auto say = [&](const char* key, Json json, const std::string& why) {
    guessed_[key] = {std::move(json), FactState::guessed, why};
  };
  say("dtype", raw.dtype, raw.why_type);
  say("byte_order", raw.byte_order, raw.why_order);
  say("header_bytes", raw.header_bytes, raw.why_header);
  say("shape", raw.shape, raw.why_shape);
  if (raw.sampling_hz > 0.0) guessed_["fs_hz"] = {raw.sampling_hz, FactState::assumed, raw.why_sampling};
  now_.axes = raw.axes;
  now_.values = guessed_;
  assume_rest();
}

void ImportDraft::take_guesses() {
  for (const OutlineGuess& guess : outline_.guesses) {
    const FactQuestion* const row = question_of_key(guess.key);
    const Json value = Json::parse(guess.value, nullptr, false);
    if (guess.key == "axes" && value.is_array() &&
        std::ranges::all_of(value, [](const Json& one) { return one.is_string(); }))
      now_.axes = guessed_axes_ = value.get<std::vector<std::string>>();
    const std::string question = row == nullptr ? "" : question_about(outline_, *row);
    guessed_[guess.key] = {value, state_of(outline_, guess), question.empty() ? guess.reason : question};
  }
  if (!guessed_.contains("data")) {
    const OutlineEntry* const largest = largest_array(outline_);
    if (largest != nullptr) guessed_["data"] = {largest->path, FactState::guessed, "the largest array"};
  }
  guessed_.erase("axes");
  now_.values = guessed_;
  now_.prefer_positions();
  const std::size_t n_axes = shape().size();
  if (now_.axes.size() != n_axes) now_.axes = roles_by_length(shape());
}

// Adds usual values for facts not in the file; and the band of the echoes, until they are measured.
void ImportDraft::assume_rest() {
  const auto assume = [&](const char* key, const Json& json, const char* why) {
    const FactQuestion* const row = question_of_key(key);
    for (const FactRow& form : row->forms)
      if (now_.values.contains(form.key)) return;
    if (now_.values.contains("time_s") && std::string_view(key) == "t0_s") return;
    guessed_[key] = now_.values[key] = {json, FactState::assumed, why};
  };
  assume("t0_s", 0, "Not in the file: sample 1 at the first firing.");
  assume("t_zero", "first_firing", "Not in the file.");
  assume("c_m_s", 1540, "Not in the file.");
  if (const auto fs_hz = now_.sampling_hz(outline_); fs_hz && *fs_hz > 0.0 && !iq())
    assume("fc_hz", 0.25 * *fs_hz, "Not in the file: a quarter of the sampling frequency.");
  assume_transmits();
}

void ImportDraft::assume_transmits() {
  const DraftFact before = fact("transmits");
  if (before.state == FactState::assumed && !fits_axes(before.json, count("transmit"), count("element"))) {
    now_.values.erase(before.as().key);
    guessed_.erase(before.as().key);
  }
  if (fact("transmits").state != FactState::missing || lines() || now_.axes.empty()) return;
  const auto has_axis = [&](const char* role) { return std::ranges::find(now_.axes, role) != now_.axes.end(); };
  if (has_axis("transmit") && count("transmit") > 1) {
    if (count("transmit") != count("element")) return;
    guessed_["tx_elements"] = now_.values["tx_elements"] = {
        "all", FactState::assumed, "As many transmits as elements: one element after another."};
    return;
  }
  guessed_["tx_angles_rad"] =
      now_.values["tx_angles_rad"] = {Json::array({0}), FactState::assumed, "One transmit: a plane wave at 0 degrees."};
}

const OutlineEntry* ImportDraft::entry_of(const std::string& path) const {
  const auto found = std::ranges::find(outline_.entries, path, &OutlineEntry::path);
  return found == outline_.entries.end() ? nullptr : &*found;
}

std::vector<std::size_t> ImportDraft::shape() const {
  if (raw_) {
    const auto found = now_.values.find("shape");
    const Json json = found == now_.values.end() ? Json() : found->second.json;
    std::vector<std::size_t> extents;
    for (const Json& one : json) extents.push_back(one.is_number_unsigned() ? one.get<std::size_t>() : 0);
    return extents;
  }
  if (is_split()) {
    const Json& json = now_.values.at("shape").json;
    if (json.is_array() && std::ranges::all_of(json, [](const Json& one) { return one.is_number_unsigned(); }))
      return json.get<std::vector<std::size_t>>();
  }
  return stored_shape();
}

std::vector<std::size_t> ImportDraft::stored_shape() const {
  const OutlineEntry* const entry = now_.values.contains("data") ? entry_of(data()) : nullptr;
  return entry == nullptr ? std::vector<std::size_t>() : entry->shape;
}

bool ImportDraft::can_split() const {
  const auto guess = guessed_.find("data"), now = now_.values.find("data");
  return !raw_ && guessed_.contains("shape") && guess != guessed_.end() && now != now_.values.end() &&
         guess->second.json == now->second.json;
}

bool ImportDraft::is_split() const { return !raw_ && now_.values.contains("shape"); }

std::string ImportDraft::toggle_split() {
  if (!can_split()) return "no axis to split";
  DraftState next = now_;
  next.axes_answered = true;
  if (is_split()) {
    next.values.erase("shape");
    next.axes = roles_by_length(stored_shape());
  } else {
    next.values["shape"] = guessed_.at("shape");
    next.axes = guessed_axes_;
  }
  change(std::move(next), is_split() ? "Axes: as stored" : "Axes: split");
  return "";
}

std::size_t ImportDraft::count(const char* role) const {
  const std::vector<std::size_t> extents = shape();
  for (std::size_t a = 0; a < std::min(extents.size(), now_.axes.size()); ++a)
    if (now_.axes[a] == role) return extents[a];
  return 1;
}

bool ImportDraft::lines() const { return std::ranges::find(now_.axes, "line") != now_.axes.end(); }

bool ImportDraft::iq() const {
  if (std::ranges::find(now_.axes, "iq") != now_.axes.end()) return true;
  if (raw_) return word("dtype").starts_with("complex");
  const OutlineEntry* const entry = entry_of(data());
  return now_.values.contains("imag") || (entry != nullptr && entry->type.find("complex") != std::string::npos);
}

std::size_t ImportDraft::raw_bytes() const {
  std::size_t n = raw_type_bytes(word("dtype"));
  for (const std::size_t extent : shape()) {
    if (extent != 0 && n > (std::size_t{1} << 62) / extent) return std::size_t{1} << 62;
    n *= extent;
  }
  return std::max<std::size_t>(1, outline_.n_files) * whole("header_bytes") + n;
}

DraftFact ImportDraft::fact(std::string_view id) const {
  DraftFact fact;
  fact.row = find_question(id);
  fact.state = FactState::missing;
  const auto chosen = now_.forms.find(std::string(id));
  if (chosen != now_.forms.end()) fact.form = chosen->second;
  for (std::size_t k = 0; k < fact.row->forms.size(); ++k) {
    const auto found = now_.values.find(fact.row->forms[k].key);
    if (found == now_.values.end() || (chosen != now_.forms.end() && chosen->second != k)) continue;
    fact.form = k;
    static_cast<DraftValue&>(fact) = found->second;
    break;
  }
  return fact;
}

std::vector<DraftFact> ImportDraft::facts() const {
  std::vector<DraftFact> all;
  for (const FactQuestion& row : fact_questions()) {
    const std::string_view id = row.id;
    if (lines() && (id == "transmits" || id == "zero" || id == "event")) {
      if (id == "transmits" || fact(id).state != FactState::answered) continue;
    }
    if (id == "transmits" && std::ranges::find(now_.axes, "trace") != now_.axes.end()) continue;  // tx_of_trace
    if (id == "demodulation" && !iq()) continue;
    if ((id == "zero") && now_.values.contains("time_s")) continue;
    all.push_back(fact(id));
  }
  return all;
}

std::vector<OpenQuestion> ImportDraft::questions() const {
  return open_questions(outline_, {now_.axes, shape(), now_.axes_answered}, facts());
}

std::string ImportDraft::use_of(const OutlineEntry& entry) const {
  if (!raw_ && entry.path == data()) return "samples";
  for (const DraftFact& one : facts())
    if (!one.empty() && variable_of(outline_, one.json) == entry.path) return one.as().label;
  return "";
}

std::string ImportDraft::description(Naming naming) const {
  std::string text = "{";
  const auto add = [&](const std::string& key, const std::string& json) {
    text += std::string(text.size() > 1 ? "," : "") + "\n  \"" + key + "\": " + json;
  };
  Json assumed = Json::array();
  for (const FactRow& row : description_keys()) {
    const std::string key = row.key;
    if (key == "file") {
      if (naming == Naming::file) add(key, json_dump(file_name_));
    } else if (key == "axes") {
      add(key, Json(named_axes(now_.axes, shape())).dump());
      if (axes_guessed()) assumed.push_back(key);
    } else if (key == "assumed") {
      if (!assumed.empty()) add(key, assumed.dump());  // the last row
    } else if (const auto found = now_.values.find(key); found != now_.values.end()) {
      const FactQuestion* const fact_row = question_of_key(key);
      const std::string said = fact_row == nullptr ? key : fact(fact_row->id).as().key;
      if (said != key && !(key == "pitch_m" && said == "element_x_m")) continue;  // given in another form
      if (fact_row != nullptr && lines() && fact_row->id == std::string_view("transmits")) continue;
      if (key == "t0_s" && now_.values.contains("time_s") && fact("sampling").as().key == std::string_view("time_s"))
        continue;
      if (key == "demod_hz" && !iq()) continue;
      add(key, json_dump(found->second.json));
      if (is_guess(found->second.state)) assumed.push_back(key);
    }
  }
  return text + "\n}\n";
}

// Returns true if the axes are guessed by their lengths, or by names that leave a question.
bool ImportDraft::axes_guessed() const {
  const auto guess = std::ranges::find(outline_.guesses, "axes", &OutlineGuess::key);
  return !now_.axes_answered && (guess == outline_.guesses.end() || is_guess(state_of(outline_, *guess)) ||
                                 !question_about_axes(outline_).empty());
}

void ImportDraft::change(DraftState next, const std::string& text) {
  past_.push_back(std::move(now_));
  if (past_.size() > kMostSteps) past_.erase(past_.begin());
  future_.clear();
  now_ = std::move(next);
  now_.change = one_line(text);
  assume_rest();
}

std::string ImportDraft::answer(std::string_view id, std::string_view text) {
  const FactQuestion* const row = find_question(id);
  if (row == nullptr) return "no such fact";
  const DraftFact before = fact(id);
  DraftState next = now_;
  if (text.find_first_not_of(" \t") == std::string_view::npos) {
    for (const FactRow& form : row->forms) {
      next.values.erase(form.key);
      if (const auto guess = guessed_.find(form.key); guess != guessed_.end()) next.values[form.key] = guess->second;
    }
    next.forms.erase(std::string(id));
    change(std::move(next), std::string(row->label) + ": as guessed");
    return "";
  }
  // Variables select the form: one value is a pitch, many are positions, many times a sampling.
  std::size_t form = before.form;
  if (const auto use = find_variable(outline_, text); use && row->forms.size() > 1) {
    const auto long_axes =
        static_cast<std::size_t>(std::ranges::count_if(use->entry->shape, [](std::size_t n) { return n > 1; }));
    if (id == "elements") form = std::min<std::size_t>(2, long_axes);
    if (id == "sampling") form = std::min<std::size_t>(1, long_axes);
    if (id == "transmits" && form == 0 && long_axes == 2) form = holds_points(*use->entry) ? 1 : 3;
    if (id == "transmits" && long_axes < 2 && (form == 1 || form == 2)) form = 0;
  }
  const ReadAnswer read = read_answer(*row, row->forms[form], outline_, text);
  if (read.json.is_discarded()) return one_line(read.error);
  for (const FactRow& other : row->forms) next.values.erase(other.key);
  if (id == "transmits") next.values.erase("tx_mirrored");
  next.forms[std::string(id)] = form;
  next.values[row->forms[form].key] = {read.json, FactState::answered, one_line(read.note)};
  const std::string unit = *row->forms[form].unit.symbol == '\0' ? "" : std::string(" ") + row->forms[form].unit.symbol;
  const std::string was = before.empty() ? "" : shown_value(before.as(), outline_, before.json) + " → ";
  change(std::move(next),
         std::string(row->label) + ": " + was + shown_value(row->forms[form], outline_, read.json) + unit);
  return "";
}

std::string ImportDraft::confirm(std::string_view id) {
  DraftState next = now_;
  const FactQuestion* const row = find_question(id);
  if (row == nullptr) {
    next.axes_answered = true;
  } else {
    const DraftFact before = fact(id);
    if (before.empty()) return "no value to confirm";
    next.values[before.as().key] = {before.json, FactState::answered, ""};
  }
  change(std::move(next), std::string(row == nullptr ? "Axes" : row->label) + ": confirmed");
  return "";
}

std::string ImportDraft::choose_form(std::string_view id, std::size_t form) {
  const FactQuestion* const row = find_question(id);
  if (row == nullptr || form >= row->forms.size()) return "no such form";
  const DraftFact before = fact(id);
  DraftState next = now_;
  next.forms[std::string(id)] = form;
  const std::string key = row->forms[form].key;
  if (!next.values.contains(key)) {
    // Uses the current variable in the new meaning; otherwise a value without numbers.
    const std::string variable = variable_of(outline_, before.json);
    const ReadAnswer same = variable.empty() ? ReadAnswer() : read_answer(*row, row->forms[form], outline_, variable);
    const bool pairs =
        key == "virtual_source_m" || key == "tx_foci_m" || key == "tx_delays_s" || key == "element_pos_m";
    const OutlineEntry* const entry = variable.empty() ? nullptr : entry_of(variable);
    const bool fits =
        entry != nullptr && (std::ranges::count_if(entry->shape, [](std::size_t n) { return n > 1; }) == 2) == pairs;
    if (!same.json.is_discarded() && fits)
      next.values[key] = {same.json, FactState::answered, same.note};
    else if (key == "tx_elements")
      next.values[key] = {"all", FactState::answered, "One element after another."};
    else if (key == "tx_angles_rad" && count("transmit") == 1)
      next.values[key] = {Json::array({0}), FactState::answered, "One plane wave straight ahead."};
    else if (id == "rate" && !before.empty())
      next.values[key] = {before.json, FactState::answered, ""};
  }
  change(std::move(next), std::string(row->label) + ": " + before.as().label + " → " + row->forms[form].label);
  return "";
}

std::string ImportDraft::mirror_transmits(const std::string& event) {
  DraftState next = now_;
  if (next.values.erase("tx_mirrored") == 0) next.values["tx_mirrored"] = {true, FactState::answered, ""};
  if (!event.empty()) next.values["t_zero"] = {event, FactState::answered, ""};
  const DraftFact transmits = fact("transmits");
  if (!transmits.empty()) next.values[transmits.as().key].state = FactState::answered;
  change(std::move(next), "Transmits: left and right exchanged" + (event.empty() ? "" : ", time 0: " + event));
  return "";
}

std::string ImportDraft::set_role(std::size_t axis, const std::string& role) {
  if (axis >= now_.axes.size()) return "no such axis";
  if (now_.axes[axis] == role) return "";
  DraftState next = now_;
  const std::string before = now_.axes[axis];
  for (std::string& other : next.axes) {
    const bool taken =
        other == role || (role == "line" && other == "element") || (role == "element" && other == "line");
    if (taken && !role.empty()) other = before == role ? "" : before;
  }
  next.axes[axis] = role;
  next.axes_answered = true;
  change(std::move(next), "Axis " + std::to_string(axis + 1) + ": " + (before.empty() ? "none" : before) + " → " +
                              (role.empty() ? "none" : role));
  return "";
}

std::string ImportDraft::set_data(const std::string& path) {
  const OutlineEntry* const entry = entry_of(path);
  if (entry == nullptr || !entry->numeric) return one_line(path) + " is not an array";
  if (std::ranges::count_if(entry->shape, [](std::size_t n) { return n > 1; }) < 2)
    return one_line(path) + " has fewer than two axes";
  if (path == data()) return "";
  DraftState next = now_;
  const bool alike = entry->shape.size() == now_.axes.size() && !is_split();
  next.values["data"] = {path, FactState::answered, ""};
  next.values.erase("shape");
  next.axes_answered = true;
  if (!alike) next.axes = roles_by_length(entry->shape);
  change(std::move(next), "Data: " + data() + " → " + path);
  return "";
}

std::string ImportDraft::set_raw(const std::string& key, const std::string& text) {
  DraftState next = now_;
  Json json = text;
  if (key == "header_bytes") {
    const auto value = finite_number(text);
    if (!value || *value < 0.0 || *value != std::floor(*value) || *value > static_cast<double>(outline_.bytes))
      return "header = " + one_line(text.substr(0, 24)) + " is out of range (0 to " + std::to_string(outline_.bytes) +
             ")";
    json = static_cast<std::size_t>(*value);
  } else if (key == "dtype" && raw_type_bytes(text) == 0) {
    return "'" + one_line(text.substr(0, 24)) + "': accepted: " + raw_type_names();
  } else if (key == "byte_order" && text != "little" && text != "big") {
    return "'" + one_line(text.substr(0, 24)) + "': accepted: little, big";
  }
  next.values[key] = {json, FactState::answered, ""};
  if (key != "byte_order") fill_slowest(next);
  change(std::move(next), (key == "dtype" ? "Type: " : key == "byte_order" ? "Byte order: " : "Header: ") + text);
  return "";
}

std::string ImportDraft::set_extent(std::size_t axis, const std::string& text) {
  std::vector<std::size_t> extents = shape();
  const auto value = finite_number(text);
  if (axis >= extents.size()) return "no such axis";
  if (!value || *value < 1.0 || *value != std::floor(*value) || *value > static_cast<double>(outline_.bytes))
    return "length = " + one_line(text.substr(0, 24)) + " is out of range (1 to " + std::to_string(outline_.bytes) +
           ")";
  extents[axis] = static_cast<std::size_t>(*value);
  DraftState next = now_;
  next.values["shape"] = {extents, FactState::answered, ""};
  if (axis != 0) fill_slowest(next);
  change(std::move(next), "Shape: axis " + std::to_string(extents.size() - axis) + " = " + text);
  return "";
}

// Sets the slowest axis to the length that fits the file, for bytes described as in `next`.
void ImportDraft::fill_slowest(DraftState& next) const {
  RawShape raw = raw_shape();
  if (const Json& given = next.values["shape"].json; given.is_array())
    raw.extents = given.get<std::vector<std::size_t>>();
  if (outline_.n_files > 1) return;
  fill_slowest_axis(raw, outline_.bytes, next.whole("header_bytes"), raw_type_bytes(next.word("dtype")));
  next.values["shape"].json = raw.extents;
}

std::string ImportDraft::change_shape(std::string (*edit)(RawShape&, std::size_t, std::size_t), std::size_t axis,
                                      std::size_t length, const char* what) {
  RawShape raw = raw_shape();
  if (!raw_ || raw.axes.size() != raw.extents.size()) return "no such axis";
  if (std::string why = edit(raw, axis, length); !why.empty()) return why;
  DraftState next = now_;
  next.values["shape"] = {raw.extents, FactState::answered, ""};
  next.axes = raw.axes;
  next.axes_answered = true;
  change(std::move(next), what);
  return "";
}

std::string ImportDraft::divide_extent(std::size_t axis, std::size_t faster) {
  return change_shape(divide_axis, axis, faster, "Shape: an axis divided");
}

std::string ImportDraft::join_extent(std::size_t axis) {
  return change_shape(join_axes, axis, outline_.bytes, "Shape: two axes joined");
}

bool ImportDraft::suggest(std::string_view id, double si, const std::string& reason) {
  const DraftFact before = fact(id);
  if (!unsaid(before.state) || !before.row->forms.empty() == false) return false;
  if (json_dump(before.json) == json_dump(si)) return false;
  const std::string key = before.as().key;
  guessed_[key] = now_.values[key] = {si, FactState::assumed, reason};
  return true;
}

void ImportDraft::take_description(const std::string& text, const std::string& reason) {
  DraftState next = now_;
  const bool own = reason.starts_with(kFromDescription);
  if (!next.take_description(own ? text : next.unknown_of(text, outline_), reason)) return;
  for (auto& [key, value] : next.values) {  // a guess when saved is a guess again
    const auto guess = guessed_.find(key);
    if (value.state == FactState::assumed && guess != guessed_.end() &&
        json_dump(guess->second.json) == json_dump(value.json))
      value = guess->second;
  }
  if (raw_ && !own) fill_slowest(next);
  now_ = std::move(next);
  now_.axes.resize(shape().size());
  guessed_ = now_.values;
}

bool ImportDraft::undo() {
  if (past_.empty()) return false;
  future_.push_back(std::move(now_));
  now_ = std::move(past_.back());
  past_.pop_back();
  return true;
}

bool ImportDraft::redo() {
  if (future_.empty()) return false;
  past_.push_back(std::move(now_));
  now_ = std::move(future_.back());
  future_.pop_back();
  return true;
}

}  // namespace echoloop
