#include "core/error.h"

#include "core/units.h"

namespace echoloop {
namespace {

// Replaces line breaks by spaces, and control characters (e.g. in file names) by '?'.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return plain_text(text);
}

}  // namespace

Error::Error(const std::string& what, const std::string& found, const std::string& accepted, const std::string& hint)
    : std::runtime_error(
          one_line(what + ": " + found + "; expected " + accepted + (hint.empty() ? "" : " (" + hint + ")"))) {}

Error::Error(const std::string& line) : std::runtime_error(one_line(line)) {}

Error out_of_range(const std::string& name, const std::string& value, const std::string& range) {
  return Error::from_line(name + " = " + value + " is out of range (" + range + ")");
}

Error invalid_value(const std::string& name, const std::string& value, const std::string& expected) {
  return Error::from_line(name + " = '" + value + "' is not valid; expected " + expected);
}

}  // namespace echoloop
