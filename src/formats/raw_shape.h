// Lengths and roles of the axes of raw bytes, slowest first, and what the user does to them. Pure functions. Any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace echoloop {

struct RawShape {
  std::vector<std::size_t> extents;
  std::vector<std::string> axes;
};

// The slowest axis takes what the file has left behind its header.
void fill_slowest_axis(RawShape& shape, std::size_t file_bytes, std::size_t header_bytes, std::size_t value_bytes);
// Empty, or why not in one line. An axis into two, the faster one of length `faster`: time and elements stay the faster
// part, frames the slower one, and the other part gets a role that is left.
std::string divide_axis(RawShape& shape, std::size_t axis, std::size_t faster);
// With the next faster axis: at most `most` long.
std::string join_axes(RawShape& shape, std::size_t axis, std::size_t most);

}  // namespace echoloop
