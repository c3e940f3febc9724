// Recording of the GPU short course: a pickled dict {'rf': ..., 'context': {...}} of plane waves of a linear array.
// Reader process.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/archives.h"
#include "formats/containers/pickle.h"
#include "formats/readers/description.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

constexpr const char* kAcceptedLayout =
    "a dict with 'rf' (real numbers: one 4-d array, or a list of 3-d ones, or lists of 2-d ones) and 'context', in the "
    "layout of the GPU short course";

std::optional<double> as_number(const pickle::Value& value) {
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* const array = std::get_if<ArrayView>(&value);
      array != nullptr && array->count() == 1 && array->type.kind != NumberKind::complex)
    return array->real_at(0);
  return std::nullopt;
}

const std::vector<pickle::Ref>* list_items(const pickle::Value& value) {
  if (const auto* const list = std::get_if<pickle::List>(&value)) return &list->items;
  if (const auto* const tuple = std::get_if<pickle::Tuple>(&value)) return &tuple->items;
  return nullptr;
}

double number(const std::string& what, const pickle::Tree& tree, const pickle::Value& context, const char* key) {
  const pickle::Value* const value = tree.find(context, key);
  if (value == nullptr) throw Error(what, std::string("no '") + key + "' in 'context'", "a number");
  if (const auto found = as_number(*value)) return *found;
  throw Error(what, std::string("'") + key + "' in 'context' is " + pickle::describe(*value), "a number");
}

std::vector<double> angles(const std::string& what, const pickle::Tree& tree, const pickle::Value& context) {
  const pickle::Value* const value = tree.find(context, "angles");
  if (value == nullptr) throw Error(what, "no 'angles' in 'context'", "one plane-wave angle in rad for each transmit");
  std::vector<double> result;
  if (const auto* const array = std::get_if<ArrayView>(value)) {
    if (array->count() > static_cast<std::size_t>(kMaxTransmits))
      throw Error(what, pickle::describe(*value) + " as 'angles'", "up to 16384");
    result = array->reals();
  } else if (const auto one = as_number(*value)) {
    result.push_back(*one);
  } else if (const auto* const items = list_items(*value)) {
    for (const pickle::Ref item : *items) {
      const auto angle = as_number(tree[item]);
      if (!angle) throw Error(what, pickle::describe(tree[item]) + " among 'angles'", "numbers in rad");
      result.push_back(*angle);
    }
  } else {
    throw Error(what, "'angles' in 'context' is " + pickle::describe(*value),
                "a number, an array or a list of numbers");
  }
  return result;
}

using SampleBlock = std::vector<std::byte>;

// Copies a list of arrays [element][time], one per transmit, or a list of such lists, one per frame, into `block`.
SampleSource joined_lines(const std::string& what, const pickle::Tree& tree, const std::vector<pickle::Ref>& items,
                          std::size_t file_bytes, SampleBlock& block) {
  const auto* const inner = list_items(tree[items.front()]);
  const std::size_t n_transmits = inner == nullptr ? items.size() : inner->size();
  std::vector<pickle::Ref> lines;
  for (const pickle::Ref item : items) {
    const auto* const list = inner == nullptr ? nullptr : list_items(tree[item]);
    if (inner != nullptr && (list == nullptr || list->empty() || list->size() != n_transmits))
      throw Error(what, "'rf' is a list of lists of different lengths", kAcceptedLayout);
    if (list == nullptr) lines.push_back(item);
    if (list != nullptr) lines.insert(lines.end(), list->begin(), list->end());
  }
  const auto* const first = std::get_if<ArrayView>(&tree[lines.front()]);
  std::size_t total = 0;
  for (const pickle::Ref line : lines) {
    const auto* const array = std::get_if<ArrayView>(&tree[line]);
    const bool alike = first != nullptr && array != nullptr && array->shape.size() == 2 &&
                       array->shape == first->shape && array->type == first->type && array->order == first->order;
    if (!alike || array->type.kind == NumberKind::complex)
      throw Error(what, "'rf' is a list with " + pickle::describe(tree[line]), kAcceptedLayout);
    total += array->bytes.size();
    if (total > file_bytes) throw Error(what, "'rf' is a list that repeats arrays", kAcceptedLayout);
  }
  block.reserve(total);
  for (const pickle::Ref line : lines) {
    const auto bytes = std::get<ArrayView>(tree[line]).bytes;
    block.insert(block.end(), bytes.begin(), bytes.end());
  }
  SampleSource source = sample_source(what, *first, {Axis::element, Axis::time});
  source.n_transmits = n_transmits;
  source.transmit_stride = first->bytes.size();
  source.frames.clear();
  for (std::size_t at = 0; at < block.size(); at += n_transmits * source.transmit_stride)
    source.frames.push_back({block.data() + at, block.data() + at});
  return source;
}

