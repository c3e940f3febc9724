#include "formats/base/printable.h"

namespace echoloop {

std::string printable(std::string_view text, std::size_t most) {
  std::string result(text.substr(0, most));
  for (char& c : result) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return result + (text.size() > most ? "..." : "");
}

}  // namespace echoloop
