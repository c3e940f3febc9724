#include "formats/live_description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/facts.h"
#include "core/param_table.h"
#include "core/params.h"
#include "core/units.h"
#include "formats/base/acquisition_json.h"
#include "formats/base/mapping.h"
#include "formats/open_recording.h"
#include "formats/readers/description.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

constexpr DescriptionLimits kLimits{.bytes = std::size_t{64} << 20, .values = std::size_t{8} << 20};
constexpr std::size_t kMostAxes = 8;
constexpr std::size_t kMostFrameBytes = std::size_t{1} << 33;
constexpr std::size_t kMostName = 80;
constexpr double kLargestOffset = 1e10;

constexpr std::string_view kTypes[] = {"int8",    "uint8",   "int16",     "uint16",    "int32",
                                       "float32", "float64", "complex64", "complex128"};

NumberType described_type(const std::string& what, const Json& meta) {
  const std::string name = json_text(what, require_key(what, meta, "dtype"), "dtype");
  if (std::ranges::find(kTypes, name) != std::end(kTypes)) return *named_number_type(name);
  std::string accepted;
  for (const std::string_view type : kTypes) accepted += (accepted.empty() ? "" : ", ") + std::string(type);
  throw Error(what, "dtype = '" + printable(name) + "'", accepted + " (little-endian)");
}

std::vector<std::size_t> described_sizes(const std::string& what, const Json& list, const std::string& key) {
  const bool fits = list.is_array() && !list.empty() && list.size() <= kMostAxes &&
                    std::ranges::all_of(list, [](const Json& n) { return n.is_number_unsigned(); });
  if (!fits) throw Error(what, key + " = " + json_excerpt(list), "a list of whole numbers, one for each axis");
  return list.get<std::vector<std::size_t>>();
}

// Returns the data row of each element, in this order; some rows may be unused.
std::vector<std::size_t> described_channels(const std::string& what, const Json& meta, std::size_t n_channels) {
  const auto found = meta.find("channel_of_element");
  if (found == meta.end()) return {};
  const bool numbers = found->is_array() && !found->empty() && found->size() <= static_cast<std::size_t>(kMaxElements);
  if (!numbers || !std::ranges::all_of(*found, [](const Json& n) { return n.is_number_unsigned(); })) {
    throw Error(what, "channel_of_element = " + json_excerpt(*found),
                "a list of channels, from 0, one for each element");
  }
  auto channels = found->get<std::vector<std::size_t>>();
  for (const std::size_t channel : channels) {
    if (channel < n_channels) continue;
    throw Error(what, "channel_of_element with " + std::to_string(channel),
                "channels from 0 to " + std::to_string(n_channels - 1));
  }
  return channels;
}

// The frame as an array, without samples: `element` has the length of the elements, not of the channels.
struct FrameArray {
  ArrayView view;
  std::vector<std::size_t> channels;
  std::size_t bytes = 0;
};

