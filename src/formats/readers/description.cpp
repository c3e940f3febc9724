#include "formats/readers/description.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/facts.h"
#include "core/grid.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/mapping.h"
#include "formats/containers/archives.h"
#include "formats/readers/geometry.h"

namespace echoloop {
namespace {

constexpr const char* kTimeZeros =
    "\"first_firing\", \"origin\" (the wave passes x = 0, z = 0), \"centre\" (the middle of the array), or of explicit "
    "delays \"delays\" (their zero)";

double optional_number(const std::string& what, const Json& meta, const char* key, double fallback) {
  return meta.contains(key) ? json_number(what, meta.at(key), key) : fallback;
}

void set_first_sample_times(const std::string& what, const Json& meta, Acquisition& a) {
  const Json& value = require_key(what, meta, "t0_s");
  const std::vector<double> times = value.is_array()
                                        ? json_numbers(what, value, "t0_s")
                                        : std::vector<double>(a.transmits.size(), json_number(what, value, "t0_s"));
  if (times.size() != a.transmits.size()) {
    throw Error(what, counted(times.size(), "value") + " of t0_s for " + counted(a.transmits.size(), "transmit"),
                "one number, or one for each transmit");
  }
  for (std::size_t k = 0; k < times.size(); ++k) a.transmits[k].t0_s = times[k];
}

enum class TimeZero { first_firing, origin, centre, delays };  // delays: the zero of explicit delays

// Accepts the keywords and sentences with them ("instant the first element fires", "... passes the array centre").
TimeZero described_time_zero(const std::string& what, const Json& meta, bool all_by_delays) {
  if (!meta.contains("t_zero") && all_by_delays) return TimeZero::delays;
  const std::string t_zero = json_text(what, require_key(what, meta, "t_zero"), "t_zero");
  if (t_zero == "delays" && all_by_delays) return TimeZero::delays;
  const auto says = [&](const char* words) { return t_zero.find(words) != std::string::npos; };
  const bool first = t_zero == "first_firing" || says("first element fires");
  const bool origin = t_zero == "origin" || says("passes the origin");
  const bool centre = t_zero == "centre" || t_zero == "center" || says("passes the array centre");
  if (first + origin + centre == 1)
    return first ? TimeZero::first_firing : origin ? TimeZero::origin : TimeZero::centre;
  throw Error(what, "t_zero = '" + printable(t_zero) + "'", kTimeZeros);
}

double centre_x_m(const Probe& probe) {
  const auto [left, right] = std::ranges::minmax(probe.elements, {}, &Element::x_m);
  const double x_m = 0.5 * (left.x_m + right.x_m);
  return std::abs(x_m) < 1e-6 ? 0.0 : x_m;  // removes rounding errors
}

// Returns the offset that converts the file's times to the program's time zero.
double time_shift_s(const DescribedTransmit& tx, TimeZero zero, const Acquisition& a) {
  if (zero == TimeZero::delays) return -tx.passage_s;
  if (zero == TimeZero::first_firing) {
    return tx.by_delays ? tx.first_s - tx.passage_s
                        : first_firing_s(tx.transmit, a.probe, a.sound_speed_m_s, tx.active);
  }
  return arrival_s(tx.transmit, a.probe, zero == TimeZero::centre ? centre_x_m(a.probe) : 0.0, 0.0, a.sound_speed_m_s);
}

// Notes the time zero at x = 0 if the array centre, where the wave passes at another time, is elsewhere.
void say_passage(Acquisition& a) {
  const double centre_m = centre_x_m(a.probe);
  if (std::abs(centre_m) <= a.probe.pitch_m) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "time counted from the passage of the wave through x = 0, not through the centre of the array at x = "
                "%.3g mm (\"t_zero\": \"centre\")",
                centre_m * 1e3);
  a.assumptions.emplace_back(text);
}

// Moves every transmit from the file's clock to the program's; returns the phase rotation for IQ, empty if none.
std::vector<double> apply_time_zero(const std::string& what, const Json& meta, Acquisition& a,
                                    const std::vector<DescribedTransmit>& described) {
  const TimeZero zero = described_time_zero(
      what, meta, std::all_of(described.begin(), described.end(), [](const auto& tx) { return tx.by_delays; }));
  if (zero == TimeZero::origin) say_passage(a);
  std::vector<double> rotation_rad;
  bool rotated = false;
  for (std::size_t k = 0; k < described.size(); ++k) {
    const double shift_s = time_shift_s(described[k], zero, a);
    if (!std::isfinite(shift_s))
      throw Error(what, "transmit " + std::to_string(k) + " without a firing element", "at least one firing element");
    a.transmits[k].t0_s += shift_s;
    rotation_rad.push_back(-2.0 * kPi * a.demod_hz * shift_s);
    rotated = rotated || rotation_rad.back() != 0.0;
  }
  return rotated ? rotation_rad : std::vector<double>{};
}

// Moves the origin to the array centre if the beams form a sector: they start there, where the program has x = 0
// (core/acquisition.h). Readers of other formats do the same.
void centre_sector(Acquisition& a, std::vector<double>& rotation_rad) {
  PlacedProbe placed{.probe = a.probe, .origin_x_m = centre_x_m(a.probe)};
  if (!all_focused(a) || std::abs(placed.origin_x_m) <= a.probe.pitch_m) return;
  Acquisition moved = a;
  std::vector<double> rotated = rotation_rad;
  rotated.resize(a.transmits.size(), 0.0);
  for (Element& element : moved.probe.elements) element.x_m -= placed.origin_x_m;
  for (std::size_t k = 0; k < moved.transmits.size(); ++k) {
    const double later_s = move_origin(placed, a.sound_speed_m_s, moved.transmits[k]);
    moved.transmits[k].t0_s -= later_s;
    rotated[k] += 2.0 * kPi * a.demod_hz * later_s;
  }
  if (!looks_into_sector(moved)) return;
  a = std::move(moved);
  a.assumptions.emplace_back(moved_text(placed));
  if (a.demod_hz > 0.0) rotation_rad = std::move(rotated);
}

void set_frame_rate(const std::string& what, const Json& meta, Acquisition& a) {
  if (!meta.contains("frame_rate_hz") && meta.contains("prf_hz")) {
    const double prf_hz = json_number(what, meta.at("prf_hz"), "prf_hz");
    if (prf_hz < 0.0) throw Error(what, "prf_hz = " + json_excerpt(meta.at("prf_hz")), "above 0, or 0 when unknown");
    a.frame_rate_hz = prf_hz / static_cast<double>(a.transmits.size());
  }
  if (a.frame_rate_hz == 0.0) {
    a.assumptions.emplace_back(
        "frame rate unknown: neither the file nor a description has frame_rate_hz or prf_hz above 0", "frame_rate_hz");
  }
}

}  // namespace

