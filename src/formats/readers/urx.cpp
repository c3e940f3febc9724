// URX 1 (ultrasound raw data exchange, an HDF5 layout): dataset/acquisition/{probes,excitations,groups,groups_data},
// whose children are numbered; references are these numbers. A group has a sequence of events, each with a transmit
// (elements, delays, excitations, time_offset) and a receive setup (elements, time_offset, number_samples). Times are
// in s since the start of the event, places in m. raw_data of a group is a list: sequence, event, channel, sample; IQ
// as pairs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/format_table.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/coded_lines.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"
#include "formats/readers/tracks.h"

namespace echoloop {
namespace {

using hdf5::Id;
using hdf5::Node;

constexpr double kUrxTolerance_periods = 0.05;             // of a delay, as for other formats
constexpr std::size_t kMostValues = std::size_t{1} << 24;  // of a waveform or a list of times

// The children of a group by their numbers, 0 first.
std::vector<Node> numbered(const Node& group, std::size_t most) {
  std::vector<std::string> names = group.children();
  if (names.size() > most) throw Error(group.where(), counted(names.size(), "member"), "up to " + std::to_string(most));
  std::ranges::sort(names, in_natural_order);
  std::vector<Node> children;
  for (const std::string& name : names) children.push_back(group.at(name));
  return children;
}

double number_or(const Node& holder, const char* name, double otherwise) {
  const auto found = holder.find(name);
  const double value = found ? found->number() : otherwise;
  return std::isfinite(value) ? value : otherwise;
}

std::size_t reference(const Node& number, std::size_t n) {
  const double value = number.number();
  if (value >= 0.0 && value < static_cast<double>(n) && value == std::floor(value))
    return static_cast<std::size_t>(value);
  throw Error(number.where(), std::to_string(value),
              n == 0 ? "no reference: there is none" : "a number from 0 to " + std::to_string(n - 1));
}

std::vector<double> list(const Node& holder, const char* name, std::size_t most) {
  const auto found = holder.find(name);
  return found && std::ranges::count(found->extents(), std::size_t{0}) == 0 ? found->numbers(most)
                                                                            : std::vector<double>();
}

struct RawPart {  // a member of groups_data
  Node holder, values;
  std::uint64_t n_sequences = 0;
};

// A group, with the shape of a sequence.
struct UrxGroup {
  Node node;
  std::vector<Node> events;
  std::size_t n_values = 1, n_sequence = 0;  // per sample; samples of all channels of a sequence
  std::vector<RawPart> parts = {};
};

UrxGroup read_group(const Node& node) {
  UrxGroup group{.node = node, .events = numbered(node.at("sequence"), static_cast<std::size_t>(kMaxTransmits))};
  group.n_values = node.at("sampling_type").text() == "IQ" ? 2 : 1;
  for (const Node& event : group.events) {
    const Node receive = event.at("receive_setup");
    const double n_samples = receive.at("number_samples").number();
    if (!(n_samples >= 1.0 && n_samples <= kMaxSamples))
      throw Error(receive.where(), "number_samples = " + std::to_string(n_samples), "1 or more");
    group.n_sequence += static_cast<std::size_t>(n_samples) * receive.at("active_elements").children().size();
  }
  return group;
}

// Adds the data to their groups; a sequence that is not complete is left out.
void add_data(const Node& data, std::vector<UrxGroup>& groups) {
  for (const Node& holder : numbered(data, kMaxTransmits)) {
    UrxGroup& group = groups[reference(holder.at("group"), groups.size())];
    const auto values = holder.find("raw_data");
    if (!values || group.n_sequence == 0) continue;
    std::vector<std::size_t> shape = values->extents();
    if (shape.size() == 1) shape.push_back(1);
    if (shape.size() != 2 || shape[1] != group.n_values)
      throw Error(values->where(), "samples of shape " + shape_text(values->extents()),
                  "(samples, " + std::to_string(group.n_values) + ") of the group's sampling_type");
    if (const std::uint64_t n = shape[0] / group.n_sequence; n > 0) group.parts.push_back({holder, *values, n});
  }
}

std::vector<RecordedTrack> tracks_of(const std::vector<UrxGroup>& groups) {
  std::vector<RecordedTrack> tracks;
  for (const UrxGroup& group : groups) {
    RecordedTrack track{.label = "group " + std::to_string(tracks.size() + 1), .transmits = group.events.size()};
    if (const auto text = group.node.find("description"); text && text->is_dataset() && !text->text().empty())
      track.label = printable(text->text(), 60);
    for (const RawPart& part : group.parts) track.frames += part.n_sequences;
    if (track.frames == 0) track.why_not = "no channel data";
    tracks.push_back(std::move(track));
  }
  return tracks;
}

double coordinate(const Node& transform, const char* of, const char* axis) {
  return number_or(transform.at(of), axis, 0.0);
}

void place_elements(const Node& probe, Acquisition& a) {
  Places places;
  for (const Node& element : numbered(probe.at("elements"), static_cast<std::size_t>(kMaxElements))) {
    const Node transform = element.at("transform");
    places.x_m.push_back(coordinate(transform, "translation", "x"));
    places.y_m.push_back(coordinate(transform, "translation", "y"));
    places.z_m.push_back(coordinate(transform, "translation", "z"));
    places.normal_rad.push_back(coordinate(transform, "rotation", "y"));
  }
  const PlacedProbe placed = place_probe(probe.where(), places);
  a.probe = placed.probe;
  if (const auto type = probe.find("type"); type && type->text() == "LINEAR" && a.probe.kind == ProbeKind::convex)
    a.assumptions.emplace_back("probe of type LINEAR whose elements lie on a curve: the places are used");
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
}

// The elements of each channel.
std::vector<std::vector<std::size_t>> channels_of(const Node& setup, std::size_t n_elements) {
  std::vector<std::vector<std::size_t>> channels;
  for (const Node& channel : numbered(setup.at("active_elements"), static_cast<std::size_t>(kMaxElements))) {
    channels.emplace_back();
    for (const double value : channel.numbers(static_cast<std::size_t>(kMaxElements))) {
      if (!(value >= 0.0 && value < static_cast<double>(n_elements)))
        throw Error(channel.where(), "element " + std::to_string(value), "0 to " + std::to_string(n_elements - 1));
      channels.back().push_back(static_cast<std::size_t>(value));
    }
  }
  return channels;
}

// Time of the pulse's maximum after the firing: of the excitation, and of the element in transmit and receive.
double pulse_late_s(const OpenRequest& request, const Node& excitation, const Node& probe, Acquisition& a) {
  if (const auto given_s = request.number("pulse_peak_s")) return *given_s;
  const auto peak_s = [&](const Node& holder, const char* name) {
    const std::vector<double> values = list(holder, name, kMostValues);
    const double rate_hz = number_or(holder, "sampling_frequency", 0.0);
    return values.size() > 1 && rate_hz > 0.0 ? pulse_peak_s(values, rate_hz, a.center_hz) : 0.0;
  };
  double late_s = peak_s(excitation, "waveform");
  if (late_s == 0.0)
    a.assumptions.emplace_back("no correction for the length of the transmitted pulse: its excitation has no waveform",
                               "first_sample_s");
  if (const auto responses = probe.find("impulse_responses"))
    if (const std::vector<Node> all = numbered(*responses, static_cast<std::size_t>(kMaxElements)); !all.empty())
      late_s += 2.0 * (peak_s(all.front(), "data") + number_or(all.front(), "time_offset", 0.0));
  return late_s;
}

class UrxReader {
 public:
  UrxReader(const OpenRequest& request, const Node& acquisition, const UrxGroup& group, Acquisition& a)
      : request_(request), acquisition_(acquisition), group_(group), a_(a) {}

