// A description being edited: guesses about a file, its outline and the user's answers. Every change results in a JSON
// description; missing facts are listed by importance; every answer can be undone. Pure values; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.h"
#include "formats/file_outline.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// Facts of a description except the array and its axes, as questions by importance, and the parsing of a typed answer.
// Constant data and pure functions. Any thread.
struct FactQuestion : FactRow::Question {
  std::vector<FactRow> forms;  // alternative ways to answer it
};

// Values of the fact "event".
inline constexpr const char* kEventWords[] = {"first_firing", "origin", "centre", "delays"};

enum class FactState { missing, asked, assumed, guessed, read, answered };  // asked: a guess that may be wrong

// Returns true if a fact is neither in the file nor given by the user: the saved key "assumed" lists it.
[[nodiscard]] constexpr bool is_guess(FactState state) {
  return state == FactState::asked || state == FactState::assumed || state == FactState::guessed;
}
// Returns the state of an outline's value: read if based on names of variables, guessed if on sizes and counts.
[[nodiscard]] FactState state_of(const FileOutline& outline, const OutlineGuess& guess);

// A value of a description, and its origin.
struct DraftValue {
  Json json = Json::value_t::discarded;  // none
  FactState state = FactState::guessed;
  std::string reason = {};  // one line
  [[nodiscard]] bool empty() const { return json.is_discarded(); }
};

struct DraftFact : DraftValue {  // the current answer to a question
  const FactQuestion* row = nullptr;
  std::size_t form = 0;  // of row->forms
  [[nodiscard]] const FactRow& as() const { return row->forms[form]; }
};

const std::vector<FactQuestion>& fact_questions();  // most important first
const FactQuestion* find_question(std::string_view id);
const FactQuestion* question_of_key(std::string_view key);  // null: of none
std::optional<std::size_t> form_of_key(const FactQuestion& row, std::string_view key);

// A variable of the file and its factor: "acq.fs", "acq.fs * 1e6", "1 / acq.dt".
struct VariableUse {
  const OutlineEntry* entry = nullptr;
  double factor = 1.0;
  bool inverse = false;     // factor / variable
  bool has_factor = false;  // as typed
};
std::optional<VariableUse> find_variable(const FileOutline& outline, std::string_view text);

struct ValueRange {
  double first = 0.0, least = 0.0, most = 0.0;
  [[nodiscard]] double largest() const;
};
// Returns the values that the outline shows of an entry, or their range; nullopt if it has neither.
std::optional<ValueRange> range_of(const OutlineEntry& entry);

struct ReadAnswer {
  Json json = Json::value_t::discarded;  // for the key of the form; discarded: invalid
  std::string note = {};                 // "read as mm"
  std::string error = {};                // one line: "pitch = 0.3 m is out of range (1e-05 to 0.01)"
};
// Returns true if a matrix contains (x, z) or (x, y, z) per row, and no delays by its name.
bool holds_points(const OutlineEntry& entry);
// Parses a number, numbers, "first : step : last", points "x z; x z" in the unit on screen or a typed one; a variable
// of the file; JSON in SI units.
ReadAnswer read_answer(const FactQuestion& row, const FactRow& form, const FileOutline& outline, std::string_view text);

// Returns plain_text() with line breaks and tabs as spaces: for typed, pasted or read text in a row of the window.
std::string one_line(std::string_view text);

// Returns a value of a description for display, without its unit ("64 values, −9.45 … 9.45"), and as text to type.
std::string shown_value(const FactRow& form, const FileOutline& outline, const Json& json);
std::string typed_value(const FactRow& form, const Json& json);
// Returns the variable named by a value ("acq.fs"); empty: none.
std::string variable_of(const FileOutline& outline, const Json& json);
// Returns the value as a single number, SI; nullopt: several, or unknown.
std::optional<double> number_of(const FileOutline& outline, const Json& json);

// Returns the question about a guessed fact that may be wrong, or about the axes; empty: none.
std::string question_about(const FileOutline& outline, const FactQuestion& row);
std::string question_about_axes(const FileOutline& outline);
const OutlineEntry* largest_array(const FileOutline& outline);  // numeric only; null: none

// Returns the roles of the axes of an array by their lengths alone: the longest is time.
std::vector<std::string> roles_by_length(const std::vector<std::size_t>& shape);

// State of a description being edited: a step of undo. Pure values; one thread.

// Prefixes of a value's reason: from the description that the file opens with, or from that of another file.
inline constexpr const char* kFromDescription = "From ";
inline constexpr const char* kFromExample = "As in ";

