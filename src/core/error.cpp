#include "core/error.h"

#include "core/plain_text.h"

namespace echoloop {
namespace {

// Line breaks become spaces; control characters, as in names of files, become '?'.
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

}  // namespace echoloop