  // Sets everything but the frame rate, and returns the stored line of each line of a frame.
  std::vector<std::size_t> describe() {
    const Node first = group_.events.front().at("receive_setup");
    const std::vector<Node> probes = numbered(acquisition_.at("probes"), static_cast<std::size_t>(kMaxElements));
    if (probes.empty()) throw Error(acquisition_.where(), "no probe", "one probe that transmits and receives");
    probe_ = reference(first.at("probe"), probes.size());
    place_elements(probes[probe_], a_);
    a_.sound_speed_m_s = number_or(group_.node, "sound_speed", 0.0);
    if (!(a_.sound_speed_m_s > 0.0)) {
      a_.sound_speed_m_s = 1540.0;
      a_.assumptions.emplace_back("sound speed 1540 m/s assumed: not in the file", "c_m_s");
    }
    a_.sampling_hz = number_or(first, "sampling_frequency", 0.0);
    if (!(a_.sampling_hz > 0.0)) throw Error(first.where(), "no sampling_frequency", "above 0 Hz");
    a_.n_samples = static_cast<int>(first.at("number_samples").number());
    if (group_.n_values == 2) a_.signal = SignalKind::iq, a_.demod_hz = number_or(first, "modulation_frequency", 0.0);
    set_pulse(probes[probe_]);
    for (const Node& event : group_.events) add_event(event);
    if (!list(first, "tgc_profile", kMostValues).empty())
      a_.assumptions.emplace_back("tgc_profile is not divided out: its unit is not part of the format");
    if (a_.signal == SignalKind::iq)
      a_.assumptions.emplace_back("IQ assumed to be demodulated on the clock of the events");
    return std::move(lines_);
  }

