#include "formats/raw_shape.h"

#include <algorithm>

namespace echoloop {

void fill_slowest_axis(RawShape& shape, std::size_t file_bytes, std::size_t header_bytes, std::size_t value_bytes) {
  if (shape.extents.empty() || value_bytes == 0 || header_bytes >= file_bytes) return;
  std::size_t one = value_bytes;
  for (std::size_t a = 1; a < shape.extents.size() && one <= file_bytes; ++a)
    one *= std::clamp<std::size_t>(shape.extents[a], 1, file_bytes);
  shape.extents[0] = std::max<std::size_t>(1, (file_bytes - header_bytes) / one);
}

std::string divide_axis(RawShape& shape, std::size_t axis, std::size_t faster) {
  constexpr std::size_t kMostAxes = 5;
  if (axis >= shape.extents.size()) return "no such axis";
  if (shape.extents.size() == kMostAxes) return "a fifth axis is the last one";
  const std::size_t n = shape.extents[axis];
  if (faster == 0 || n % faster != 0)
    return "length = " + std::to_string(faster) + " does not divide " + std::to_string(n);
  shape.extents[axis] = faster;
  shape.extents.insert(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis), n / faster);
  std::string other;
  for (const char* const role : {"transmit", "frame", "element"}) {
    if (other.empty() && std::ranges::find(shape.axes, role) == shape.axes.end()) other = role;
  }
  const std::size_t slower = shape.axes[axis] == "frame" ? 1 : 0;
  shape.axes.insert(shape.axes.begin() + static_cast<std::ptrdiff_t>(axis + slower), other);
  return "";
}

std::string join_axes(RawShape& shape, std::size_t axis, std::size_t most) {
  if (axis + 1 >= shape.extents.size()) return "no faster axis to join";
  const std::size_t n = shape.extents[axis + 1];
  if (n != 0 && shape.extents[axis] > most / n) return "the file is shorter than both axes";
  const bool slower = shape.axes[axis] == "frame" || shape.axes[axis + 1].empty();  // its role stays
  shape.axes.erase(shape.axes.begin() + static_cast<std::ptrdiff_t>(slower ? axis + 1 : axis));
  shape.extents[axis + 1] *= shape.extents[axis];
  shape.extents.erase(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  return "";
}

}  // namespace echoloop