// Accepts "channel" as the axis of I and Q if there is also "element".
std::vector<Axis> described_axes(const std::string& what, const Json& meta) {
  constexpr const char* kAccepted =
      "a list of axis names: frame, transmit, element (or line), time, iq, one; of files also trace";
  const Json& list = require_key(what, meta, "axes");
  if (!list.is_array() || list.size() > 16) throw Error(what, "axes = " + json_excerpt(list), kAccepted);
  const bool elements = std::find(list.begin(), list.end(), Json("element")) != list.end();
  std::vector<Axis> axes;
  for (const Json& entry : list) {
    const std::string name = json_text(what, entry, "axes");
    if (name == "frame")
      axes.push_back(Axis::frame);
    else if (name == "transmit")
      axes.push_back(Axis::transmit);
    else if (name == "element" || name == "line")
      axes.push_back(Axis::element);
    else if (name == "time")
      axes.push_back(Axis::time);
    else if (name == "iq" || (name == "channel" && elements))
      axes.push_back(Axis::iq);
    else if (name == "one")
      axes.push_back(Axis::one);
    else
      throw Error(what, "axis '" + printable(name) + "'", kAccepted);
  }
  return axes;
}

std::vector<std::size_t> described_shape(const std::string& what, const Json& meta,
                                         const std::vector<std::size_t>& stored) {
  const auto found = meta.find("shape");
  if (found == meta.end()) return stored;
  const bool counts = found->is_array() && !found->empty() && found->size() <= 8 &&
                      std::ranges::all_of(*found, [](const Json& n) { return n.is_number_unsigned() && n > 0; });
  if (!counts) throw Error(what, "shape = " + json_excerpt(*found), "the length of each axis");
  return found->get<std::vector<std::size_t>>();
}

