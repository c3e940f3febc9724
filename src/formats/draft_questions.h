// What is open in a description in the making: without an answer, or with nothing better than a guess that may be
// wrong. The assistant's head, its section Missing, the button and the saved key "assumed" follow from this list. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/draft_facts.h"
#include "formats/file_outline.h"

namespace echoloop {

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
