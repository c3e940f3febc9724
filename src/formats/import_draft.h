// A description in the making: what is guessed of a file, what its outline holds and what the user has answered. Every
// change gives a JSON description; what is missing is known in the order in which it matters; every answer can be
// undone. Pure values; one thread.
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

// What a description says besides the array and its axes, as questions in the order in which they matter, and the
// reading of a typed answer. Constant data and pure functions. Any thread.

struct FactQuestion : FactRow::Question {
  std::vector<FactRow> forms;  // the ways to answer it
};

// Values of the fact "event".
inline constexpr const char* kEventWords[] = {"first_firing", "origin", "centre", "delays"};

enum class FactState { missing, asked, assumed, guessed, read, answered };  // asked: a guess that may be wrong

// Neither in the file nor said by the user: the saved key "assumed" lists it.
[[nodiscard]] constexpr bool is_guess(FactState state) {
  return state == FactState::asked || state == FactState::assumed || state == FactState::guessed;
}
// A value of an outline. The names of variables tell what is read, sizes and counts what is guessed.
[[nodiscard]] FactState state_of(const FileOutline& outline, const OutlineGuess& guess);

// A value of a description, and where it comes from.
struct DraftValue {
  Json json = Json::value_t::discarded;  // none
  FactState state = FactState::guessed;
  std::string reason = {};  // one line
  [[nodiscard]] bool empty() const { return json.is_discarded(); }
};

struct DraftFact : DraftValue {  // the answer to a question, as it stands
  const FactQuestion* row = nullptr;
  std::size_t form = 0;  // of row->forms
  [[nodiscard]] const FactRow& as() const { return row->forms[form]; }
};

const std::vector<FactQuestion>& fact_questions();  // most important first
const FactQuestion* find_question(std::string_view id);
const FactQuestion* question_of_key(std::string_view key);  // null: of none
std::optional<std::size_t> form_of_key(const FactQuestion& row, std::string_view key);

// "acq.fs", "acq.fs * 1e6", "1 / acq.dt": a variable of the file and what it is multiplied with.
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
// Of what the outline spells out of an entry, or gives the range of; nothing: neither.
std::optional<ValueRange> range_of(const OutlineEntry& entry);

struct ReadAnswer {
  Json json = Json::value_t::discarded;  // for the key of the form; discarded: refused
  std::string note = {};                 // "read as mm"
  std::string error = {};                // one line: "pitch = 0.3 m is out of range (1e-05 to 0.01)"
};
// Of a matrix: (x, z) or (x, y, z) of each, and no delays by its name.
bool holds_points(const OutlineEntry& entry);
// A number, numbers, "first : step : last", points "x z; x z" in the unit on screen or that typed behind them; a
// variable of the file; JSON in SI units.
ReadAnswer read_answer(const FactQuestion& row, const FactRow& form, const FileOutline& outline, std::string_view text);

// plain_text() with line breaks and tabs as spaces: what was typed, pasted or read, in a row of the window.
std::string one_line(std::string_view text);

// A value of a description on screen, without its unit ("64 values, −9.45 … 9.45"), and as it would be typed.
std::string shown_value(const FactRow& form, const FileOutline& outline, const Json& json);
std::string typed_value(const FactRow& form, const Json& json);
// "acq.fs": the variable that a value names; empty: none.
std::string variable_of(const FileOutline& outline, const Json& json);
// The one number that a value stands for, SI; nothing: several, or unknown.
std::optional<double> number_of(const FileOutline& outline, const Json& json);

// What is asked about a fact that is guessed all the same, or about the axes; empty: nothing.
std::string question_about(const FileOutline& outline, const FactQuestion& row);
std::string question_about_axes(const FileOutline& outline);
const OutlineEntry* largest_array(const FileOutline& outline);  // of numbers; null: none

// Roles of the axes of an array by their lengths alone: the longest is time.
std::vector<std::string> roles_by_length(const std::vector<std::size_t>& shape);

