// What a description in the making says at one time: a step of undo. Pure values; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/draft_facts.h"
#include "formats/file_outline.h"

namespace echoloop {

// Begin the reason of a value: of the description that the file opens with, of one beside another file.
inline constexpr const char* kFromDescription = "From ";
inline constexpr const char* kFromExample = "As in ";

struct DraftValue {
  std::string json;
  FactState state = FactState::guessed;
  std::string reason;
};

// Transmits as JSON, assumed of other axes: one for each, or "all", each element.
[[nodiscard]] bool fits_axes(const std::string& transmits, std::size_t n_transmits, std::size_t n_elements);

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
  std::string id;           // "axes", or of fact_rows()
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

}  // namespace echoloop