bool holds_lines(const pickle::Tree& tree, const std::vector<pickle::Ref>& items) {
  if (items.empty()) return false;
  const auto* const array = std::get_if<ArrayView>(&tree[items.front()]);
  return list_items(tree[items.front()]) != nullptr || (array != nullptr && array->shape.size() == 2);
}

// Returns all frames of 'rf', each [transmit][element][time] in some memory order; `block` keeps copied ones.
SampleSource rf_samples(const std::string& what, const pickle::Tree& tree, const pickle::Value& rf,
                        std::size_t file_bytes, SampleBlock& block) {
  if (const auto* const items = list_items(rf); items != nullptr && holds_lines(tree, *items))
    return joined_lines(what, tree, *items, file_bytes, block);
  std::vector<const ArrayView*> arrays;
  if (const auto* const array = std::get_if<ArrayView>(&rf)) {
    arrays.push_back(array);
  } else if (const auto* const items = list_items(rf)) {
    for (const pickle::Ref item : *items) {
      const auto* const frame = std::get_if<ArrayView>(&tree[item]);
      if (frame == nullptr || frame->shape.size() != 3)
        throw Error(what, "'rf' is " + pickle::describe(rf) + " with " + pickle::describe(tree[item]), kAcceptedLayout);
      arrays.push_back(frame);
      if (frame->shape != arrays[0]->shape || frame->type != arrays[0]->type || frame->order != arrays[0]->order) {
        throw Error(what,
                    "'rf' is " + pickle::describe(rf) + " with " + pickle::describe(tree[item]) + " and " +
                        pickle::describe(*arrays[0]),
                    "frames of one shape and type");
      }
    }
  }
  if (arrays.empty()) throw Error(what, "'rf' is " + pickle::describe(rf), kAcceptedLayout);
  const std::size_t n_axes = arrays[0]->shape.size();
  if (arrays[0]->type.kind == NumberKind::complex || (n_axes != 4 && n_axes != 3))
    throw Error(what, "'rf' is " + pickle::describe(*arrays[0]), kAcceptedLayout);
  std::vector<Axis> axes{Axis::transmit, Axis::element, Axis::time};
  if (n_axes == 4) axes.insert(axes.begin(), Axis::frame);
  SampleSource source = sample_source(what, *arrays[0], axes);
  for (std::size_t k = 1; k < arrays.size(); ++k)
    source.frames.push_back({arrays[k]->bytes.data(), arrays[k]->bytes.data()});
  return source;
}

// Returns the names for a description: an array, or a list of arrays.
NamedSamples named_samples(const pickle::Tree& tree, const pickle::Value& rf) {
  NamedSamples named{.data = "rf", .axes = {"frame", "transmit", "element", "time"}};
  std::size_t n_axes = 0;
  if (const auto* const array = std::get_if<ArrayView>(&rf)) {
    n_axes = array->shape.size();
  } else if (const auto* const items = list_items(rf); items != nullptr && items->size() > 1) {
    const auto* const one = std::get_if<ArrayView>(&tree[items->front()]);
    if (one != nullptr) n_axes = one->shape.size() + 1;
    named.data = "rf[:]";
  }
  if (n_axes < 3) return {.why_not = "the samples are in lists of lists"};
  named.axes.erase(named.axes.begin(), named.axes.end() - static_cast<std::ptrdiff_t>(n_axes));
  return named;
}