  [[nodiscard]] std::size_t n_channels() const { return n_channels_; }
  // IQ: phase of each transmit, as time zero moves from the start of the event to the passage of the origin.
  [[nodiscard]] std::vector<double> rotation_rad() const {
    std::vector<double> rotation_rad;
    for (std::size_t k = 0; k < zero_s_.size() && a_.signal == SignalKind::iq; ++k)
      rotation_rad.push_back(2.0 * kPi * a_.demod_hz * zero_s_[k]);
    return rotation_rad;
  }

 private:
  // Sets centre frequency and delay of the pulse: of the first excitation that is used.
  void set_pulse(const Node& probe) {
    a_.center_hz = a_.signal == SignalKind::iq && a_.demod_hz > 0.0 ? a_.demod_hz : 0.25 * a_.sampling_hz;
    const std::vector<Node> all = numbered(acquisition_.at("excitations"), kMostValues);
    for (const Node& event : group_.events) {
      const std::vector<Node> used = numbered(event.at("transmit_setup").at("excitations"), kMostValues);
      if (used.empty()) continue;
      const Node excitation = all.at(reference(used.front(), all.size()));
      a_.center_hz = number_or(excitation, "transmit_frequency", a_.center_hz);
      late_s_ = pulse_late_s(request_, excitation, probe, a_);
      return;
    }
  }

  void add_event(const Node& event) {
    const Node receive = event.at("receive_setup"), transmit = event.at("transmit_setup");
    for (const Node& setup : {receive, transmit})
      if (setup.at("probe").number() != static_cast<double>(probe_))
        throw Error(setup.where(), "another probe than that of the first event",
                    "one probe that transmits and receives");
    const std::size_t n_elements = a_.probe.elements.size();
    const auto channels = channels_of(receive, n_elements);
    const bool alike = receive.at("number_samples").number() == a_.n_samples &&
                       number_or(receive, "sampling_frequency", 0.0) == a_.sampling_hz &&
                       (lines_.empty() || channels.size() == n_channels_);
    if (!alike)
      throw Error(receive.where(), "another number of samples or channels, or another rate, than in the first event",
                  "the same in all events of a group");
    n_channels_ = channels.size();
    const std::size_t base = zero_s_.size() * n_channels_, row = lines_.size();
    lines_.resize(row + n_elements, kNoLine);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (channels[c].size() != 1 || lines_[row + channels[c].front()] != kNoLine)
        throw Error(receive.where(), "channel " + std::to_string(c) + " of several elements, or an element twice",
                    "one element for each channel");
      lines_[row + channels[c].front()] = base + c;
    }
    Transmit t = transmit_of(transmit);
    t.t0_s = number_or(receive, "time_offset", 0.0) - zero_s_.back();
    a_.transmits.push_back(std::move(t));
    for (const Node& setup : {receive, transmit}) note_transform(setup);
  }