FrameArray described_frame(const std::string& what, const Json& meta) {
  FrameArray frame;
  frame.view.type = described_type(what, meta);
  frame.view.shape = described_sizes(what, require_key(what, meta, "shape"), "shape");
  std::vector<std::size_t>& shape = frame.view.shape;
  const auto whole = checked_bytes(shape, frame.view.type.bytes);
  if (!whole || *whole == 0 || *whole > kMostFrameBytes)
    throw Error(what, "a frame of shape " + shape_text(shape), "1 byte to 8 GiB");
  frame.bytes = *whole;
  if (meta.contains("strides_bytes")) {
    auto strides = described_sizes(what, meta.at("strides_bytes"), "strides_bytes");
    if (strides.size() != shape.size()) {
      throw Error(what, std::to_string(strides.size()) + " strides_bytes for " + std::to_string(shape.size()) + " axes",
                  "one for each axis");
    }
    frame.bytes = frame.view.type.bytes;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      const auto extent = checked_bytes(std::array{shape[a] - 1, strides[a]}, 1);
      if (!extent || *extent > kMostFrameBytes - frame.bytes)
        throw Error(what, "strides_bytes = " + json_excerpt(meta.at("strides_bytes")), "a frame of up to 8 GiB");
      frame.bytes += *extent;
    }
    frame.view.strides = std::move(strides);
  }
  const Json& axes = require_key(what, meta, "axes");
  if (!axes.is_array()) return frame;  // describe_array() rejects it
  for (std::size_t a = 0; a < std::min(axes.size(), shape.size()); ++a) {
    if (axes[a] == "frame" && shape[a] != 1)
      throw Error(what, "a frame axis of length " + std::to_string(shape[a]), "the axes of one frame");
    if (axes[a] != "element") continue;
    frame.channels = described_channels(what, meta, shape[a]);
    if (frame.channels.empty()) continue;
    if (frame.view.strides.empty()) {
      std::vector<std::size_t> strides;
      for (std::size_t b = 0; b < shape.size(); ++b) strides.push_back(frame.view.stride_bytes(b));
      frame.view.strides = std::move(strides);
    }
    shape[a] = frame.channels.size();
  }
  return frame;
}

// Returns int16 for integers that fit it without their offset, otherwise float32.
SampleType live_type(const SampleSource& s) {
  if (s.type.kind == NumberKind::real || s.type.bytes > 2 || !s.rotation_rad.empty()) return SampleType::float32;
  const double values = s.type.bytes == 1 ? 256.0 : 65536.0;
  const double least = (s.type.kind == NumberKind::unsigned_integer ? 0.0 : -values / 2) - s.offset;
  const bool fits = least == std::trunc(least) && least >= -32768.0 && least + values <= 32768.0;
  return fits ? SampleType::int16 : SampleType::float32;
}

class ArrayLayout final : public LiveLayout {
 public:
  ArrayLayout(SampleSource source, SampleType type, std::size_t bytes)
      : source_(std::move(source)),
        type_(type),
        bytes_(bytes),
        quadrature_(static_cast<std::size_t>(source_.frames[0][1] - source_.frames[0][0])),
        in_place_(can_lend(source_, type)) {}

  [[nodiscard]] std::size_t frame_bytes() const override { return bytes_; }
  [[nodiscard]] bool in_place() const override { return in_place_; }
  void convert(std::span<const std::byte> frame, std::span<std::byte> out) override {
    source_.frames[0] = {frame.data(), frame.data() + quadrature_};
    convert_frame(source_, type_, 0, out);
  }

 private:
  SampleSource source_;
  const SampleType type_;
  const std::size_t bytes_;
  const std::size_t quadrature_;  // byte offset of a value's quadrature
  const bool in_place_;
};

