#include "formats/file_outline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"
#include "formats/base/open_request.h"
#include "formats/open_recording.h"
#include "formats/readers/description_json.h"
#include "formats/readers/geometry.h"
#include "formats/sandbox/reader_main.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostEntries = 1000, kMostText = 300;

// Returns a text of a reader process, whose length and type are not trusted.
std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? plain_text(found->get<std::string>()).substr(0, kMostText) : "";
}

bool truth_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

template <class Take>
void each_object(const Json& outline, const char* key, Take&& take) {
  const auto found = outline.find(key);
  if (found == outline.end() || !found->is_array()) return;
  std::size_t n = 0;
  for (const Json& entry : *found) {
    if (n++ == kMostEntries) return;
    if (entry.is_object()) take(entry);
  }
}

std::vector<std::size_t> shape_in(const Json& object) {
  std::vector<std::size_t> shape;
  const auto found = object.find("shape");
  if (found == object.end() || !found->is_array() || found->size() > 32) return shape;
  for (const Json& extent : *found) shape.push_back(extent.is_number_unsigned() ? extent.get<std::size_t>() : 0);
  return shape;
}

FileOutline outline_of(const std::string& what, const std::string& text) {
  constexpr DescriptionLimits kLimits{.bytes = std::size_t{4} << 20, .values = std::size_t{1} << 19};
  const Json json = parse_description(what, std::as_bytes(std::span(text)), kLimits);
  FileOutline outline{
      .container = text_in(json, "container"),
      .bytes = json.value("bytes", Json(0)).is_number_unsigned() ? json["bytes"].get<std::size_t>() : 0,
      .n_files = json.value("files", Json(0)).is_number_unsigned() ? json["files"].get<std::size_t>() : 0,
      .entries = {},
      .guesses = {},
      .missing = {},
      .refusal = text_in(json, "refusal"),
      .first_bytes = json.value("first_bytes", Json("")).is_string() ? text_in(json, "first_bytes") : ""};
  each_object(json, "entries", [&](const Json& entry) {
    outline.entries.push_back({.path = text_in(entry, "path"),
                               .type = text_in(entry, "type"),
                               .shape = shape_in(entry),
                               .numeric = truth_in(entry, "numeric"),
                               .value = text_in(entry, "value")});
  });
  const auto meta = json.find("meta");
  each_object(json, "guesses", [&](const Json& guess) {
    const std::string key = text_in(guess, "key");
    if (meta == json.end() || !meta->is_object() || !meta->contains(key) || find_description_key(key) == nullptr)
      return;
    outline.guesses.push_back({.key = key,
                               .value = json_dump(meta->at(key)),
                               .reason = text_in(guess, "reason"),
                               .assumed = truth_in(guess, "assumed")});
  });
  each_object(json, "missing", [&](const Json& missing) {
    const std::string key = text_in(missing, "key");
    const FactRow* const row = find_description_key(key);
    if (row != nullptr)
      outline.missing.push_back({.key = key, .value = row->example, .reason = text_in(missing, "text")});
  });
  return outline;
}

// Replaces guesses by the facts read by the format's reader.
void take_facts(FormatDescription own, FileOutline& outline) {
  outline.format = own.format;
  outline.is_read = own.is_read;
  outline.is_partial = !own.why_not.empty();
  if (!own.is_read) return;
  outline.refusal =
      outline.is_partial ? "a description cannot replace the reader of " + own.format + ": " + own.why_not : "";
  outline.guesses = std::move(own.facts);
  outline.assumptions = std::move(own.assumptions);
  outline.missing.clear();
  if (outline.is_partial) outline.missing.push_back({.key = "axes", .value = {}, .reason = outline.refusal});
}

constexpr std::size_t kMostDelays = std::size_t{1} << 17;  // limit of a description

bool all_are(const Acquisition& a, TransmitKind kind) {
  return std::ranges::all_of(a.transmits, [kind](const Transmit& t) { return t.kind == kind; });
}

Json point(const Transmit& t) { return Json::array({t.source_x_m, t.source_z_m}); }

Json delays(const Transmit& t) {
  Json list = Json::array();
  for (const double delay_s : t.element_delays_s) list.push_back(std::isnan(delay_s) ? Json() : Json(delay_s));
  return list;
}

Json entry(const Transmit& t) {
  switch (t.kind) {
    case TransmitKind::plane:
      return {{"kind", "plane"}, {"angle_rad", t.angle_rad}};
    case TransmitKind::diverging:
      return {{"kind", "diverging"}, {"source_m", point(t)}};
    case TransmitKind::delays:
      return {{"kind", "delays"}, {"delays_s", delays(t)}};
    case TransmitKind::none:
      return {{"kind", "none"}};
    case TransmitKind::focused:
      break;
  }
  Json focused = {{"kind", "focused"}, {"focus_m", point(t)}};
  if (t.aperture_m > 0.0) focused["aperture_m"] = t.aperture_m;
  return focused;
}

