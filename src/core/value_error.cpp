#include "core/value_error.h"

namespace echoloop {

Error out_of_range(const std::string& name, const std::string& value, const std::string& range) {
  return Error::from_line(name + " = " + value + " is out of range (" + range + ")");
}

Error invalid_value(const std::string& name, const std::string& value, const std::string& expected) {
  return Error::from_line(name + " = '" + value + "' is not valid; expected " + expected);
}

}  // namespace echoloop
