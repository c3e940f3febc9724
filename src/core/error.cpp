#include "core/error.h"

namespace echoloop {
namespace {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace

Error::Error(const std::string& what, const std::string& found, const std::string& accepted, const std::string& hint)
    : std::runtime_error(
          one_line(what + ": " + found + "; expected " + accepted + (hint.empty() ? "" : " (" + hint + ")"))) {}

Error::Error(const std::string& line) : std::runtime_error(one_line(line)) {}

}  // namespace echoloop