ArrayView split_view(const std::string& what, const ArrayView& array, const std::vector<std::size_t>& shape,
                     MemoryOrder order) {
  auto split = split_axes(array, shape, order);
  if (split) return std::move(*split);
  throw Error(what, "shape = " + shape_text(shape) + " of an array " + shape_text(array.shape),
              "the lengths of its axes, each of them whole or as a product");
}

const Json& require_key(const std::string& what, const Json& meta, const char* key) {
  const auto found = meta.find(key);
  if (found != meta.end()) return *found;
  const std::string missing = std::string("no '") + key + "'" + unknown_keys(meta);
  const FactRow* const row = find_description_key(key);
  if (row != nullptr && *row->lacking != '\0')
    throw Error(what, missing, std::string("a description with a line such as \"") + key + "\": " + row->lacking);
  throw Error(what, missing, std::string("a description with '") + key + "'");
}

std::string unknown_keys(const Json& object) {
  constexpr std::size_t kMostNamed = 3;
  std::string list;
  std::size_t n = 0;
  for (const auto& [key, value] : object.items()) {
    const std::string_view name = key;
    if (find_description_key(name) != nullptr || std::ranges::find(kTransmitKeys, name) != kTransmitKeys.end() ||
        std::ranges::find(kFrameKeys, name) != kFrameKeys.end())
      continue;
    if (++n <= kMostNamed) list += (n == 1 ? ", but the unknown key '" : ", '") + printable(key, 40) + "'";
  }
  return n > kMostNamed ? list + ", ..." : list;
}

std::string whole_example(std::size_t n_axes) {
  const char* const axes = n_axes <= 2   ? R"(["element", "time"])"
                           : n_axes == 3 ? R"(["transmit", "element", "time"])"
                                         : R"(["frame", "transmit", "element", "time"])";
  return std::string(R"({"axes": )") + axes +
         R"(, "fs_hz": 40e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 0.3e-3, "t0_s": 0, "t_zero": "first_firing", )" +
         R"("tx": [{"kind": "plane", "angle_rad": 0}]})";
}

std::string json_excerpt(const Json& value) { return printable(json_dump(value)); }

double json_number(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_number()) throw Error(what, key + " = " + json_excerpt(value), "a number");
  return value.get<double>();
}

std::vector<double> json_numbers(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_array()) throw Error(what, key + " = " + json_excerpt(value), "a list of numbers");
  std::vector<double> numbers;
  numbers.reserve(value.size());
  for (const Json& entry : value)
    numbers.push_back(entry.is_null() ? std::numeric_limits<double>::quiet_NaN() : json_number(what, entry, key));
  return numbers;
}

std::string json_text(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_string()) throw Error(what, key + " = " + json_excerpt(value), "text");
  return value.get<std::string>();
}

bool describes_lines(const Json& meta) {
  const auto axes = meta.find("axes");
  return axes != meta.end() && axes->is_array() && std::find(axes->begin(), axes->end(), Json("line")) != axes->end();
}

void check_description_keys(const std::string& what, const Json& meta, OtherKeys others) {
  const bool listed = others == OtherKeys::listed || std::filesystem::path(what).filename() == "params.json";
  for (const auto& [key, value] : meta.items()) {
    if (find_description_key(key) != nullptr || is_free_key(key)) continue;
    const FactRow* const nearest = nearest_description_key(key);
    const bool meant = nearest != nullptr && !meta.contains(nearest->key);
    if (!meant && listed) continue;
    const std::string instead = nearest == nullptr ? kKnownKey : std::string("'") + nearest->key + "'";
    throw Error(what, "the unknown key '" + printable(key, 40) + "'",
                meant || nearest == nullptr ? instead : instead + " alone", "echoloop describe --help lists all keys");
  }
}

