// What a description says besides the array and its axes, as a table of facts in the order in which they matter: the
// ways to state each of them, units on screen, limits, and the reading of a typed answer. Constant data and pure
// functions. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/base/quantity.h"
#include "formats/file_outline.h"

namespace echoloop {

enum class FactShape { number, list, points, word };

struct FactForm {      // one way to state a fact
  const char* key;     // of the description
  const char* label;   // "plane waves, angles"
  const char* unit;    // on screen
  double per_unit;     // SI value of one unit on screen
  double least, most;  // SI, magnitude, both accepted; list and points: of the largest
  FactShape shape;
  Quantity quantity;  // for the unit of a variable without one
};

enum class FactNeed { required, asked, optional };  // asked: has a default, which may be wrong

struct FactRow {
  const char* id;
  const char* label;
  FactNeed need;
  std::span<const FactForm> forms;
  const char* help;
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

struct DraftFact {  // as it stands in a description in the making
  const FactRow* row = nullptr;
  std::size_t form = 0;  // of row->forms
  std::string json;      // empty: none
  FactState state = FactState::missing;
  std::string reason;  // one line
  [[nodiscard]] const FactForm& as() const { return row->forms[form]; }
};

std::span<const FactRow> fact_rows();  // most important first
const FactRow* find_fact_row(std::string_view id);
const FactRow* fact_row_of_key(std::string_view key);  // null: of none
std::optional<std::size_t> form_of_key(const FactRow& row, std::string_view key);

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
  std::string json;   // for the key of the form; empty: refused
  std::string note;   // "read as mm"
  std::string error;  // one line: "pitch = 0.3 m is out of range (1e-05 to 0.01)"
};
// Of a matrix: (x, z) or (x, y, z) of each, and no delays by its name.
bool holds_points(const OutlineEntry& entry);
// A number, numbers, "first : step : last", points "x z; x z" in the unit on screen or that typed behind them; a
// variable of the file; JSON in SI units.
ReadAnswer read_answer(const FactRow& row, const FactForm& form, const FileOutline& outline, std::string_view text);

// plain_text() with line breaks and tabs as spaces: what was typed, pasted or read, in a row of the window.
std::string one_line(std::string_view text);

// A value of a description on screen, without its unit ("64 values, −9.45 … 9.45"), and as it would be typed.
std::string shown_value(const FactForm& form, const FileOutline& outline, const std::string& json);
std::string typed_value(const FactForm& form, const std::string& json);
// "acq.fs": the variable that a value names; empty: none.
std::string variable_of(const FileOutline& outline, const std::string& json);
// The one number that a value stands for, SI; nothing: several, or unknown.
std::optional<double> number_of(const FileOutline& outline, const std::string& json);

// What is asked about a fact that is guessed all the same, or about the axes; empty: nothing.
std::string question_about(const FileOutline& outline, const FactRow& row);
std::string question_about_axes(const FileOutline& outline);
const OutlineEntry* largest_array(const FileOutline& outline);  // of numbers; null: none

// Roles of the axes of an array by their lengths alone: the longest is time.
std::vector<std::string> roles_by_length(const std::vector<std::size_t>& shape);

}  // namespace echoloop
