#include "formats/draft_questions.h"

#include <algorithm>

namespace echoloop {

std::vector<std::string> named_axes(std::vector<std::string> named, const std::vector<std::size_t>& extents) {
  for (std::size_t a = 0; a < named.size(); ++a) {
    if (!named[a].empty() || a >= extents.size() || extents[a] != 1) continue;
    for (const char* const role : {"frame", "transmit", "iq"}) {
      if (std::ranges::find(named, role) != named.end()) continue;
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
  if (!has("time") || !(has("element") || has("line")) || std::ranges::find(named, "") != named.end()) {
    list.push_back({.id = "axes",
                    .key = "axes",
                    .needed = true,
                    .reason = "time and element (or line) are needed, and a role for each axis"});
  } else if (const std::string asked = question_about_axes(outline); !asked.empty() && !axes.answered) {
    list.push_back({.id = "axes", .key = "axes", .reason = asked});
  }
  for (const DraftFact& one : facts) {
    const bool required = one.row->need == FactNeed::required, empty = one.json.empty();
    const bool asked = one.state == FactState::asked ||
                       (one.state == FactState::assumed && (required || one.row->id == std::string_view("zero")));
    if (empty ? one.row->need != FactNeed::optional : asked)
      list.push_back({.id = one.row->id, .key = empty ? "" : one.as().key, .needed = required && empty});
  }
  return list;
}

}  // namespace echoloop
