#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Of the parameters that a recording would set beyond the limits of param_table(), SI units: "default of KEY limited to
// ...". default_params() has the limited values.
std::vector<std::string> limited_defaults(const Acquisition& acquisition);

}  // namespace echoloop