class CanonicalLayout final : public LiveLayout {
 public:
  explicit CanonicalLayout(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t frame_bytes() const override { return bytes_; }
  [[nodiscard]] bool in_place() const override { return true; }
  void convert(std::span<const std::byte> frame, std::span<std::byte> out) override {
    std::ranges::copy(frame, out.begin());
  }

 private:
  const std::size_t bytes_;
};

// Returns the layout of `frame`, and sets the facts of `a` that depend on its samples.
std::unique_ptr<LiveLayout> make_layout(const std::string& what, const Json& meta, const FrameArray& frame,
                                        SampleSource source, Acquisition& a) {
  source.channels = frame.channels;
  const std::set<std::size_t> different(frame.channels.begin(), frame.channels.end());
  if (different.size() < frame.channels.size()) {
    a.assumptions.emplace_back("channel_of_element: " + std::to_string(frame.channels.size()) + " elements on " +
                               std::to_string(different.size()) + " channels");
  }
  if (meta.contains("offset")) {
    source.offset = json_number(what, meta.at("offset"), "offset");
    if (!(std::abs(source.offset) <= kLargestOffset))
      throw Error(what, "offset = " + json_excerpt(meta.at("offset")), "-1e10 to 1e10");
  } else if (source.type.kind == NumberKind::unsigned_integer) {
    a.assumptions.emplace_back("unsigned samples without 'offset': 0 is zero");
  }
  set_sample_counts(what, a, source.n_transmits, source.n_elements, source.n_samples, source.n_values);
  a.sample_type = live_type(source);
  return std::make_unique<ArrayLayout>(std::move(source), a.sample_type, frame.bytes);
}

// Throws Error if the default parameters, with which a stream begins, do not fit: the stream would end otherwise.
void check_default_params(const std::string& what, const Acquisition& a) {
  try {
    validate_params(default_params(a), a);
  } catch (const Error& error) {
    throw Error::from_line(what + ": default parameters: " + error.what());
  }
}

LiveDescription described_by_keys(const std::string& what, const Json& meta) {
  const FrameArray frame = described_frame(what, meta);
  Description d = describe_array(what, meta, frame.view);
  SampleSource source = sample_source(what, frame.view, d.axes);
  source.rotation_rad = std::move(d.rotation_rad);
  auto acquisition = std::make_shared<Acquisition>(std::move(d.acquisition));
  LiveDescription described;
  described.layout = make_layout(what, meta, frame, std::move(source), *acquisition);
  described.acquisition = std::move(acquisition);
  return described;
}

// Returns the description of frames of a known acquisition: in its layout, or in that of the frame keys.
LiveDescription described_by_acquisition(const std::string& what, const Json& meta, Acquisition known) {
  auto acquisition = std::make_shared<Acquisition>(std::move(known));
  LiveDescription described;
  constexpr std::array kLayoutKeys{"axes", "shape", "dtype", "strides_bytes", "channel_of_element", "offset"};
  if (std::ranges::none_of(kLayoutKeys, [&](const char* key) { return meta.contains(key); })) {
    described.layout = std::make_unique<CanonicalLayout>(acquisition->frame_bytes());
  } else {
    const FrameArray frame = described_frame(what, meta);
    SampleSource source = sample_source(what, frame.view, described_axes(what, meta));
    described.layout = make_layout(what, meta, frame, std::move(source), *acquisition);
  }
  described.acquisition = std::move(acquisition);
  return described;
}

// Returns true if `key` is probably meant as `known`: a typing error, another unit, an abbreviation.
bool is_near(std::string_view key, std::string_view known) {
  constexpr std::size_t kShort = 5;  // two letters make another word of a short one
  if (without_unit(key) == without_unit(known)) return true;
  if (key.size() < 3) return false;
  return edit_distance(key, known) <= (key.size() < kShort ? 1U : 2U) ||
         (std::min(key.size(), known.size()) >= 4 && (key.starts_with(known) || known.starts_with(key)));
}

// Throws Error for a key that is not among `known` and does not begin with x_.
void check_keys(const std::string& what, const Json& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (is_free_key(key) || std::ranges::find(known, std::string_view(key)) != known.end()) continue;
    const std::string lower = lower_case(key.substr(0, kMostName));
    const auto meant = std::ranges::find_if(
        known, [&](std::string_view other) { return !object.contains(other) && is_near(lower, other); });
    throw Error(what, "unknown key '" + printable(key, 40) + "'",
                meant == known.end() ? kKnownKey : "'" + std::string(*meant) + "'");
  }
}

// Checks the keys: those of frames, and of a file's description those of the acquisition, as read by describe_array().
void check_live_keys(const std::string& what, const Json& meta) {
  constexpr std::array<std::string_view, 4> kGroups{"time", "elements", "transmits", "open questions"};
  std::vector<std::string_view> known(kFrameKeys.begin(), kFrameKeys.end());
  known.emplace_back("like");
  for (const FactRow& row : description_keys())
    if (std::ranges::find(kGroups, std::string_view(row.group)) != kGroups.end()) known.emplace_back(row.key);
  check_keys(what, meta, known);
  const auto tx = meta.find("tx");
  if (tx == meta.end() || !tx->is_array()) return;
  for (const Json& entry : *tx)
    if (entry.is_object()) check_keys(what, entry, kTransmitKeys);
}

