// What a file may fail to say about its recording and the user may know: a centre frequency, a frame rate, the time of
// the first sample. One table for --set, for the window's Source panel and for the readers' assumptions.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/acquisition.h"

namespace echoloop {

struct FactSpec {
  const char* key;  // SI, as in --set KEY=VALUE
  const char* label;
  const char* unit;                // on screen
  double per_unit;                 // SI value of one unit on screen
  double least, most;              // SI, both accepted
  double track_least, track_most;  // SI, reached by dragging
  bool logarithmic;
  const char* help;
  double (*get)(const Acquisition&);
  void (*set)(Acquisition&, double);
};

std::span<const FactSpec> fact_specs();
const FactSpec* find_fact(std::string_view key);  // null: no such fact

using Facts = std::map<std::string, double>;  // by key, SI

// Takes the facts out of KEY=VALUE settings; the others stay, in their order. Throws Error for a value that is no
// number or out of range.
Facts take_facts(std::vector<std::string>& settings);

// The acquisition with the user's facts in place of what the reader assumed. Throws Error (naming `what`) when it is
// not valid with them.
AcquisitionPtr with_facts(const std::string& what, const AcquisitionPtr& acquisition, const Facts& facts);

}  // namespace echoloop