// Returns true if transmits assumed for other axes fit: one for each, or "all", each element.
[[nodiscard]] bool fits_axes(const Json& transmits, std::size_t n_transmits, std::size_t n_elements);

struct DraftState {
  std::map<std::string, DraftValue> values;  // by key
  std::map<std::string, std::size_t> forms;
  std::vector<std::string> axes;
  bool axes_answered = false;
  std::string change;  // name of the change that led to this state

  [[nodiscard]] std::string word(const std::string& key) const;    // a text of the description; "" if missing
  [[nodiscard]] std::size_t whole(const std::string& key) const;   // a number of it; 0 if missing
  [[nodiscard]] std::string reason(const std::string& key) const;  // reason of its guess
  [[nodiscard]] std::optional<double> sampling_hz(const FileOutline& outline) const;  // fs_hz, or from uniform times
  void prefer_positions();                                                            // of elements, over a pitch
  // Returns the part of another file's description that is unknown for this one, and whose variables it has.
  [[nodiscard]] std::string unknown_of(const std::string& text, const FileOutline& outline) const;
  // Applies a JSON description to this state; returns false if it is none. `reason`: of its values, which are guesses
  // if the description is one of another file.
  bool take_description(const std::string& text, const std::string& reason);
};

// Lengths and roles of the axes of raw bytes, slowest first, and their edits.
struct RawShape {
  std::vector<std::size_t> extents;
  std::vector<std::string> axes;
};

// Sets the slowest axis to the remaining length of the file after its header.
void fill_slowest_axis(RawShape& shape, std::size_t file_bytes, std::size_t header_bytes, std::size_t value_bytes);
// Splits an axis in two, the faster one of length `faster`: time and elements remain the faster part, frames the slower
// one, and the other part gets an unused role. Returns an empty text, or a one-line error.
std::string divide_axis(RawShape& shape, std::size_t axis, std::size_t faster);
// Joins an axis with the next faster one: at most `most` long.
std::string join_axes(RawShape& shape, std::size_t axis, std::size_t most);

// Open questions of a description being edited: without an answer, or with only a guess that may be wrong. The
// assistant's header, its section Missing and the button follow from this list.
struct OpenQuestion {
  std::string id;           // "axes", or of fact_questions()
  std::string key = {};     // of the description: "axes", "t0_s"; empty: it has no value
  bool needed = false;      // the file does not open without an answer
  std::string reason = {};  // of the axes
};

// Returns the roles of all axes. Axes of length 1 without a role get any unused one.
std::vector<std::string> named_axes(std::vector<std::string> roles, const std::vector<std::size_t>& extents);

struct DraftAxes {
  std::vector<std::string> roles;
  std::vector<std::size_t> extents;
  bool answered = false;  // by the user or a description
};
// Returns the open questions, most important first. `facts`: all of the draft.
std::vector<OpenQuestion> open_questions(const FileOutline& outline, const DraftAxes& axes,
                                         const std::vector<DraftFact>& facts);

// Guesses about samples without a container, from their bytes alone: type and byte order by the smoothness of
// neighbours, the line length by its similarity to the next line, header and shape by numbers in the header that fit
// the size. Each has its reason; the image decides. Pure; any thread.
struct RawNumber {  // in the first bytes
  std::size_t offset = 0;
  double value = 0.0;
  std::string meaning;  // "samples?"
};

struct RawGuess {
  std::string dtype, byte_order;
  std::size_t header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first, as in a description
  std::vector<std::string> axes;   // slowest first, too
  double sampling_hz = 0.0;        // from the header; 0: none
  std::string why_type, why_order, why_header, why_shape, why_sampling;
  std::vector<RawNumber> numbers;
  std::size_t line_values = 0;  // 0: not found
  std::vector<float> likeness;  // correlation of samples `index` values apart, rectified; 1 at 0
};

RawGuess guess_raw(std::span<const std::byte> file);

std::size_t raw_type_bytes(std::string_view dtype);  // of a value; 0: no such type
std::vector<std::string> raw_types();                // all, as in a description
std::string raw_type_names();
// Returns the values from byte `from` on: `most` of them or as many as there are.
std::vector<float> raw_values(std::span<const std::byte> file, std::size_t from, std::string_view dtype,
                              std::string_view byte_order, std::size_t most);

// Names of axes in a description; "" for none.
inline constexpr const char* kAxisRoles[] = {"time", "element", "transmit", "frame", "line", "iq"};