void put_transmits(const Acquisition& a, Json& meta) {
  Json list = Json::array();
  const auto put = [&](const char* key, auto&& one) {
    for (const Transmit& t : a.transmits) list.push_back(one(t));
    meta[key] = std::move(list);
  };
  if (all_are(a, TransmitKind::plane)) return put("tx_angles_rad", [](const Transmit& t) { return Json(t.angle_rad); });
  if (all_are(a, TransmitKind::diverging)) return put("virtual_source_m", point);
  if (all_are(a, TransmitKind::delays)) return put("tx_delays_s", delays);
  const bool apertures = std::ranges::any_of(a.transmits, [](const Transmit& t) { return t.aperture_m > 0.0; });
  if (all_are(a, TransmitKind::focused) && !apertures) return put("tx_foci_m", point);
  put("tx", entry);
}

// Writes t0_s and t_zero. The readers' times are relative to the passage of the origin, for delays to their zero. The
// phase of IQ shifts with time zero in a description, too.
void put_times(const Acquisition& a, bool turned, Json& meta) {
  const bool by_delays = all_are(a, TransmitKind::delays);
  meta["t_zero"] = turned ? "first_firing" : by_delays ? "delays" : "origin";
  std::vector<double> times_s;
  for (const Transmit& t : a.transmits) {
    const double zero_s = turned       ? first_firing_s(t, a.probe, a.sound_speed_m_s, {})
                          : !by_delays ? arrival_s(t, a.probe, 0.0, 0.0, a.sound_speed_m_s)
                                       : 0.0;
    times_s.push_back(t.t0_s - zero_s);
  }
  const bool one = std::ranges::adjacent_find(times_s, std::not_equal_to<>()) == times_s.end();
  meta["t0_s"] = one ? Json(times_s.front()) : Json(times_s);
}

bool same_elements(const std::vector<Element>& a, const std::vector<Element>& b) {
  return std::ranges::equal(a, b, [](const Element& x, const Element& y) {
    return x.x_m == y.x_m && x.z_m == y.z_m && x.normal_rad == y.normal_rad;
  });
}

void put_probe(const Probe& probe, Json& meta) {
  meta["pitch_m"] = probe.pitch_m;
  if (probe.element_width_m > 0.0) meta["element_width_m"] = probe.element_width_m;
  if (!probe.name.empty() && probe.name != "linear array" && probe.name != "convex array") meta["name"] = probe.name;
  const int n = static_cast<int>(probe.elements.size());
  if (same_elements(probe.elements, make_linear_probe("", n, probe.pitch_m).elements)) return;
  Json x = Json::array(), z = Json::array(), normal = Json::array();
  bool flat = true;
  for (const Element& element : probe.elements) {
    x.push_back(element.x_m);
    z.push_back(element.z_m);
    normal.push_back(element.normal_rad);
    flat = flat && element.z_m == 0.0 && element.normal_rad == 0.0;
  }
  meta["element_x_m"] = std::move(x);
  if (flat) return;
  meta["element_z_m"] = std::move(z);
  meta["element_normal_rad"] = std::move(normal);
}

Json facts_of(const Recording& recording) {
  const Acquisition& a = *recording.acquisition;
  const NamedSamples& named = recording.named;
  Json meta;
  const auto put = [&](const char* key, auto&& value, bool there) {
    if (there) meta[key] = value;
  };
  put("data", named.data, !named.data.empty());
  put("imag", named.imag, !named.imag.empty());
  put("shape", named.shape, !named.shape.empty());
  put("axes", named.axes, !named.axes.empty());
  put("offset", named.offset, named.offset != 0.0);
  for (const FactRow& row : description_keys()) {
    if (row.member == nullptr) continue;
    const bool there = row.member == &Acquisition::demod_hz ? a.signal == SignalKind::iq : a.*row.member > 0.0;
    put(row.key, a.*row.member, there);
  }
  put_probe(a.probe, meta);
  put_times(a, named.turned, meta);
  if (a.data == DataKind::channels) put_transmits(a, meta);
  return meta;
}

// Returns the values of a frame as float, for any sample type.
std::vector<float> frame_of(const Recording& recording, std::uint64_t index) {
  const Acquisition& a = *recording.acquisition;
  std::vector<std::byte> bytes(a.frame_bytes());
  FrameMemory slot{.bytes = bytes, .owner = nullptr};
  if (recording.frame)
    std::ranges::copy(recording.frame(index), bytes.begin());
  else
    recording.reader->read(index, slot);
  std::vector<float> values(a.frame_values());
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::int16_t whole = 0;
    const bool is_whole = a.sample_type == SampleType::int16;
    std::memcpy(is_whole ? static_cast<void*>(&whole) : &values[k], bytes.data() + k * bytes_per_value(a.sample_type),
                bytes_per_value(a.sample_type));
    if (is_whole) values[k] = whole;
  }
  return values;
}