// What a description in the making says at one time: a step of undo. Pure values; one thread.

// Begin the reason of a value: of the description that the file opens with, of one beside another file.
inline constexpr const char* kFromDescription = "From ";
inline constexpr const char* kFromExample = "As in ";

// Transmits, assumed of other axes: one for each, or "all", each element.
[[nodiscard]] bool fits_axes(const Json& transmits, std::size_t n_transmits, std::size_t n_elements);

struct DraftState {
  std::map<std::string, DraftValue> values;  // by key
  std::map<std::string, std::size_t> forms;
  std::vector<std::string> axes;
  bool axes_answered = false;
  std::string change;  // that led here

  [[nodiscard]] std::string word(const std::string& key) const;    // a text of the description; "" without one
  [[nodiscard]] std::size_t whole(const std::string& key) const;   // a number of it; 0 without one
  [[nodiscard]] std::string reason(const std::string& key) const;  // why it is guessed so
  [[nodiscard]] std::optional<double> sampling_hz(const FileOutline& outline) const;  // of fs_hz, or of even times
  void prefer_positions();  // of elements, to a pitch beside them
  // Of a description of another file what this one does not say itself, and has the variables for.
  [[nodiscard]] std::string unknown_of(const std::string& text, const FileOutline& outline) const;
  // What a JSON description says, in place of what is here; false: it is none. `reason`: of its values, which are
  // guesses if the description is one of another file.
  bool take_description(const std::string& text, const std::string& reason);
};

// Lengths and roles of the axes of raw bytes, slowest first, and what the user does to them.
struct RawShape {
  std::vector<std::size_t> extents;
  std::vector<std::string> axes;
};

// The slowest axis takes what the file has left behind its header.
void fill_slowest_axis(RawShape& shape, std::size_t file_bytes, std::size_t header_bytes, std::size_t value_bytes);
// Empty, or why not in one line. An axis into two, the faster one of length `faster`: time and elements stay the faster
// part, frames the slower one, and the other part gets a role that is left.
std::string divide_axis(RawShape& shape, std::size_t axis, std::size_t faster);
// With the next faster axis: at most `most` long.
std::string join_axes(RawShape& shape, std::size_t axis, std::size_t most);

// What is open in a description in the making: without an answer, or with nothing better than a guess that may be
// wrong. The assistant's head, its section Missing and the button follow from this list.
struct OpenQuestion {
  std::string id;           // "axes", or of fact_questions()
  std::string key = {};     // of the description: "axes", "t0_s"; empty: it has no value
  bool needed = false;      // nothing opens without an answer
  std::string reason = {};  // of the axes
};

// Roles of all axes. Axes of length 1 that have none do not count: any role that is left serves.
std::vector<std::string> named_axes(std::vector<std::string> roles, const std::vector<std::size_t>& extents);

struct DraftAxes {
  std::vector<std::string> roles;
  std::vector<std::size_t> extents;
  bool answered = false;  // by the user or a description
};
// Most important first. `facts`: all of the draft.
std::vector<OpenQuestion> open_questions(const FileOutline& outline, const DraftAxes& axes,
                                         const std::vector<DraftFact>& facts);

// What samples without a container may be, from their bytes alone: type and byte order by the smoothness of neighbours,
// the length of a line by its likeness to the next one, header and shape by numbers in the header that fit the size.
// Guesses, each with its reason; the image is the judge. Pure; any thread.

struct RawNumber {  // in the first bytes
  std::size_t offset = 0;
  double value = 0.0;
  std::string meaning;  // "samples?"
};

struct RawGuess {
  std::string dtype, byte_order;
  std::size_t header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first, as a description has it
  std::vector<std::string> axes;   // likewise
  double sampling_hz = 0.0;        // of the header; 0: none
  std::string why_type, why_order, why_header, why_shape, why_sampling;
  std::vector<RawNumber> numbers;
  std::size_t line_values = 0;  // 0: not found
  std::vector<float> likeness;  // of a sample and the one `index` values later, rectified; 1 at 0
};