std::string keys_text(const pickle::Tree& tree, const pickle::Value& value) {
  const auto* const dict = std::get_if<pickle::Dict>(&value);
  if (dict == nullptr) return "a pickle of " + pickle::describe(value);
  std::string text;
  for (std::size_t k = 0; k < dict->items.size() && k < 8; ++k)
    text += (k > 0 ? ", " : "") + pickle::describe(tree[dict->items[k].first]);
  return "a dict with the keys: " + (text.empty() ? "none" : text);
}

}  // namespace

bool looks_like_pickle(std::span<const std::byte> bytes) {
  return bytes.size() > 1 && bytes[0] == std::byte{0x80} && bytes[1] <= std::byte{5};
}

LibraryRecording read_short_course_pickle(const OpenRequest& request) {
  const std::string what = request.what();
  auto tree = std::make_shared<pickle::Tree>(pickle::load(what, request.bytes()));
  const pickle::Value& root = (*tree)[tree->root];
  const pickle::Value* const rf = tree->find(root, "rf");
  const pickle::Value* const context = tree->find(root, "context");
  if (rf == nullptr || context == nullptr) throw UnknownLayout(what, keys_text(*tree, root), kAcceptedLayout);
  if (std::holds_alternative<pickle::Opaque>(*context))  // object of a scanner's library
    throw UnknownLayout(what, "'context' is " + pickle::describe(*context), kAcceptedLayout);

  const auto block = std::make_shared<SampleBlock>();
  RecordingParts parts{.acquisition = {},
                       .samples = rf_samples(what, *tree, *rf, request.bytes().size(), *block),
                       .owner = nullptr,
                       .format = "GPU short-course pickle"};
  parts.named = named_samples(*tree, *rf);
  Acquisition& a = parts.acquisition;
  if (parts.samples.n_elements > static_cast<std::size_t>(kMaxElements))
    throw Error(what, counted(parts.samples.n_elements, "element"), "up to " + std::to_string(kMaxElements));
  a.probe =
      make_pitch_probe(what, static_cast<int>(parts.samples.n_elements), number(what, *tree, *context, "pitch"), 0.0);
  a.sampling_hz = number(what, *tree, *context, "sampling_frequency");
  a.center_hz = number(what, *tree, *context, "transmit_frequency");
  a.sound_speed_m_s = number(what, *tree, *context, "speed_of_sound");
  // At time zero the wave passes the array's centre, and sample 0 is recorded (the course's own delay code).
  for (const double angle : angles(what, *tree, *context)) {
    a.transmits.push_back({.kind = TransmitKind::plane,
                           .angle_rad = angle,
                           .source_x_m = 0,
                           .source_z_m = 0,
                           .element_delays_s = {},
                           .t0_s = 0.0});
  }
  if (a.transmits.size() != parts.samples.n_transmits) {
    throw Error(
        what,
        counted(a.transmits.size(), "angle") + " for " + counted(parts.samples.n_transmits, "transmit") + " in 'rf'",
        "one angle for each transmit");
  }
  a.assumptions.emplace_back("frame rate unknown: not in the file", "frame_rate_hz");
  a.assumptions.emplace_back("first sample assumed when the wave passes the centre of the array: not in the file",
                             "first_sample_s");
  a.assumptions.emplace_back("no correction for the length of the transmitted pulse: not in the file");
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const pickle::Tree> tree;
    std::shared_ptr<const SampleBlock> block;
  };
  parts.owner = std::make_shared<const Owner>(Owner{request.file, tree, block});
  return make_library_recording(request, std::move(parts));
}

// Doppler data of the GPU short course (example_doppler_data.npz): frames of a beamformed IQ image. Members iq (frame,
// column, sample), xgrid and zgrid (m), prf (Hz), c (m/s), tx_frequency (Hz), as loaded in the course's notebook on
// colour Doppler. Reader process.