  // Adds the time of the echoes' zero on the clock of the event.
  Transmit transmit_of(const Node& setup) {
    constexpr double kLongest_s = 1.0;
    const auto channels = channels_of(setup, a_.probe.elements.size());
    const std::vector<double> delays_s = list(setup, "delays", static_cast<std::size_t>(kMaxElements));
    const double offset_s = number_or(setup, "time_offset", 0.0);
    if (delays_s.size() != channels.size())
      throw Error(setup.where(), counted(delays_s.size(), "delay") + " for " + counted(channels.size(), "channel"),
                  "one for each of active_elements");
    if (channels.empty()) {
      zero_s_.push_back(offset_s);
      Transmit silent;
      silent.kind = TransmitKind::none;
      return silent;
    }
    std::vector<double> firing_s(a_.probe.elements.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (!(std::abs(delays_s[c] + offset_s) < kLongest_s))
        throw Error(setup.where(), "a delay of " + std::to_string(delays_s[c]) + " s", "finite delays within 1 s");
      for (const std::size_t element : channels[c]) firing_s[element] = delays_s[c] + offset_s;
    }
    const WaveFit fit = fit_wave(firing_s, a_.probe, a_.sound_speed_m_s, kUrxTolerance_periods / a_.center_hz, {});
    zero_s_.push_back(fit.passage_s + late_s_);
    return fit.transmit;
  }

  void note_transform(const Node& setup) {
    const auto transform = setup.find("probe_transform");
    if (!transform || moved_) return;
    for (const char* const of : {"rotation", "translation"})
      for (const char* const axis : {"x", "y", "z"}) moved_ = moved_ || coordinate(*transform, of, axis) != 0.0;
    if (moved_) a_.assumptions.emplace_back("images in the coordinates of the probe: probe_transform is not applied");
  }

  const OpenRequest& request_;
  const Node& acquisition_;
  const UrxGroup& group_;
  Acquisition& a_;
  std::size_t probe_ = 0, n_channels_ = 0;
  double late_s_ = 0.0;
  bool moved_ = false;
  std::vector<std::size_t> lines_;
  std::vector<double> zero_s_;  // of each event
};

// Reads sequences, each a run of values in the layout of a frame.
struct UrxFrames {
  std::vector<RawPart> parts;
  std::size_t n_sequence = 0, n_values = 1;
  SampleType type = SampleType::float32;

  void read(std::uint64_t index, std::span<std::byte> out) const {
    const auto* part = parts.data();
    while (index >= part->n_sequences) index -= (part++)->n_sequences;
    const Node& data = part->values;
    const Id file_space(H5Dget_space(data.id()));
    const std::vector<hsize_t> start{index * n_sequence, 0}, count{n_sequence, n_values};
    const hsize_t n = n_sequence * n_values;
    const Id memory_space(H5Screate_simple(1, &n, nullptr));
    const hid_t number = type == SampleType::int16 ? H5T_NATIVE_INT16 : H5T_NATIVE_FLOAT;
    hdf5::expect_chunks_of(data.id());
    if (out.size() == n * bytes_per_value(type) &&
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0 &&
        H5Dread(data.id(), number, memory_space, file_space, H5P_DEFAULT, out.data()) >= 0)
      return;
    const std::string text = " samples in frame " + std::to_string(index);
    if (hdf5::failed_for(hdf5::kDiskError)) throw UnreadableFrame(data.where(), "unreadable" + text, "a sound disk");
    throw Error(data.where(), "damaged" + text, hdf5::kUndamaged);
  }
};

// The lines as stored.
LibraryRecording stored_recording(const UrxGroup& group, const Acquisition& a, std::size_t n_channels) {
  UrxFrames frames{.parts = group.parts, .n_sequence = group.n_sequence, .n_values = group.n_values};
  LibraryRecording recording;
  bool integers = true;
  for (const RawPart& part : group.parts) {
    const Id type(H5Dget_type(part.values.id()));
    if (!hdf5::is_plain_number(type))
      throw Error(part.values.where(), hdf5::type_text(type) + " as samples", "numbers");
    const auto bytes = checked_bytes(part.values.extents(), H5Tget_size(type));
    if (!bytes) throw Error(part.values.where(), "too many samples", "numbers that a machine can hold");
    static_cast<void>(part.values.storage(*bytes));
    integers =
        integers && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 2 && H5Tget_sign(type) == H5T_SGN_2;
    recording.frame_count += part.n_sequences;
  }
  Acquisition stored = a;
  frames.type = stored.sample_type = integers ? SampleType::int16 : SampleType::float32;
  stored.probe.elements.resize(n_channels);
  recording.format = "URX";
  recording.frame_by_frame = true;
  recording.named.why_not = "samples are a list of events, channels and times";
  recording.acquisition = std::make_shared<const Acquisition>(std::move(stored));
  recording.read_frame = [frames](std::uint64_t index, std::span<std::byte> out) { frames.read(index, out); };
  return recording;
}

std::vector<double> sequence_times(const UrxGroup& group) {
  std::vector<double> times_s;
  const double begin_s = number_or(group.parts.front().holder, "group_timestamp", 0.0);
  for (const RawPart& part : group.parts) {
    std::vector<double> part_s = list(part.holder, "sequence_timestamps", kMostValues);
    if (part_s.size() < part.n_sequences) return {};
    part_s.resize(static_cast<std::size_t>(part.n_sequences));
    const double from_s = number_or(part.holder, "group_timestamp", 0.0) - begin_s;
    for (const double time_s : part_s) times_s.push_back(from_s + time_s);
  }
  return times_s;
}

}  // namespace