RawGuess guess_raw(std::span<const std::byte> file);

std::size_t raw_type_bytes(std::string_view dtype);  // of a value; 0: no such type
std::vector<std::string> raw_types();                // all, as a description names them
std::string raw_type_names();
// Values from byte `from` on, as far as they reach.
std::vector<float> raw_values(std::span<const std::byte> file, std::size_t from, std::string_view dtype,
                              std::string_view byte_order, std::size_t most);

// Names of axes as a description has them; "" for none.
inline constexpr const char* kAxisRoles[] = {"time", "element", "transmit", "frame", "line", "iq"};

class ImportDraft {
 public:
  ImportDraft(FileOutline outline, std::string file_name);
  // Raw bytes without a container.
  ImportDraft(FileOutline outline, std::string file_name, const RawGuess& raw);

  [[nodiscard]] const FileOutline& outline() const { return outline_; }
  [[nodiscard]] bool raw() const { return raw_; }
  [[nodiscard]] std::string data() const { return word("data"); }  // path of the array
  [[nodiscard]] std::vector<std::size_t> shape() const;            // of the array, with axes that are split
  [[nodiscard]] bool can_split() const;                            // it is guessed how
  [[nodiscard]] bool is_split() const;
  [[nodiscard]] const std::vector<std::string>& axes() const { return now_.axes; }
  [[nodiscard]] std::string word(const std::string& key) const { return now_.word(key); }
  [[nodiscard]] std::size_t whole(const std::string& key) const { return now_.whole(key); }
  [[nodiscard]] std::string reason(const std::string& key) const { return now_.reason(key); }
  [[nodiscard]] std::vector<DraftFact> facts() const;                 // most important first
  [[nodiscard]] DraftFact fact(std::string_view id) const;            // an id of fact_questions()
  [[nodiscard]] std::vector<OpenQuestion> questions() const;          // most important first
  [[nodiscard]] std::string use_of(const OutlineEntry& entry) const;  // "sampling"; empty: unused
  // JSON, in the order of the table of keys. `file`: with the name of the file, else for a file of any name.
  enum class Naming { file, any_file };
  [[nodiscard]] std::string description(Naming naming = Naming::file) const;
  [[nodiscard]] std::size_t count(const char* role) const;  // length of the axis of that role; 1 without one
  [[nodiscard]] bool lines() const;                         // beamformed already
  [[nodiscard]] bool iq() const;
  [[nodiscard]] std::size_t raw_bytes() const;  // header and all samples

  // Changes. Empty, or why not in one line; then nothing has changed.
  std::string answer(std::string_view id, std::string_view text);  // empty text: back to the guess
  std::string confirm(std::string_view id);  // what is guessed or assumed is the answer; an id, or "axes"
  std::string choose_form(std::string_view id, std::size_t form);
  // Left and right of the transmits exchanged, or as they were; with the event at time 0, unless empty.
  std::string mirror_transmits(const std::string& event);
  [[nodiscard]] bool mirrored() const { return now_.values.contains("tx_mirrored"); }
  std::string set_role(std::size_t axis, const std::string& role);  // the axis that has it gets this one's
  std::string set_data(const std::string& path);
  std::string toggle_split();                                            // as guessed, or as stored
  std::string set_raw(const std::string& key, const std::string& text);  // dtype, byte_order, header_bytes
  // Of raw bytes. The slowest axis takes what the file has left, unless it is the one that is set.
  std::string set_extent(std::size_t axis, const std::string& text);
  std::string divide_extent(std::size_t axis, std::size_t faster);  // into two, the faster one so long
  std::string join_extent(std::size_t axis);                        // with the next faster one
  // In place of an assumed value, from the samples: no step of undo, and never in place of an answer.
  bool suggest(std::string_view id, double si, const std::string& reason);
  // A description that the file has already; with another reason one of a file alike: its values are guesses.
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