// Returns, as text, the first fact of `a` that differs in `b`; empty: they make the same images.
std::string difference(const Recording& of_a, const Recording& of_b) {
  const Acquisition &a = *of_a.acquisition, &b = *of_b.acquisition;
  if (of_a.frame_count != of_b.frame_count || a.n_samples != b.n_samples || a.signal != b.signal || a.data != b.data)
    return "the axes";
  if (std::ranges::any_of(kFacts, [&](const FactRow& row) { return row.member && a.*row.member != b.*row.member; }))
    return "frequencies, speed of sound or frame rate";
  if (!same_elements(a.probe.elements, b.probe.elements) || a.probe.pitch_m != b.probe.pitch_m) return "the elements";
  if (a.probe.kind != b.probe.kind || (!a.probe.name.empty() && a.probe.name != b.probe.name))
    return "the kind of the probe";
  const auto same_wave = [](const Transmit& x, const Transmit& y) {
    const bool focused = x.kind == TransmitKind::focused;  // other waves ignore the aperture
    return x.kind == y.kind && x.angle_rad == y.angle_rad && x.source_x_m == y.source_x_m &&
           x.source_z_m == y.source_z_m && (!focused || x.aperture_m == y.aperture_m) && delays(x) == delays(y);
  };
  if (!std::ranges::equal(a.transmits, b.transmits, same_wave)) return "the transmits";
  if (!std::ranges::equal(a.transmits, b.transmits, {}, &Transmit::t0_s, &Transmit::t0_s)) return "time zero";
  for (const std::uint64_t frame : {std::uint64_t{0}, of_a.frame_count - 1}) {
    const std::vector<float> x = frame_of(of_a, frame), y = frame_of(of_b, frame);
    if (x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) != 0) return "the samples";
  }
  return "";
}

// Returns the reason why the description does not open as the format does; empty: it does. A name in the file may be
// invalid UTF-8.
std::string why_not(const std::filesystem::path& file, const Recording& recording, const Json& meta) {
  if (!recording.named.why_not.empty()) return recording.named.why_not;
  std::size_t n_delays = 0;
  for (const Transmit& t : recording.acquisition->transmits) n_delays += t.element_delays_s.size();
  if (n_delays > kMostDelays) return "delays of " + std::to_string(n_delays) + " elements and transmits";
  try {
    const std::string other = difference(recording, open_recording_as(file, json_dump(meta)));
    return other.empty() ? "" : other + " would be read in another way";
  } catch (const Error& error) {
    return error.what();
  }
}

// Returns the reader's assumption for a key ("fc_hz"); "" if none. Most assumptions have words only.
std::string assumed_text(const Acquisition& a, std::string_view key) {
  struct Said {
    std::string_view key, fact, words;
  };
  constexpr auto kSaid = std::to_array<Said>({{"fc_hz", "center_hz", ""},
                                              {"t0_s", "first_sample_s", ""},
                                              {"t_zero", "first_sample_s", ""},
                                              {"c_m_s", "", "sound speed"},
                                              {"demod_hz", "", "IQ assumed"},
                                              {"offset", "", "assumed to be zero"},
                                              {"tx", "", "firing of all elements assumed"},
                                              {"tx_angles_rad", "", "firing of all elements assumed"},
                                              {"tx_angles_rad", "", "angles assumed"},
                                              {"element_x_m", "", "positions"},
                                              {"element_pos_m", "", "positions"}});
  for (const Said& said : kSaid) {
    if (said.key != key) continue;
    for (const Assumption& one : a.assumptions) {
      const bool same = said.words.empty() ? one.fact == said.fact : one.text.find(said.words) != std::string::npos;
      if (same && !one.given) return one.text;
    }
  }
  return "";
}

}  // namespace

FileOutline outline_file(const std::filesystem::path& path, std::stop_token stop) {
  OpenRequest request = request_for(path, {}, std::move(stop));
  add_descriptions(request);
  const std::string text = outline_in_reader_process(request);
  require_readable(request.bytes());
  FileOutline outline = outline_of(request.what(), text);
  if (request.folder == nullptr) take_facts(describe_format(path), outline);
  return outline;
}

FormatDescription describe_format(const std::filesystem::path& file) {
  FormatDescription described;
  std::optional<Recording> recording;
  try {
    recording = open_recording_alone(file);
  } catch (const Error&) {  // no format: a description is needed
    return described;
  }
  described.format = recording->format;
  described.is_read = !recording->named.data.empty() || !recording->named.why_not.empty();
  if (!described.is_read) return described;
  Json meta = facts_of(*recording);
  described.why_not = why_not(file, *recording, meta);
  if (!described.why_not.empty())
    for (const char* const key : {"data", "imag", "shape", "axes", "offset"}) meta.erase(key);
  for (const FactRow& row : description_keys()) {
    if (!meta.contains(row.key)) continue;
    const std::string text = assumed_text(*recording->acquisition, row.key);
    described.facts.push_back({.key = row.key,
                               .value = json_dump(meta.at(row.key)),
                               .reason = text.empty() ? described.format : text,
                               .assumed = !text.empty()});
  }
  for (const Assumption& one : recording->acquisition->assumptions) described.assumptions.push_back(one.text);
  return described;
}

}  // namespace echoloop