namespace {

// Replaces evenly spaced times by fs_hz and t0_s.
Json with_times(const std::string& what, const Json& meta, std::size_t n_samples) {
  if (!meta.contains("time_s")) return meta;
  const std::vector<double> times = json_numbers(what, meta.at("time_s"), "time_s");
  const double step_s = times.size() < 2 ? 0.0 : (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  bool even = times.size() == n_samples && step_s > 0.0;
  for (std::size_t k = 0; k < times.size() && even; ++k)
    even = std::abs(times[k] - times[0] - static_cast<double>(k) * step_s) <= 0.1 * step_s;
  if (!even) {
    throw Error(what, "time_s of " + counted(times.size(), "value") + " for " + counted(n_samples, "sample"),
                "ascending, evenly spaced times in s, one for each sample");
  }
  Json complete = meta;
  if (!meta.contains("fs_hz")) complete["fs_hz"] = 1.0 / step_s;
  if (!meta.contains("t0_s")) complete["t0_s"] = times[0];
  return complete;
}

// Describes lines of a beamformed image, each from its element along its normal, as one plane wave at 0 degrees with
// time zero at the array.
void describe_lines(const std::string& what, const Json& meta, Acquisition& a) {
  a.transmits.resize(1);
  a.transmits[0].t0_s = optional_number(what, meta, "t0_s", 0.0);
  const double step_m =
      (a.probe.elements.back().x_m - a.probe.elements.front().x_m) / static_cast<double>(a.n_elements() - 1);
  a.probe.pitch_m = step_m;
}

// Lists unknown keys that check_description_keys() accepted.
void say_other_keys(const Json& meta, Acquisition& a) {
  constexpr std::size_t kMostNamed = 6;
  std::string list;
  std::size_t n = 0;
  for (const auto& [key, value] : meta.items()) {
    const bool known = find_description_key(key) != nullptr || is_free_key(key) ||
                       std::ranges::find(kFrameKeys, std::string_view(key)) != kFrameKeys.end() || key == "like";
    if (!known && ++n <= kMostNamed) list += (n == 1 ? "" : ", ") + printable(key, 40);
  }
  if (n > kMostNamed) list += " and " + std::to_string(n - kMostNamed) + " more";
  if (n > 0) a.assumptions.emplace_back("keys of the description without effect: " + list);
}

// Lists the values of the keys in "assumed" and "cured".
void say_assumed(const std::string& what, const Json& meta, Acquisition& a) {
  say_other_keys(meta, a);
  constexpr const char* kAccepted = "a list of keys of the description, such as [\"t0_s\"]";
  for (const auto& [list, origin] : {std::pair{"assumed", ", assumed by the description"},
                                     std::pair{"cured", ", from the samples, which contradicted the stated value"}}) {
    const auto found = meta.find(list);
    if (found == meta.end()) continue;
    if (!found->is_array()) throw Error(what, std::string(list) + " = " + json_excerpt(*found), kAccepted);
    for (const Json& entry : *found) {
      const std::string key = json_text(what, entry, list);
      if (!meta.contains(key))
        throw Error(what, std::string(list) + " = '" + printable(key) + "', which the description lacks", kAccepted);
      const FactRow* const row = find_description_key(key);
      const char* const fact = row != nullptr && row->given.place > 0 ? row->name : "";
      a.assumptions.emplace_back(key + " = " + json_excerpt(meta.at(key)) + origin, fact);
    }
  }
}

}  // namespace

Acquisition describe_acquisition(const std::string& what, const Json& description, const ArrayExtents& extents,
                                 std::vector<double>& rotation_rad) {
  const Json meta = with_times(what, description, extents.n_samples);
  Acquisition a;
  if (extents.n_elements > static_cast<std::size_t>(kMaxElements))
    throw Error(what, counted(extents.n_elements, "element"), "up to " + std::to_string(kMaxElements));
  for (const FactRow& row : description_keys()) {
    const bool demod = row.member == &Acquisition::demod_hz;
    if (row.member == nullptr || (demod && extents.n_values != 2)) continue;
    const bool needed = demod || (row.asked.id != nullptr && row.asked.need == FactNeed::required);
    if (needed || meta.contains(row.key)) a.*row.member = json_number(what, require_key(what, meta, row.key), row.key);
  }
  if (!meta.contains("c_m_s")) a.assumptions.push_back("sound speed 1540 m/s assumed: the description has no c_m_s");
  if (!(a.sound_speed_m_s > 0.0)) throw Error(what, "c_m_s = " + std::to_string(a.sound_speed_m_s), "a speed above 0");
  a.probe = described_probe(what, meta, static_cast<int>(extents.n_elements));
  if (describes_lines(meta)) {
    if (extents.n_transmits != 1 || extents.n_elements < 2)
      throw Error(what, "beamformed lines of " + counted(extents.n_transmits, "transmit"), "2 or more lines");
    describe_lines(what, meta, a);
    set_frame_rate(what, meta, a);
    say_assumed(what, meta, a);
    return a;
  }
  const std::vector<DescribedTransmit> tx = described_transmits(what, meta, a);
  for (const DescribedTransmit& one : tx) a.transmits.push_back(one.transmit);
  if (a.transmits.size() != extents.n_transmits) {
    throw Error(what,
                counted(a.transmits.size(), "transmit") + " described for " + std::to_string(extents.n_transmits) +
                    " in the array",
                "one description for each transmit");
  }
  set_first_sample_times(what, meta, a);
  rotation_rad = apply_time_zero(what, meta, a, tx);
  centre_sector(a, rotation_rad);
  set_frame_rate(what, meta, a);
  say_assumed(what, meta, a);
  return a;
}

Description describe_array(const std::string& what, const Json& meta, const ArrayView& array) {
  Description d;
  d.axes = described_axes(what, meta);
  const SampleSource layout = sample_source(what, array, d.axes);
  d.acquisition = describe_acquisition(what, meta,
                                       {.n_transmits = layout.n_transmits,
                                        .n_elements = layout.n_elements,
                                        .n_samples = layout.n_samples,
                                        .n_values = layout.n_values},
                                       d.rotation_rad);
  return d;
}

std::optional<Sidecar> find_sidecar(const OpenRequest& request) {
  const std::string wanted = request.path.filename().string();
  for (const SidecarFile& beside : request.sidecars) {
    const std::string what = beside.path.string();
    Sidecar sidecar{.what = what, .meta = parse_description(what, beside.file->bytes())};
    const auto names = sidecar.meta.find("file");
    const bool same = names != sidecar.meta.end() && names->is_string() && names->get<std::string>() == wanted;
    if (same && sidecar.meta.size() == 1) continue;  // only the name
    const bool own = sidecar_kind(request, beside) == SidecarKind::own;
    if (same || (own && names == sidecar.meta.end())) return sidecar;
    if (own) throw Error(sidecar.what, "a description of " + json_excerpt(*names), "\"file\": \"" + wanted + "\"");
  }
  return std::nullopt;
}

namespace {

struct Corrections {
  std::vector<std::size_t> channel_of;  // of each element, from 0
  std::vector<double> sign;             // of each element; empty: 1
  bool conjugate = false, time_reversed = false;
};

bool described_flag(const std::string& what, const Json& meta, const char* key) {
  const Json value = meta.value(key, Json(false));
  if (!value.is_boolean()) throw Error(what, std::string(key) + " = " + json_excerpt(value), "true or false");
  return value.get<bool>();
}

std::vector<double> element_values(const std::string& what, const Json& meta, const char* key, const Acquisition& a) {
  if (!meta.contains(key)) return {};
  std::vector<double> values = json_numbers(what, meta.at(key), key);
  if (static_cast<int>(values.size()) != a.n_elements())
    throw Error(what, counted(values.size(), "value") + " of " + key + " for " + counted(a.n_elements(), "element"),
                "one for each element");
  return values;
}

template <class T>
void correct_frame(const Acquisition& a, const Corrections& c, std::span<const std::byte> stored,
                   std::span<std::byte> out) {
  const auto* const from = reinterpret_cast<const T*>(stored.data());
  auto* to = reinterpret_cast<T*>(out.data());
  const auto n_elements = static_cast<std::size_t>(a.n_elements()), n_samples = static_cast<std::size_t>(a.n_samples);
  const auto n_values = static_cast<std::size_t>(a.values_per_sample());
  using Limits = std::numeric_limits<T>;  // the smallest integer has no opposite
  const auto negative = [](T x) { return Limits::is_integer && x == Limits::min() ? Limits::max() : T(-x); };
  for (std::size_t t = 0; t < a.transmits.size(); ++t) {
    for (std::size_t e = 0; e < n_elements; ++e) {
      const T* const line = from + (t * n_elements + c.channel_of[e]) * n_samples * n_values;
      for (std::size_t i = 0; i < n_samples; ++i) {
        const T* const sample = line + (c.time_reversed ? n_samples - 1 - i : i) * n_values;
        for (std::size_t v = 0; v < n_values; ++v) {
          const bool opposite = (!c.sign.empty() && c.sign[e] < 0.0) != (v == 1 && c.conjugate);
          *to++ = opposite ? negative(sample[v]) : sample[v];
        }
      }
    }
  }
}

}  // namespace

void correct_samples(const std::string& what, const Json& meta, LibraryRecording& recording) {
  const Acquisition& a = *recording.acquisition;
  Corrections c{.channel_of = {},
                .sign = element_values(what, meta, "element_sign", a),
                .conjugate = described_flag(what, meta, "conjugate"),
                .time_reversed = described_flag(what, meta, "time_reversed")};
  std::vector<bool> taken(a.probe.elements.size(), false);
  for (const double channel : element_values(what, meta, "element_order", a)) {
    const bool known = channel >= 1.0 && channel <= static_cast<double>(taken.size()) && channel == std::floor(channel);
    if (!known || taken[static_cast<std::size_t>(channel) - 1])
      throw Error(what, "element_order with " + json_excerpt(channel),
                  "each channel from 1 to " + std::to_string(taken.size()) + " once");
    c.channel_of.push_back(static_cast<std::size_t>(channel) - 1);
    taken[c.channel_of.back()] = true;
  }
  for (const double sign : c.sign)
    if (std::abs(sign) != 1.0) throw Error(what, "element_sign with " + json_excerpt(sign), "1 or -1 for each element");
  if (c.channel_of.empty() && c.sign.empty() && !c.conjugate && !c.time_reversed) return;
  for (std::size_t e = c.channel_of.size(); e < taken.size(); ++e) c.channel_of.push_back(e);
  recording.frame_offsets.clear();
  recording.read_frame = [read = std::move(recording.read_frame), acquisition = recording.acquisition,
                          c = std::move(c)](std::uint64_t index, std::span<std::byte> out) {
    std::vector<std::byte> stored(out.size());
    read(index, stored);
    acquisition->sample_type == SampleType::int16 ? correct_frame<std::int16_t>(*acquisition, c, stored, out)
                                                  : correct_frame<float>(*acquisition, c, stored, out);
  };
}

LibraryRecording described_recording(const OpenRequest& request, const ArrayView& stored, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner) {
  check_description_keys(sidecar.what, sidecar.meta, OtherKeys::listed);
  const std::vector<std::size_t> shape = described_shape(sidecar.what, sidecar.meta, stored.shape);
  const ArrayView array = shape == stored.shape ? stored : split_view(sidecar.what, stored, shape, MemoryOrder::c);
  Description d = describe_array(sidecar.what, sidecar.meta, array);
  RecordingParts parts{.acquisition = std::move(d.acquisition),
                       .samples = sample_source(request.what(), array, d.axes),
                       .owner = std::move(owner),
                       .format = "NumPy array with JSON description"};
  parts.samples.rotation_rad = std::move(d.rotation_rad);
  const auto offset = sidecar.meta.find("offset");
  if (offset != sidecar.meta.end()) parts.samples.offset = json_number(sidecar.what, *offset, "offset");
  LibraryRecording recording = make_library_recording(request, std::move(parts));
  if (stored.type.kind == NumberKind::unsigned_integer && offset == sidecar.meta.end()) read_as_signed(recording);
  correct_samples(sidecar.what, sidecar.meta, recording);
  return recording;
}

LibraryRecording read_described_npy(const OpenRequest& request) {
  const NpyFile file = read_npy(request.what(), request.bytes());
  if (file.is_text) throw Error(request.what(), "an array of text", "an array of samples");
  const auto sidecar = find_sidecar(request);
  if (!sidecar) {
    std::filesystem::path own = request.path.filename();
    throw Error(request.what(),
                "an array of " + to_string(file.array.type) + " and shape " + shape_text(file.array.shape) +
                    " without a description",
                own.replace_extension(".json").string() + " in the same folder, for example " +
                    whole_example(file.array.shape.size()) + ", or a params.json with the file name");
  }
  check_description_keys(sidecar->what, sidecar->meta);
  return described_recording(request, file.array, *sidecar, request.file);
}

LibraryRecording read_sidecar_target(const OpenRequest& request) {
  const Json meta = parse_description(request.what(), request.bytes());
  const auto named = meta.find("file");
  LibraryRecording described;
  if (named != meta.end() && named->is_string()) described.described_file = named->get<std::string>();
  if (described.described_file.empty() || std::filesystem::path(described.described_file).has_parent_path())
    throw Error(request.what(), "JSON without a \"file\" in the same folder",
                "the name of a file with arrays or samples");
  return described;
}

}  // namespace echoloop