bool looks_like_urx(const Node& root) {
  const auto dataset = root.find("dataset");
  const auto acquisition = dataset && dataset->is_group() ? dataset->find("acquisition") : std::nullopt;
  return acquisition && acquisition->is_group() && acquisition->has("groups");
}

LibraryRecording read_urx(const OpenRequest& request, const Node& root) {
  const Node dataset = root.at("dataset"), acquisition = dataset.at("acquisition");
  if (const auto version = dataset.find("version"))
    if (const double major = number_or(*version, "major", 1.0); major != 1.0)
      throw Error(request.what(), "URX of version " + std::to_string(std::lround(major)), "URX of version 1");
  std::vector<UrxGroup> groups;
  for (const Node& node : numbered(acquisition.at("groups"), kMostTracks)) groups.push_back(read_group(node));
  if (groups.empty()) throw Error(request.what(), "a URX file without a group", "dataset/acquisition/groups/00000000");
  add_data(acquisition.at("groups_data"), groups);

  Acquisition a;
  std::vector<RecordedTrack> tracks = tracks_of(groups);
  const UrxGroup& group = groups[choose_track(request, tracks, a)];
  if (group.parts.empty()) throw Error(group.node.where(), "no channel data", "raw_data of at least one sequence");
  UrxReader reader(request, acquisition, group, a);
  std::vector<std::size_t> lines = reader.describe();
  std::uint64_t n_frames = 0;
  for (const RawPart& part : group.parts) n_frames += part.n_sequences;
  std::vector<double> times_s =
      frame_clock(sequence_times(group), static_cast<std::size_t>(n_frames), "sequence_timestamps", a);
  LibraryRecording recording = stored_recording(group, a, reader.n_channels());
  const LineShape in{group.events.size(), reader.n_channels(), static_cast<std::size_t>(a.n_samples), group.n_values};
  LineShape out = in;
  out.n_elements = a.probe.elements.size();
  bool same = in.n_elements == out.n_elements && a.signal == SignalKind::rf;
  for (std::size_t k = 0; k < lines.size(); ++k) same = same && lines[k] == k;
  if (same)
    recording.acquisition->validate(request.what());
  else
    recording =
        with_steps(request, std::move(recording), a, {gather_lines(in, out, std::move(lines))}, reader.rotation_rad());
  recording.scanner = {.times_s = std::move(times_s), .counts_lost = false};
  recording.tracks = std::move(tracks);
  recording.properties = {"track", "pulse_peak_s"};
  return recording;
}

}  // namespace echoloop
