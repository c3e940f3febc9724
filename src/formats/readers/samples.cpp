#include "formats/readers/samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"

namespace echoloop {
namespace {

std::string axis_name(Axis axis) {
  constexpr std::array<const char*, 6> kNames{"frame", "transmit", "element", "time", "iq", "one"};
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
    case Axis::one:
      break;
  }
}

constexpr std::size_t kTileElements = 16;  // 16 lines of 256 samples: source and destination stay in the L1/L2 caches
constexpr std::size_t kTileSamples = 256;

struct Lines {  // lines of one transmit of one frame
  std::array<const std::byte*, 2> base;
  const SampleSource* from;
};

template <class Visit>  // visit(index of the value in the transmit, address), tile by tile
void for_each_value(const Lines& lines, Visit&& visit) {
  const SampleSource& s = *lines.from;
  for (std::size_t e0 = 0; e0 < s.n_elements; e0 += kTileElements) {
    const std::size_t e1 = std::min(e0 + kTileElements, s.n_elements);
    for (std::size_t i0 = 0; i0 < s.n_samples; i0 += kTileSamples) {
      const std::size_t i1 = std::min(i0 + kTileSamples, s.n_samples);
      for (std::size_t e = e0; e < e1; ++e) {
        for (std::size_t v = 0; v < s.n_values; ++v) {
          const std::size_t channel = s.channels.empty() ? e : s.channels[e];
          const std::byte* const line = lines.base[v] + channel * s.element_stride;
          for (std::size_t i = i0; i < i1; ++i)
            visit((e * s.n_samples + i) * s.n_values + v, line + i * s.sample_stride);
        }
      }
    }
  }
}

template <class Dst>
void convert_lines(const Lines& lines, Dst* out) {
  const double offset = lines.from->offset;
  with_real_type(lines.from->type, [&]<class Src, bool kSwap>() {
    for_each_value(lines, [&](std::size_t index, const std::byte* at) {
      out[index] = static_cast<Dst>(static_cast<double>(load_number<Src, kSwap>(at)) - offset);
    });
  });
}

bool lines_fit_int16(const Lines& lines) {
  bool fit = true;
  const double offset = lines.from->offset;
  with_real_type(lines.from->type, [&]<class Src, bool kSwap>() {
    for_each_value(lines, [&](std::size_t, const std::byte* at) {
      const double value = static_cast<double>(load_number<Src, kSwap>(at)) - offset;
      fit = fit && value >= -32768.0 && value <= 32767.0 && value == std::trunc(value);
    });
  });
  return fit;
}

template <class Visit>  // visit(lines, index of the transmit in the recording)
void for_each_transmit(const OpenRequest& request, const SampleSource& s, double from, double to, Visit&& visit) {
  const std::size_t n = s.frames.size() * s.n_transmits;
  for (std::size_t k = 0; k < n; ++k) {
    request.advance(from + (to - from) * static_cast<double>(k) / static_cast<double>(n));
    Lines lines{.base = s.frames[k / s.n_transmits], .from = &s};
    for (std::size_t v = 0; v < s.n_values; ++v) lines.base[v] += (k % s.n_transmits) * s.transmit_stride;
    if (!visit(lines, k)) return;
  }
}

// Keeps int16 and float32; 8-bit numbers fit int16; others become int16 if no value is changed by it.
SampleType choose_type(const OpenRequest& request, const SampleSource& s) {
  if (!s.rotation_rad.empty() || (s.type.kind == NumberKind::real && s.type.bytes == 4)) return SampleType::float32;
  const bool integer = s.type.kind != NumberKind::real;
  if (integer && (s.type.bytes == 1 || (s.type.bytes == 2 && s.type.kind == NumberKind::signed_integer)))
    return SampleType::int16;
  bool fit = true;
  for_each_transmit(request, s, 0.1, 0.4,
                    [&](const Lines& lines, std::size_t) { return fit = lines_fit_int16(lines); });
  return fit ? SampleType::int16 : SampleType::float32;
}

// Computes z *= exp(i rotation) for every pair of one transmit.
void rotate(std::span<float> pairs, double rotation_rad) {
  const double cos_r = std::cos(rotation_rad), sin_r = std::sin(rotation_rad);
  for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {
    const double i = pairs[k], q = pairs[k + 1];
    pairs[k] = static_cast<float>(i * cos_r - q * sin_r);
    pairs[k + 1] = static_cast<float>(i * sin_r + q * cos_r);
  }
}

void convert_transmit(const SampleSource& s, SampleType type, const Lines& lines, std::size_t transmit,
                      std::byte* out) {
  const std::size_t n_values = s.n_elements * s.n_samples * s.n_values;
  if (type == SampleType::int16) {
    convert_lines(lines, reinterpret_cast<std::int16_t*>(out));
  } else {
    float* const to = reinterpret_cast<float*>(out);
    convert_lines(lines, to);
    if (!s.rotation_rad.empty()) rotate({to, n_values}, s.rotation_rad[transmit]);
  }
}

// Sets the facts given by the samples in the acquisition, and validates it.
void complete(const OpenRequest& request, RecordingParts& parts) {
  const SampleSource& s = parts.samples;
  set_sample_counts(request.what(), parts.acquisition, s.n_transmits, s.n_elements, s.n_samples, s.n_values);
  parts.acquisition.sample_type = choose_type(request, s);
}

// Returns 2^k if unsigned samples are k-bit two's complement: many near 0 and near 2^k, few between; otherwise 0.
double wrapped_at(const Acquisition& a, std::span<const std::byte> frame) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  constexpr double kFew = 0.1;
  const std::size_t n = frame.size() / bytes_per_value(a.sample_type), step = n / kMost + 1;
  double least = 0.0, most = 0.0, n_all = 0.0, n_low = 0.0, n_high = 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const double value = sample_value(a, frame, i);
    least = std::min(least, value), most = std::max(most, value);
  }
  const double whole = std::exp2(std::ceil(std::log2(most + 1.0)));
  if (least < 0.0 || most < 0.99 * whole) return 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const double value = sample_value(a, frame, i);
    n_all += 1.0, n_low += value < 0.25 * whole ? 1.0 : 0.0, n_high += value >= 0.75 * whole ? 1.0 : 0.0;
  }
  const bool both = std::min(n_low, n_high) >= kFew * n_all && n_low + n_high > (1.0 - kFew) * n_all;
  return both ? whole : 0.0;
}