namespace {

constexpr const char* kLayout = "a complex array iq (frame, column, sample) in the layout of the GPU short course";

const ArrayView& member(const std::string& what, const NpzMembers& members, const char* name) {
  const NpyFile& file = members.at(name).npy;
  if (file.is_text) throw Error(what, std::string("text in '") + name + "'", "numbers");
  return file.array;
}

double number(const std::string& what, const NpzMembers& members, const char* name) {
  const ArrayView& array = member(what, members, name);
  if (array.count() != 1 || array.type.kind == NumberKind::complex)
    throw Error(what, std::string("'") + name + "' of shape " + shape_text(array.shape), "one real number");
  return array.real_at(0);
}

struct Axis1d {
  double first = 0.0, step = 0.0;
};

// Reads `n` numbers, evenly spaced and increasing; a row or column vector is accepted as a list.
Axis1d even_axis(const std::string& what, const NpzMembers& members, const char* name, std::size_t n) {
  const ArrayView& array = member(what, members, name);
  const auto longest = std::max_element(array.shape.begin(), array.shape.end());
  const bool list = longest != array.shape.end() && *longest == array.count() && array.type.kind != NumberKind::complex;
  if (!list || array.count() != n || n < 2) {
    throw Error(what, std::string("'") + name + "' of shape " + shape_text(array.shape),
                "a list of " + std::to_string(n) + " positions (2 or more), as many as in 'iq'");
  }
  const Axis1d axis{array.real_at(0), (array.real_at(n - 1) - array.real_at(0)) / static_cast<double>(n - 1)};
  bool even = std::isfinite(axis.first) && axis.step > 0.0 && std::isfinite(axis.step);
  for (std::size_t k = 0; k < n && even; ++k)
    even = std::abs(array.real_at(k) - (axis.first + static_cast<double>(k) * axis.step)) <= 0.01 * axis.step;
  if (!even)
    throw Error(what, std::string("'") + name + "' is not evenly spaced",
                "ascending, evenly spaced positions in metres");
  return axis;
}

}  // namespace

bool looks_like_course_doppler(const OpenRequest& request, const NpzMembers& members) {
  const bool named = members.contains("iq") && members.contains("xgrid") && members.contains("zgrid");
  return named && !members.contains("axes") && !find_sidecar(request);
}

LibraryRecording read_course_doppler(const OpenRequest& request, const NpzMembers& members) {
  const std::string what = request.what();
  for (const char* const name : {"prf", "c", "tx_frequency"})
    if (!members.contains(name)) throw Error(what, std::string("no '") + name + "' in addition to 'iq'", "a number");
  const ArrayView& iq = member(what, members, "iq");
  if (iq.type.kind != NumberKind::complex || iq.shape.size() != 3 || iq.shape[1] > std::size_t{kMaxElements})
    throw Error(what, "'iq' of " + to_string(iq.type) + " and shape " + shape_text(iq.shape), kLayout);
  const Axis1d x = even_axis(what, members, "xgrid", iq.shape[1]), z = even_axis(what, members, "zgrid", iq.shape[2]);
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const void> inflated;
  };
  const std::shared_ptr<const void>& inflated = members.at("iq").owner;
  RecordingParts parts{.acquisition = {},
                       .samples = sample_source(what, iq, {Axis::frame, Axis::element, Axis::time}),
                       .owner = std::make_shared<const Owner>(Owner{request.file, inflated}),
                       .format = "GPU short-course Doppler data (NumPy, beamformed IQ)",
                       .named = {.data = "iq", .axes = {"frame", "line", "time"}}};
  Acquisition& a = parts.acquisition;
  a.data = DataKind::beamformed;
  a.probe = {.name = {}, .kind = ProbeKind::linear, .pitch_m = x.step, .element_width_m = 0.0, .elements = {}};
  for (std::size_t k = 0; k < iq.shape[1]; ++k)
    a.probe.elements.push_back({.x_m = x.first + static_cast<double>(k) * x.step, .z_m = 0.0, .normal_rad = 0.0});
  a.sound_speed_m_s = number(what, members, "c");
  a.center_hz = a.demod_hz = number(what, members, "tx_frequency");
  a.frame_rate_hz = number(what, members, "prf");
  a.sampling_hz = 0.5 * a.sound_speed_m_s / z.step;  // two-way path
  a.transmits.resize(1);
  a.transmits[0].t0_s = 2.0 * z.first / a.sound_speed_m_s;
  a.assumptions.emplace_back("xgrid and zgrid assumed to be in metres: not in the file");
  a.assumptions.emplace_back("one frame every 1/prf assumed, as in the short course");
  return make_library_recording(request, std::move(parts));
}

}  // namespace echoloop