class ImportDraft {
 public:
  ImportDraft(FileOutline outline, std::string file_name);
  // For raw bytes without a container.
  ImportDraft(FileOutline outline, std::string file_name, const RawGuess& raw);

  [[nodiscard]] const FileOutline& outline() const { return outline_; }
  [[nodiscard]] bool raw() const { return raw_; }
  [[nodiscard]] std::string data() const { return word("data"); }  // path of the array
  [[nodiscard]] std::vector<std::size_t> shape() const;            // of the array, after a split of axes
  [[nodiscard]] bool can_split() const;                            // a split is guessed
  [[nodiscard]] bool is_split() const;
  [[nodiscard]] const std::vector<std::string>& axes() const { return now_.axes; }
  [[nodiscard]] std::string word(const std::string& key) const { return now_.word(key); }
  [[nodiscard]] std::size_t whole(const std::string& key) const { return now_.whole(key); }
  [[nodiscard]] std::string reason(const std::string& key) const { return now_.reason(key); }
  [[nodiscard]] std::vector<DraftFact> facts() const;                 // most important first
  [[nodiscard]] DraftFact fact(std::string_view id) const;            // an id of fact_questions()
  [[nodiscard]] std::vector<OpenQuestion> questions() const;          // most important first
  [[nodiscard]] std::string use_of(const OutlineEntry& entry) const;  // label of the fact, "samples"; empty: unused
  // Returns JSON, in the order of the table of keys. `file`: with the name of the file, any_file: for any file name.
  enum class Naming { file, any_file };
  [[nodiscard]] std::string description(Naming naming = Naming::file) const;
  [[nodiscard]] std::size_t count(const char* role) const;  // length of the axis of that role; 1 without one
  [[nodiscard]] bool lines() const;                         // beamformed already
  [[nodiscard]] bool iq() const;
  [[nodiscard]] std::size_t raw_bytes() const;  // header and all samples

  // Changes. Each returns an empty text, or a one-line error; then nothing has changed.
  std::string answer(std::string_view id, std::string_view text);  // empty text: restores the guess
  std::string confirm(std::string_view id);                        // accepts the guess as the answer; an id, or "axes"
  std::string choose_form(std::string_view id, std::size_t form);
  // Exchanges left and right of the transmits, or undoes it; sets `event` as the event at time 0, unless empty.
  std::string mirror_transmits(const std::string& event);
  [[nodiscard]] bool mirrored() const { return now_.values.contains("tx_mirrored"); }
  std::string set_role(std::size_t axis, const std::string& role);  // the axis with this role gets the other's
  std::string set_data(const std::string& path);
  std::string toggle_split();                                            // as guessed, or as stored
  std::string set_raw(const std::string& key, const std::string& text);  // dtype, byte_order, header_bytes
  // For raw bytes. The slowest axis gets the remaining length of the file, unless it is the one being set.
  std::string set_extent(std::size_t axis, const std::string& text);
  std::string divide_extent(std::size_t axis, std::size_t faster);  // in two; `faster`: length of the faster one
  std::string join_extent(std::size_t axis);                        // with the next faster one
  // Replaces an unanswered value by a measured one: no step of undo, and never replaces an answer.
  bool suggest(std::string_view id, double si, const std::string& reason);
  // Applies an existing description of the file; with another reason that of a similar file: its values are guesses.
  void take_description(const std::string& json, const std::string& reason = "From a description.");

  [[nodiscard]] bool can_undo() const { return !past_.empty(); }
  [[nodiscard]] bool can_redo() const { return !future_.empty(); }
  bool undo();
  bool redo();
  [[nodiscard]] const std::string& last_change() const { return now_.change; }  // "Transmits: 3 rows"

 private:
  void take_guesses();
  void assume_rest();
  void assume_transmits();
  [[nodiscard]] bool axes_guessed() const;
  void change(DraftState next, const std::string& text);
  void fill_slowest(DraftState& next) const;
  [[nodiscard]] RawShape raw_shape() const { return {shape(), now_.axes}; }
  std::string change_shape(std::string (*edit)(RawShape&, std::size_t, std::size_t), std::size_t axis,
                           std::size_t length, const char* what);
  [[nodiscard]] const OutlineEntry* entry_of(const std::string& path) const;
  [[nodiscard]] std::vector<std::size_t> stored_shape() const;

  FileOutline outline_;
  std::string file_name_;
  bool raw_ = false;
  std::map<std::string, DraftValue> guessed_;
  std::vector<std::string> guessed_axes_;
  DraftState now_;
  std::vector<DraftState> past_, future_;
};

}  // namespace echoloop