double mean_of(const Acquisition& a, std::span<const std::byte> frame) {
  const std::size_t n = frame.size() / bytes_per_value(a.sample_type);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += sample_value(a, frame, i);
  return sum / static_cast<double>(n);
}

template <class T>
void subtract_wrapped(std::span<std::byte> frame, double whole) {
  for (T& value : std::span(reinterpret_cast<T*>(frame.data()), frame.size() / sizeof(T)))
    if (value >= static_cast<T>(0.5 * whole)) value = static_cast<T>(value - whole);
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
  std::array<int, 6> seen{};
  for (const Axis axis : axes) ++seen[static_cast<std::size_t>(axis)];
  for (std::size_t k = 0; k < static_cast<std::size_t>(Axis::one); ++k)
    if (seen[k] > 1) throw Error(what, "axes [" + axes_text(axes) + "]", "each axis named once");
  if (seen[static_cast<std::size_t>(Axis::element)] == 0 || seen[static_cast<std::size_t>(Axis::time)] == 0)
    throw Error(what, "axes [" + axes_text(axes) + "]", "element and time among them");
  const bool complex = array.type.kind == NumberKind::complex;
  SampleSource s;
  s.type = array.type;
  if (complex) s.type = {NumberKind::real, array.type.bytes / 2, array.type.order};
  std::size_t n_frames = 1, frame_stride = 0, iq_stride = s.type.bytes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::size_t stride = array.stride_bytes(a);
    if (array.shape[a] == 0) throw Error(what, "array of shape " + shape_text(array.shape), "no axis of length 0");
    if (axes[a] == Axis::one && array.shape[a] != 1)
      throw Error(what, "axis " + std::to_string(a + 1) + " of length " + std::to_string(array.shape[a]) + " as 'one'",
                  "an axis of length 1");
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

bool can_lend(const SampleSource& s, SampleType type) {
  const std::size_t value = bytes_per_value(type);
  const NumberKind kind = type == SampleType::int16 ? NumberKind::signed_integer : NumberKind::real;
  const bool same_type = s.type == NumberType{kind, value, ByteOrder::little} && s.offset == 0.0 &&
                         s.rotation_rad.empty() && s.channels.empty();
  const std::size_t sample = value * s.n_values;
  const auto follows = [](std::size_t extent, std::size_t stride, std::size_t wanted) {
    return extent == 1 || stride == wanted;
  };
  bool same_layout = follows(s.n_samples, s.sample_stride, sample) &&
                     follows(s.n_elements, s.element_stride, sample * s.n_samples) &&
                     follows(s.n_transmits, s.transmit_stride, sample * s.n_samples * s.n_elements);
  for (std::size_t f = 0; f < s.frames.size(); ++f) {
    const auto& frame = s.frames[f];
    same_layout = same_layout && reinterpret_cast<std::uintptr_t>(frame[0]) % value == 0 &&
                  (s.n_values == 1 || frame[1] == frame[0] + value);
  }
  return same_type && same_layout;
}

void set_sample_counts(const std::string& what, Acquisition& a, std::size_t n_transmits, std::size_t n_elements,
                       std::size_t n_samples, std::size_t n_values) {
  if (n_samples > static_cast<std::size_t>(kMaxSamples))
    throw Error(what, std::to_string(n_samples) + " samples per line", "up to " + std::to_string(kMaxSamples));
  const auto mismatch = [&](const std::string& axis, std::size_t found, int expected) {
    if (found == static_cast<std::size_t>(expected)) return;
    throw Error(
        what, "samples of " + std::to_string(found) + " " + axis + " and a description of " + std::to_string(expected),
        "the same number of " + axis + " in both");
  };
  mismatch("transmits", n_transmits, a.n_transmits());
  mismatch("elements", n_elements, a.n_elements());
  a.n_samples = static_cast<int>(n_samples);
  a.signal = n_values == 2 ? SignalKind::iq : SignalKind::rf;
  a.validate(what);
}

void convert_frame(const SampleSource& s, SampleType type, std::size_t frame, std::span<std::byte> out) {
  const std::size_t per_transmit = s.n_elements * s.n_samples * s.n_values * bytes_per_value(type);
  for (std::size_t k = 0; k < s.n_transmits; ++k) {
    Lines lines{.base = s.frames.at(frame), .from = &s};
    for (std::size_t v = 0; v < s.n_values; ++v) lines.base[v] += k * s.transmit_stride;
    convert_transmit(s, type, lines, k, out.subspan(k * per_transmit, per_transmit).data());
  }
}

namespace {

// Returns the file offsets of the frames if each is stored whole, in the layout of lent frames; empty otherwise.
std::vector<std::uint64_t> offsets_in_file(std::span<const std::byte> file, const SampleSource& s, SampleType type) {
  if (!can_lend(s, type)) return {};
  std::vector<std::uint64_t> offsets;
  for (const auto& frame : s.frames) {
    const bool inside = !std::less<>()(frame[0], file.data()) && std::less<>()(frame[0], file.data() + file.size());
    if (!inside) return {};  // inflated, or a pickle with bytes as text
    offsets.push_back(static_cast<std::uint64_t>(frame[0] - file.data()));
  }
  return offsets;
}

}  // namespace

LibraryRecording make_library_recording(const OpenRequest& request, RecordingParts parts) {
  complete(request, parts);
  LibraryRecording recording;
  recording.frame_count = parts.samples.frames.size();
  recording.format = std::move(parts.format);
  recording.named = std::move(parts.named);
  recording.named.offset = parts.samples.offset;
  recording.named.turned = !parts.samples.rotation_rad.empty();
  recording.frame_offsets = offsets_in_file(request.bytes(), parts.samples, parts.acquisition.sample_type);
  recording.read_frame = [samples = std::move(parts.samples), owner = parts.owner,
                          type = parts.acquisition.sample_type](std::uint64_t index, std::span<std::byte> out) {
    convert_frame(samples, type, static_cast<std::size_t>(index), out);
  };
  recording.acquisition = std::make_shared<const Acquisition>(std::move(parts.acquisition));
  return recording;
}

std::vector<std::byte> first_frame(const LibraryRecording& recording) {
  std::vector<std::byte> frame(recording.acquisition->frame_bytes());
  recording.read_frame(0, frame);
  return frame;
}

void measure_center(LibraryRecording& recording) {
  Acquisition a = *recording.acquisition;
  const auto spectrum = measure_spectrum(a, first_frame(recording));
  const bool measured = spectrum && spectrum->center_hz > 1e4;
  if (measured) a.center_hz = spectrum->center_hz;
  char text[96];
  std::snprintf(text, sizeof text, "centre frequency %.5g MHz %s", a.center_hz * 1e-6,
                measured ? "from the spectrum of the first frame" : "assumed (fs / 4)");
  a.assumptions.emplace_back(text, "center_hz");
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
}

void read_as_signed(LibraryRecording& recording) {
  Acquisition a = *recording.acquisition;
  constexpr double kLeastMean = 8.0;
  const std::vector<std::byte> frame = first_frame(recording);
  const double whole = wrapped_at(a, frame), mean = mean_of(a, frame);
  if (whole == 0.0 && mean < kLeastMean) return;
  if (whole == 0.0) {
    a.assumptions.emplace_back("unsigned samples, of which 0 is taken for zero, though their mean is " +
                               std::to_string(std::lround(mean)) + " (\"offset\" in a description is subtracted)");
    recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
    return;
  }
  const auto bits = static_cast<std::size_t>(std::log2(whole));
  a.assumptions.emplace_back("unsigned samples are two's complement of " + counted(bits, "bit") +
                             ": the upper half lies below 0 (\"offset\": 0 in a description keeps them)");
  recording.frame_offsets.clear();
  recording.read_frame = [read = std::move(recording.read_frame), type = a.sample_type, whole](
                             std::uint64_t index, std::span<std::byte> out) {
    read(index, out);
    type == SampleType::int16 ? subtract_wrapped<std::int16_t>(out, whole) : subtract_wrapped<float>(out, whole);
  };
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
}

}  // namespace echoloop
