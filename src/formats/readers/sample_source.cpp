// Axis names to strides: the first half of samples.h.
#include "core/error.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

std::string axis_name(Axis axis) {
  constexpr std::array<const char*, 5> kNames{"frame", "transmit", "element", "time", "iq"};
  return kNames[static_cast<std::size_t>(axis)];
}

void place_axis(SampleSource& s, Axis axis, std::size_t extent, std::size_t stride) {
  switch (axis) {
    case Axis::transmit:
      s.n_transmits = extent, s.transmit_stride = stride;
      break;
    case Axis::element:
      s.n_elements = extent, s.element_stride = stride;
      break;
    case Axis::time:
      s.n_samples = extent, s.sample_stride = stride;
      break;
    case Axis::iq:
      s.n_values = extent;
      break;
    case Axis::frame:
      break;
  }
}

}  // namespace

std::string axes_text(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis axis : axes) text += (text.empty() ? "" : ", ") + axis_name(axis);
  return text;
}

std::vector<std::string> axis_names(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis axis : axes) names.push_back(axis_name(axis));
  return names;
}

SampleSource sample_source(const std::string& what, const ArrayView& array, const std::vector<Axis>& axes) {
  if (axes.size() != array.shape.size()) {
    throw Error(what, "array of shape " + shape_text(array.shape) + " with axes [" + axes_text(axes) + "]",
                "one axis name for each axis of the array");
  }
  std::array<int, 5> seen{};
  for (const Axis axis : axes) ++seen[static_cast<std::size_t>(axis)];
  for (const int count : seen) {
    if (count > 1) throw Error(what, "axes [" + axes_text(axes) + "]", "each axis named once");
  }
  if (seen[static_cast<std::size_t>(Axis::element)] == 0 || seen[static_cast<std::size_t>(Axis::time)] == 0) {
    throw Error(what, "axes [" + axes_text(axes) + "]", "element and time among them");
  }
  const bool complex = array.type.kind == NumberKind::complex;
  SampleSource s;
  s.type = array.type;
  if (complex) s.type = {NumberKind::real, array.type.bytes / 2, array.type.order};
  std::size_t n_frames = 1, frame_stride = 0, iq_stride = s.type.bytes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::size_t stride = array.stride_bytes(a);
    if (array.shape[a] == 0) throw Error(what, "array of shape " + shape_text(array.shape), "no axis of length 0");
    place_axis(s, axes[a], array.shape[a], stride);
    if (axes[a] == Axis::frame) n_frames = array.shape[a], frame_stride = stride;
    if (axes[a] == Axis::iq) iq_stride = stride;
  }
  if (s.n_values > 2 || (complex && s.n_values != 1)) {
    throw Error(what, "iq axis of length " + std::to_string(s.n_values) + " in " + to_string(array.type),
                "an iq axis of length 2 (RF: 1) of real numbers, or complex numbers without one");
  }
  if (complex) s.n_values = 2;
  s.frames.reserve(n_frames);
  for (std::size_t f = 0; f < n_frames; ++f) {
    const std::byte* const first = array.bytes.data() + f * frame_stride;
    s.frames.push_back({first, s.n_values == 2 ? first + iq_stride : first});
  }
  return s;
}

}  // namespace echoloop
