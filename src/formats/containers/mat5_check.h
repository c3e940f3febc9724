// A look over a MATLAB v5 file before matio parses it: the chain of elements, and inside cells and structs every
// nested size. Why: matio takes memory by the dimensions that a file claims, before it looks for the data.
// Internal to src/formats.
#pragma once

#include <span>
#include <string>

namespace echoloop {

// Throws Error (naming `what`) where an element leaves its parent or claims more parts than there are bytes.
void check_mat5(const std::string& what, std::span<const std::byte> file);

}  // namespace echoloop
