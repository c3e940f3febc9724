// Text from outside (names of files, texts in them) for a terminal, a message or a file of text: valid UTF-8 without
// characters that act instead of being shown. Pure.
#pragma once

#include <string>
#include <string_view>

namespace echoloop {

[[nodiscard]] bool is_utf8(std::string_view text);

// Control characters (escape sequences begin with one), marks that reverse the direction of writing, and bytes that are
// not UTF-8 become '?'; tabs and line breaks stay.
[[nodiscard]] std::string plain_text(std::string_view text);

[[nodiscard]] std::string lower_case(std::string text);   // letters A to Z
[[nodiscard]] std::string capitalized(std::string text);  // its first letter, likewise; not of a key: "fs_hz"

}  // namespace echoloop
