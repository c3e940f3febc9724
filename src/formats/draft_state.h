// What a description in the making says at one time: a step of undo. Pure values; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/draft_facts.h"

namespace echoloop {

inline constexpr const char* kFromDescription = "description";  // reason of a value that one beside the file has

inline constexpr const char* kFromExample = "As in ";  // begins the reason of a value of one beside another file

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
  // What a JSON description says, in place of what is here; false: it is none.
  // Of a description of another file what this one does not say itself, and has the variables for.
  [[nodiscard]] std::string unknown_of(const std::string& text, const FileOutline& outline) const;
  // `reason`: of its values, which are guesses if the description is one of another file.
  bool take_description(const std::string& text, const std::string& reason = kFromDescription);
};

}  // namespace echoloop
