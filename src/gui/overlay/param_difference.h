// What two sets of image formation parameters differ in, in the words of the panels. Any thread. No ImGui.
#pragma once

#include <string>
#include <vector>

#include "core/params.h"

namespace echoloop {

struct ParamDifference {
  std::string label, a, b, unit;
};

// Parameters of image formation that are not the same, as the panels write them, with as many decimals as it takes to
// see the difference.
std::vector<ParamDifference> differing_params(const ImagingParams& a, const ImagingParams& b);

}  // namespace echoloop
