// Text from a file for use in a message. Internal to src/formats.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace echoloop {

// ASCII, other characters as '?', cut after `most`.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace echoloop
