// Refusals of one value by name, in the two sentences that options, parameters and file fields share.
// Why: "f_number = 99 is out of range (0 to 10)" reads the same wherever the value came from.
// Any thread. An Error with other parts (a file, a hint) is built by the constructor in core/error.h.
#pragma once

#include <string>

#include "core/error.h"

namespace echoloop {

// "NAME = VALUE is out of range (RANGE)"
[[nodiscard]] Error out_of_range(const std::string& name, const std::string& value, const std::string& range);

// "NAME = 'VALUE' is not valid; expected EXPECTED"
[[nodiscard]] Error invalid_value(const std::string& name, const std::string& value, const std::string& expected);

}  // namespace echoloop
