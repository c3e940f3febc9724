// One value of an enumeration among the parameters.
#pragma once

#include <string_view>

namespace echoloop {

struct ParamChoice {
  std::string_view name;       // in --set and in files
  std::string_view label;      // on screen
  std::string_view note = {};  // behind the label, in lists
};

}  // namespace echoloop