void refuse_other_keys(const std::string& what, const Json& meta, const std::string& beside) {
  for (const auto& [key, value] : meta.items()) {
    const bool frames = std::ranges::find(kFrameKeys, std::string_view(key)) != kFrameKeys.end();
    if (key != beside && !frames && !is_free_key(key))
      throw Error(what, "'" + printable(key, 40) + "' together with '" + beside + "'", "one of the two");
  }
}

LiveDescription described_like(const std::string& what, const Json& meta, LikeFiles like, const std::stop_token& stop) {
  const std::filesystem::path file = json_text(what, meta.at("like"), "like");
  if (like == LikeFiles::refused)
    throw Error(what, "'like' from another machine", "all keys of the description, or a sender on this machine");
  if (!file.is_absolute()) throw Error(what, "like = '" + printable(file.string()) + "'", "an absolute path");
  refuse_other_keys(what, meta, "like");
  const Recording recording = open_recording(file, {}, stop);
  Acquisition a = *recording.acquisition;
  a.assumptions.emplace_back("acquired with the settings of " + recording.name);
  return described_by_acquisition(what, meta, std::move(a));
}

LiveDescription described_exactly(const std::string& what, const Json& meta) {
  refuse_other_keys(what, meta, "acquisition");
  std::optional<Acquisition> known = acquisition_from_json(meta.at("acquisition").dump());
  if (!known) throw Error(what, "an invalid 'acquisition'", "that of a recording made by Echoloop");
  return described_by_acquisition(what, meta, std::move(*known));
}

}  // namespace

LiveDescription describe_live(const std::string& what, std::span<const std::byte> json, LikeFiles like,
                              const std::stop_token& stop) {
  const Json meta = parse_description(what, json, kLimits);
  check_live_keys(what, meta);
  LiveDescription described = meta.contains("like")          ? described_like(what, meta, like, stop)
                              : meta.contains("acquisition") ? described_exactly(what, meta)
                                                             : described_by_keys(what, meta);
  auto acquisition = std::make_shared<Acquisition>(*described.acquisition);
  for (Assumption& assumption : acquisition->assumptions) assumption.fact.clear();  // only the sender can correct them
  for (std::string& limited : limited_defaults(*acquisition)) acquisition->assumptions.emplace_back(std::move(limited));
  described.acquisition = std::move(acquisition);
  check_default_params(what, *described.acquisition);
  if (meta.contains("demod_hz") && described.acquisition->signal != SignalKind::iq)
    described.unused = "demod_hz (the samples are not IQ)";
  if (meta.contains("device_hz")) {
    described.device_hz = json_number(what, meta.at("device_hz"), "device_hz");
    if (!(described.device_hz > 0.0 && described.device_hz <= 1e12))
      throw Error(what, "device_hz = " + json_excerpt(meta.at("device_hz")), "above 0 up to 1e12 Hz");
  }
  if (meta.contains("name")) described.name = printable(json_text(what, meta.at("name"), "name"), kMostName);
  return described;
}

std::string readable_description(std::span<const std::byte> json) {
  std::string text = "{";
  const Json meta = parse_description("description", json, kLimits);
  for (const auto& [key, value] : meta.items()) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + json_dump(Json(key)) + ": ";
    const bool list = value.is_array() && !value.empty() && (value[0].is_object() || value[0].is_array());
    if (!list) {
      text += json_dump(value);
      continue;
    }
    for (std::size_t k = 0; k < value.size(); ++k) text += (k == 0 ? "[\n    " : ",\n    ") + json_dump(value[k]);
    text += "]";
  }
  return text + "\n}\n";
}

std::string live_description_json(const Acquisition& acquisition, const std::string& name) {
  const Json meta = {{"acquisition", Json::parse(acquisition_to_json(acquisition))}, {"name", plain_text(name)}};
  return json_dump(meta);
}

}  // namespace echoloop
