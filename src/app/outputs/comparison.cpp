#include "app/outputs/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "app/outputs/doubts.h"
#include "app/outputs/patch_request.h"
#include "app/outputs/report.h"
#include "app/outputs/stored_maps.h"
#include "core/acquisition.h"
#include "core/error.h"
#include "core/grid.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "measure/levels.h"

namespace echoloop {
namespace {

bool is_own_recording(const MeasuredRun& a, const MeasuredRun& b) {
  return a.measured.image.acquisition != b.measured.image.acquisition;
}

std::string value_text(const ImagingParams& params, const ParamSpec& spec) {
  return spec.choices.empty() ? fmt::format("{:.17g}", get_number(params, spec)) : get_text(params, spec);
}

// Returns the options that make A for B: its source and frame, then parameters that differ from params_beside().
std::string options_of_a(const MeasuredRun& run_a, const MeasuredRun& run_b) {
  const Image &a = run_a.measured.image, &b = run_b.measured.image;
  std::string words;
  std::vector<std::string> sets;
  ImagingParams base = b.params;
  if (is_own_recording(run_a, run_b)) {
    words += "--compare " + shell_word(run_a.source) + " ";
    base = params_beside(b.params, default_params(*b.acquisition), *a.acquisition);
    if (a.stamp.source_index != frame_beside(b.stamp, a.acquisition->frame_rate_hz, run_a.frames_of_a))
      words += fmt::format("--compare-frame {} ", a.stamp.source_index + 1);
    for (const Assumption& assumed : a.acquisition->assumptions)
      if (assumed.given) sets.push_back(given_setting(*a.acquisition, assumed));
  }
  for (const ParamSpec& spec : param_table())
    if (value_text(a.params, spec) != value_text(base, spec))
      sets.push_back(fmt::format("{}={}", spec.key, value_text(a.params, spec)));
  if (a.params.formation.own_values != base.formation.own_values)
    for (const std::string& setting : own_settings(a.params.formation)) sets.push_back(setting);
  // Adds a setting if A has B's parameters, to request A at all.
  if (sets.empty() && words.empty()) sets.push_back("f_number=" + value_text(a.params, param("f_number")));
  for (const std::string& set : sets) words += "--compare-set " + shell_word(set) + " ";
  return words;
}

std::string options_of_figure(const ComparedFigure& f) {
  std::string words;
  if (const auto& wipe_mm = f.size.wipe_mm)
    words += std::isnan(*wipe_mm) ? "--compare-layout wipe " : fmt::format("--compare-layout wipe={:.17g} ", *wipe_mm);
  if (f.match == LevelMatch::to_a) words += "--match-levels ";
  if (!f.b.marks.list.empty()) words += "--marks " + shell_word(f.marks.string()) + " ";
  words += "--figure " + shell_word(f.file.string());
  const FigureSize standard;
  if (f.size.by == FigureSizing::factor) words += fmt::format(" --figure-pixels {}", f.size.value);
  if (f.size.by == FigureSizing::scale) words += fmt::format(" --figure-scale {}", f.size.value);
  if (f.size.by == FigureSizing::width && f.size.value != standard.value)
    words += fmt::format(" --figure-width {}", f.size.value);
  if (f.size.by != FigureSizing::factor && f.size.dpi != standard.dpi)
    words += fmt::format(" --figure-dpi {}", f.size.dpi);
  if (f.ground == PageGround::dark) words += " --figure-dark";
  return words;
}

}  // namespace

ImagingParams params_beside(const ImagingParams& b, const ImagingParams& defaults_of_b, const Acquisition& of_a) {
  const ImagingParams defaults = default_params(of_a);
  ImagingParams params = b;
  for (const ParamSpec& spec : param_table()) {
    const bool own = get_number(b, spec) != get_number(defaults_of_b, spec);
    if (spec.from_acquisition && !own) set_number(params, spec, get_number(defaults, spec));
  }
  return params;
}

std::uint64_t frame_beside(const FrameStamp& b, double rate_hz, std::uint64_t frames) {
  const bool timed = rate_hz > 0.0 && (b.time_s > 0.0 || b.source_index == 0);
  const std::uint64_t index =
      timed ? static_cast<std::uint64_t>(std::llround(std::max(0.0, b.time_s) * rate_hz)) : b.source_index;
  return frames > 0 ? index % frames : index;
}

FrameStamp stamp_beside(std::uint64_t index, double rate_hz, const FrameStamp& b) {
  return {.sequence = index,
          .source_index = index,
          .acquired_ns = b.acquired_ns,
          .time_s = rate_hz > 0.0 ? static_cast<double>(index) / rate_hz : 0.0};
}

bool can_match(const Image& b, const Image& a) {
  return !shows_weight(b.params.formation) && !shows_weight(a.params.formation);
}

Image matched_levels(const Image& b, const Image& a, std::vector<float>& pixels) {
  const LevelMap map = match_levels({.db = b.host(), .grid = b.grid}, {.db = a.host(), .grid = a.grid});
  pixels.assign(b.host().begin(), b.host().end());
  std::ranges::transform(pixels, pixels.begin(), [&map](float level_db) { return map.at(level_db); });
  Image drawn = b;
  drawn.host_db = pixels.data();
  return drawn;
}

void set_compared_command(nlohmann::json& json, const MeasuredRun& a, const MeasuredRun& b, const std::string& output) {
  if (is_own_recording(a, b) && !opened_description(a.measured.image.acquisition).empty())
    return set_no_command(json, "A was opened with a description that lies elsewhere");
  set_command(json, b.backend, b.source, b.measured.image, options_of_a(a, b) + output);
}

void write_measurements(const std::filesystem::path& file, const MeasuredRun& run, const MeasuredRun* a) {
  if (file.extension() == ".csv") {
    std::string comments = measurement_comments(run.backend, run.source, run.measured.image);
    if (a != nullptr) comments += comments_on_a(*a);
    return write_text(file, measurements_csv(run.measured, comments, a != nullptr ? a->measured : Measured{}));
  }
  nlohmann::json json = program_json(run.backend, run.source);
  json.update(measurements_json(run.measured, run.marks));
  add_mask(json, run.measured.image);
  if (a != nullptr) {
    json["a"] = measurements_json(a->measured, a->marks);
    add_mask(json["a"], a->measured.image);
  }
  json["frame"] = frame_json(run.measured.image.stamp);
  json["parameters"] = params_json(run.measured.image.params);
  json["marks"] = marks_json(run.marks);
  const std::string output = "--marks " + shell_word(std::filesystem::absolute(file).lexically_normal().string()) +
                             " --measurements measurements.json";
  if (a != nullptr)
    set_compared_command(json, *a, run, output);
  else
    set_command(json, run.backend, run.source, run.measured.image, output);
  write_text(file, json_text(json, 2) + "\n");
}

nlohmann::json compared_figure_json(const ComparedFigure& f) {
  nlohmann::json json = marked_image_json(f.b);
  json["a"] = marked_image_json(f.a);
  if (f.match == LevelMatch::to_a) {
    json["levels_matched_to"] = {{"source", f.a.source},
                                 {"frame", frame_json(f.a.measured.image.stamp)},
                                 {"parameters", params_json(f.a.measured.image.params)}};
  }
  set_compared_command(json, f.a, f.b, options_of_figure(f));
  if (!f.why_no_command.empty()) set_no_command(json, f.why_no_command);
  return json;
}

namespace {

KeptFrame frame_of(const OpenedSource& opened, const FrameStamp& stamp) {
  std::optional<KeptFrame> kept = frame_again(*opened.source, stamp);
  if (!kept)
    throw Error(opened.name, fmt::format("frame {} cannot be read for a comparison", stamp.source_index + 1),
                "a recording or a phantom");
  kept->acquisition = opened.info.acquisition;
  return *kept;
}

std::uint64_t index_in_a(const OpenedSource& a, const CompareOptions& compare, const FrameStamp& b) {
  const std::uint64_t frames = a.info.frame_count, wanted = compare.frame;
  if (wanted == 0) return frame_beside(b, a.info.acquisition->frame_rate_hz, frames);
  if (frames > 0 && wanted > frames)
    throw Error("--compare-frame", std::to_string(wanted), a.name + " has " + counted(frames, "frame"));
  return wanted - 1;
}

}  // namespace

SideA open_side_a(const CompareOptions& compare, const OpenedSource& b, const ImagingParams& params) {
  SideA a;
  if (!compare.source.empty()) a.recording = open_source(compare.source, compare.facts);
  const OpenedSource& source = a.recording ? *a.recording : b;
  const Acquisition& acquisition = *source.info.acquisition;
  if (source.source->seekable() == nullptr)
    throw Error("--compare", source.name + " keeps no frames", "a recording or a phantom");
  if (a.recording) index_in_a(source, compare, {});
  const ImagingParams base =
      a.recording ? params_beside(params, default_params(*b.info.acquisition), acquisition) : params;
  a.params = apply_settings(base, settings_for(acquisition, compare.settings, compare.preset));
  check_params_of(source, a.params);
  return a;
}

std::unique_ptr<const ImageA> make_image_a(const SideA& a, const CompareOptions& compare, Session& session,
                                           const OpenedSource& b, const Image& image) {
  const OpenedSource& source = a.recording ? *a.recording : b;
  FrameStamp stamp = image.stamp;
  if (a.recording) {
    const double rate_hz = source.info.acquisition->frame_rate_hz;
    stamp = stamp_beside(index_in_a(source, compare, image.stamp), rate_hz, image.stamp);
    // The 0 dB level of another recording is that of its first frame, as in a window.
    if (a.params.level.reference_db <= kAutoReference && stamp.source_index > 0)
      make_again(session, frame_of(source, stamp_beside(0, rate_hz, image.stamp)), a.params);
  }
  auto made = std::make_unique<ImageA>();
  made->kept = frame_of(source, stamp);
  MadeAgain again = make_again(session, *made->kept, a.params);
  if (again.db.empty()) throw Error("--compare", "image A could not be made", "a frame that can be processed");
  made->image = std::move(again.image);
  made->db = std::move(again.db);
  made->image.host_db = made->db.data();
  made->image.params.display = a.params.display;
  made->image.params.display.mirrored = image.params.display.mirrored;
  made->named = source.name;
  made->samples = source.info.samples;
  made->match_levels = compare.match_levels;
  made->frame_count = source.info.frame_count;
  return made;
}

namespace {

const char* transmit_words(TransmitKind kind) {
  constexpr std::array<const char*, 5> kWords = {"plane waves", "diverging waves", "focused beams", "element delays",
                                                 "receive-only events"};
  return kWords[static_cast<std::size_t>(kind)];
}

// Returns "5.00", or "5.00 to 6.50".
std::string range_text(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string first = fmt::format("{:.2f}", *low), last = fmt::format("{:.2f}", *high);
  return first == last ? first : first + " to " + last;
}

std::vector<double> each_transmit(const Acquisition& a, const std::function<double(const Transmit&)>& of) {
  std::vector<double> values;
  for (const Transmit& t : a.transmits) values.push_back(of(t));
  return values;
}

bool fires_alone(const Transmit& t, const Probe& probe) {
  return t.kind == TransmitKind::diverging &&
         std::any_of(probe.elements.begin(), probe.elements.end(),
                     [&](const Element& e) { return std::hypot(e.x_m - t.source_x_m, e.z_m - t.source_z_m) < 1e-6; });
}

// Returns for beams the range of lines and depths; for sources their positions.
std::string spherical_text(const Acquisition& a, const std::string& text) {
  if (std::all_of(a.transmits.begin(), a.transmits.end(), [&](const Transmit& t) { return fires_alone(t, a.probe); }))
    return counted(a.n_transmits(), "single element") + " (synthetic aperture)";
  const TransmitKind kind = a.transmits.front().kind;
  if (std::any_of(a.transmits.begin(), a.transmits.end(), [&](const Transmit& t) { return t.kind != kind; }))
    return text;
  if (kind == TransmitKind::diverging) {
    return text + ", " + plural(a.n_transmits(), "virtual source") +
           " at z = " + range_text(each_transmit(a, [](const Transmit& t) { return t.source_z_m * 1e3; })) + " mm";
  }
  if (kind != TransmitKind::focused) return text;
  const auto lines = find_scan_lines(a);
  const double apex_m = lines && !lines->parallel ? sector_apex_z_m(a.probe) : 0.0;
  const auto depth_mm = each_transmit(a, [&](const Transmit& t) {
    if (!lines || lines->parallel) return t.source_z_m * 1e3;
    const Element& e = a.probe.elements.front();
    const double surface_m = a.probe.kind == ProbeKind::convex ? std::hypot(e.x_m, e.z_m - apex_m) : 0.0;
    return (std::hypot(t.source_x_m, t.source_z_m - apex_m) - surface_m) * 1e3;
  });
  std::string where;
  if (lines && lines->parallel)
    where = fmt::format(" from x = {:.2f} to {:.2f} mm", lines->first * 1e3, lines->last * 1e3);
  if (lines && !lines->parallel)
    where = fmt::format(" from {:.2f} to {:.2f} degrees", lines->first / kRadiansPerDegree,
                        lines->last / kRadiansPerDegree);
  return text + where + ", focus at " + range_text(depth_mm) + " mm";
}

std::string transmits_text(const Acquisition& a) {
  const TransmitKind kind = a.transmits.front().kind;
  std::string text = fmt::format("{} {}", a.n_transmits(), transmit_words(kind));
  if (a.n_transmits() == 1) text = text.substr(0, text.size() - 1);
  if (kind != TransmitKind::plane) return spherical_text(a, text);
  const auto [least, most] =
      std::minmax_element(a.transmits.begin(), a.transmits.end(),
                          [](const Transmit& x, const Transmit& y) { return x.angle_rad < y.angle_rad; });
  text += a.n_transmits() == 1 ? " at" : " from";
  text += fmt::format(" {:.2f}", least->angle_rad / kRadiansPerDegree);
  if (a.n_transmits() > 1) text += fmt::format(" to {:.2f}", most->angle_rad / kRadiansPerDegree);
  return text + " degrees";
}

std::string lines_text(const Acquisition& a) {
  const auto t0_us = each_transmit(a, [](const Transmit& t) { return t.t0_s * 1e6; });
  const auto [first, last] = std::minmax_element(t0_us.begin(), t0_us.end());
  const std::string until = *last - *first < 5e-4 ? "" : fmt::format(" to {:.3f}", *last);
  return fmt::format("lines         {} of {} {} at {:g} MHz, first sample at {:.3f}{} us\n",
                     counted(a.n_samples, "sample"), a.sample_type == SampleType::int16 ? "int16" : "float32",
                     a.signal == SignalKind::iq ? "IQ" : "RF", a.sampling_hz * 1e-6, *first, until);
}

// Returns the rows of a beamformed recording.
std::string rows_text(const Acquisition& a) {
  const double row_m = 0.5 * a.sound_speed_m_s / a.sampling_hz;
  const double top_m = 0.5 * a.sound_speed_m_s * a.transmits.front().t0_s;
  return fmt::format("rows          {} of {} IQ from {:.2f} to {:.2f} mm\n", a.n_samples,
                     a.sample_type == SampleType::int16 ? "int16" : "float32", top_m * 1e3,
                     (top_m + (a.n_samples - 1) * row_m) * 1e3);
}

const char* probe_words(ProbeKind kind) {
  return kind == ProbeKind::linear ? "linear" : kind == ProbeKind::convex ? "convex" : "phased";
}

// Returns a row for each track of a file with several.
std::string tracks_text(const std::vector<RecordedTrack>& tracks) {
  std::string text;
  for (const RecordedTrack& track : tracks) {
    text += fmt::format("track         {}: {}, {}", track.label, counted(track.transmits, "transmit"),
                        counted(track.frames, "frame"));
    if (track.end_s > track.begin_s) text += fmt::format(", {:.6g} to {:.6g} s", track.begin_s, track.end_s);
    if (!track.why_not.empty()) text += "; cannot be chosen: " + track.why_not;
    text += track.chosen ? " (open)\n" : "\n";
  }
  return text;
}

nlohmann::json tracks_json(const std::vector<RecordedTrack>& tracks) {
  nlohmann::json json = nlohmann::json::array();
  for (const RecordedTrack& track : tracks) {
    json.push_back({{"label", track.label},
                    {"transmits", track.transmits},
                    {"frames", track.frames},
                    {"begin_s", track.begin_s},
                    {"end_s", track.end_s},
                    {"why_not", track.why_not},
                    {"chosen", track.chosen}});
  }
  return json;
}

// Returns the times of the frames as recorded; none if they follow from the rate.
std::vector<double> frame_times_s(const OpenedSource& opened) {
  constexpr std::uint64_t kMost = 4096;
  std::vector<double> times_s;
  const SeekableSource* const source = opened.source == nullptr ? nullptr : opened.source->seekable();
  if (source == nullptr) return times_s;
  for (std::uint64_t k = 0; k < std::min(source->frame_count(), kMost); ++k)
    if (const auto time_s = source->recorded_time_s(k)) times_s.push_back(*time_s);
  return times_s;
}

}  // namespace

std::string describe_source(const OpenedSource& opened, const std::vector<Doubt>& doubts) {
  const Acquisition& a = *opened.info.acquisition;
  std::string text = fmt::format("{}: {}\n", opened.info.name, opened.info.format);
  text += opened.info.frame_count > 0 ? fmt::format("frames        {}", opened.info.frame_count)
                                      : "frames        unlimited";
  text += a.frame_rate_hz > 0.0 ? fmt::format(", recorded at {:g} Hz\n", a.frame_rate_hz) : ", frame rate unknown\n";
  if (a.data == DataKind::beamformed) {
    text += fmt::format("image         beamformed: {} from {:.2f} to {:.2f} mm\n", counted(a.n_elements(), "column"),
                        a.probe.elements.front().x_m * 1e3, a.probe.elements.back().x_m * 1e3);
    text += rows_text(a);
  } else {
    text += a.n_elements() == 1 ? "probe         one element\n"
                                : fmt::format("probe         {} array, {} elements, pitch {:.3f} mm\n",
                                              probe_words(a.probe.kind), a.n_elements(), a.probe.pitch_m * 1e3);
    text += fmt::format("transmits     {}\n", transmits_text(a));
    text += lines_text(a);
  }
  text += fmt::format("pulse         {:g} MHz\nsound speed   {:g} m/s\n", a.center_hz * 1e-6, a.sound_speed_m_s);
  text += tracks_text(opened.info.tracks);
  for (const Assumption& assumed : a.assumptions) {
    text += "assumed       " + assumed.text;
    if (!assumed.fact.empty()) text += " (--set " + assumed.fact + "=... overrides)";
    text += "\n";
  }
  text += contents_text(opened.info.contents.get());
  for (const Doubt& doubt : doubts) text += "doubt         " + doubt_line(doubt) + "\n";
  return text;
}

std::string describe_source_json(const OpenedSource& opened, const std::vector<Doubt>& doubts) {
  const Acquisition& a = *opened.info.acquisition;
  nlohmann::json angles = nlohmann::json::array();
  nlohmann::json t0 = nlohmann::json::array();
  for (const Transmit& t : a.transmits) {
    if (t.kind == TransmitKind::plane) angles.push_back(t.angle_rad);
    t0.push_back(t.t0_s);
  }
  nlohmann::json json = {{"name", opened.info.name},
                         {"format", opened.info.format},
                         {"frames", opened.info.frame_count},
                         {"transmits", a.n_transmits()},
                         {"transmit_kind", transmit_words(a.transmits.front().kind)},
                         {"angles_rad", angles},
                         {"t0_s", t0},
                         {"elements", a.n_elements()},
                         {"probe", probe_words(a.probe.kind)},
                         {"pitch_m", a.probe.pitch_m},
                         {"samples", a.n_samples},
                         {"beamformed", a.data == DataKind::beamformed},
                         {"signal", a.signal == SignalKind::iq ? "IQ" : "RF"},
                         {"sample_type", a.sample_type == SampleType::int16 ? "int16" : "float32"},
                         {"assumptions", assumptions_json(a)},
                         {"doubts", doubts_json(doubts)}};
  add_tested(json, a);
  json.update(facts_json(a));
  if (!opened.info.tracks.empty()) json["tracks"] = tracks_json(opened.info.tracks);
  if (const auto times_s = frame_times_s(opened); !times_s.empty()) json["frame_times_s"] = times_s;
  json.update(contents_json(opened.info.contents.get()));
  return json_text(json, 1) + "\n";
}

}  // namespace echoloop
