#include "app/outputs/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/opening/open_source.h"
#include "app/opening/opened_description.h"
#include "app/outputs/marks_json.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/patch_request.h"
#include "app/outputs/provenance.h"
#include "core/acquisition_facts.h"
#include "core/error.h"
#include "core/number.h"
#include "core/param_table.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"
#include "measure/level_match.h"

namespace echoloop {
namespace {

bool is_own_recording(const MeasuredRun& a, const MeasuredRun& b) {
  return a.measured.image.acquisition != b.measured.image.acquisition;
}

std::string value_text(const ImagingParams& params, const ParamSpec& spec) {
  return spec.choices.empty() ? fmt::format("{:.17g}", get_number(params, spec)) : get_text(params, spec);
}

// The options that make A beside B: what it is of, then what of its parameters is not as params_beside() has it.
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
    for (const Assumption& assumed : a.acquisition->assumptions) {
      if (assumed.given)
        sets.push_back(fmt::format("{}={:.17g}", assumed.fact, find_fact(assumed.fact)->get(*a.acquisition)));
    }
  }
  for (const ParamSpec& spec : param_table()) {
    if (value_text(a.params, spec) != value_text(base, spec))
      sets.push_back(fmt::format("{}={}", spec.key, value_text(a.params, spec)));
  }
  // An image with B's parameters is asked for as well, as A beside itself.
  if (sets.empty() && words.empty()) sets.push_back("f_number=" + value_text(a.params, param("f_number")));
  for (const std::string& set : sets) words += "--compare-set " + shell_word(set) + " ";
  return words;
}

std::string options_of_figure(const ComparedFigure& f) {
  std::string words;
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
  if (a != nullptr) json["a"] = measurements_json(a->measured, a->marks);
  json["frame"] = frame_json(run.measured.image.stamp);
  json["parameters"] = params_json(run.measured.image.params);
  json["marks"] = marks_json(run.marks);
  const std::string output = "--marks " + shell_word(std::filesystem::absolute(file).lexically_normal().string()) +
                             " --measurements measurements.json";
  if (a != nullptr) {
    set_compared_command(json, *a, run, output);
  } else {
    set_command(json, run.backend, run.source, run.measured.image, output);
  }
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
  made->named = source.name;
  made->samples = source.info.samples;
  made->match_levels = compare.match_levels;
  made->frame_count = source.info.frame_count;
  return made;
}

}  // namespace echoloop
