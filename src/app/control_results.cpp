#include "app/control_results.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "app/control_params.h"
#include "app/image_files.h"
#include "app/outputs/dicom.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/report.h"
#include "core/units.h"
#include "history/export.h"

namespace echoloop {
namespace {

using json = nlohmann::json;
using Call = ControlCall;
namespace fs = std::filesystem;

enum SavedKind {
  kPicture,
  kLevels,
  kData,
  kIq,
  kIqRange,
  kFilm,
  kTimings,
  kMeasurements,
  kSession,
  kDescription,
  kSpans,
  kDicom
};
constexpr std::array<std::string_view, 12> kSaved = {"image",    "levels",      "data",    "iq",
                                                     "iq_range", "video",       "timings", "measurements",
                                                     "session",  "description", "spans",   "dicom"};

ImagingParams without_level(ImagingParams params) {
  params.level = {};
  params.display = {};
  return without_analyses(params);
}

// The newest image with its pixels in `db`. Throws ControlRefusal without one.
Image image_of(const Call& call, std::vector<float>& db) {
  Image image = call.run.image();
  if (image.number == 0) throw ControlRefusal(kNotNow, "image", "no image yet", "a run with an image");
  db = call.run.levels();
  image.host_db = db.data();
  image.params.display = call.run.state().params.display;
  return image;
}

Measured measured_of(const Call& call) {
  Measured measured = call.run.measured();
  if (measured.image.number == 0) throw ControlRefusal(kNotNow, "measurements", "nothing measured yet", "an image");
  return measured;
}

json write_file(const Call& call, SavedKind what) {
  constexpr std::array<std::string_view, 12> kEndings = {".png", ".png", ".npy",         "",      "",      "",
                                                         ".csv", "",     kSessionEnding, ".json", ".json", ".dcm"};
  const fs::path path = new_path(call.params, kEndings[what]);
  const Controlled& run = call.run;
  std::vector<float> db;
  switch (what) {
    case kPicture:
      write_picture(path, image_of(call, db), run.state().params, run.state().marks);
      break;
    case kDicom:
      write_dicom(path, image_of(call, db), run.state().params, overlays_of(run.state().analyses).flow);
      break;
    case kLevels: {
      const Image image = image_of(call, db);
      write_levels(path, image, run.named(), command_text(run.backend(), run.named(), image, kLevelsOption));
      break;
    }
    case kData: {
      const Image image = image_of(call, db);
      json about = image_json(run.backend(), run.named(), image);
      if (run.doubts() != nullptr) add_doubts(about, *run.doubts());
      write_image_npy(path, image, about);
      break;
    }
    case kMeasurements:
      if (path.extension() != ".csv" && path.extension() != ".json")
        throw invalid_value("path", path.string(), "a name ending in .csv or .json");
      write_measurement_table(path, run.state().marks,
                              {{run.named(), measurements_json(measured_of(call), run.state().marks)}});
      break;
    case kTimings:
      write_text(path, run.trace().csv());
      break;
    case kSpans:
      write_text(path, run.trace().chrome_json());
      break;
    case kSession:
      write_text(path, json_text(session_json(run.session(), path), 2) + "\n");
      break;
    case kDescription:
      if (!run.state().scanner || run.state().scanner->description == nullptr)
        throw ControlRefusal(kNotNow, "description", "no scanner", "a connected sender");
      write_text(path, *run.state().scanner->description);
      break;
    default:
      throw ControlRefusal(kNotNow, std::string(kSaved[what]), "path", "no path: the folder of saved files");
  }
  json saved = {{"path", path.string()}, {"sequence", run.image().stamp.sequence}};
  if (optional_of(call.params, "source", false, "true or false")) {
    const fs::path source = method_source_file(path, run.image().params);
    if (source.empty()) throw ControlRefusal(kNotNow, "source", "no own method", "an image of an own method");
    write_method_source(path, run.image().params);
    saved["source"] = source.string();
  }
  return saved;
}

json save(const Call& call) {
  const auto what = choice_of<SavedKind>(call.params, "what", kSaved);
  if (call.params.contains("path")) return write_file(call, what);
  if (call.run.mode() == "headless" || what == kDicom)
    throw Error("path", "missing", "an absolute path, for DICOM or in a run without a window");
  if (what == kSpans)
    call.run.send(command::SaveTimings{});
  else
    call.run.send(command::Save{static_cast<SaveWhat>(what)});
  return json::object();
}

json image(const Call& call) { return write_file(call, kData); }
json png(const Call& call) { return write_file(call, kPicture); }

json job(const Call& call) {
  const Saving& saving = call.run.state().saving;
  return {{"busy", saving.writing || !saving.busy.empty()},
          {"text", saving.busy},
          {"last", saving.last},
          {"failed", saving.failed}};
}

constexpr std::array<const char*, 2> kOutputs = {"tap", "igtl"};  // in the order of OutputKind

json outputs_get(const Call& call) {
  json list = json::object();
  for (const OutputView& output : call.run.state().saving.outputs) {
    const auto kind = static_cast<std::size_t>(output.kind);
    if (kind < kOutputs.size())
      list[kOutputs[kind]] = {{"on", output.on}, {"place", output.place}, {"readers", output.readers.size()}};
  }
  return list;
}

json outputs_set(const Call& call) {
  std::array<std::optional<bool>, kOutputs.size()> wanted;
  const auto values = required<std::map<std::string, bool>>(call.params, "values", "{tap: true, igtl: false}");
  for (const auto& [name, on] : values) {
    const auto at = std::ranges::find(kOutputs, name);
    if (at == kOutputs.end()) throw invalid_value("values", name, "tap or igtl");
    wanted[static_cast<std::size_t>(at - kOutputs.begin())] = on;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) call.run.send(command::TurnOutput{static_cast<OutputKind>(i), *wanted[i]});
  return json::object();
}

// Starts or ends recording unless it is already so.
template <bool kOn>
json record(const Call& call) {
  const RecordingView& recording = call.run.state().saving.recording;
  if (recording.finishing)
    throw ControlRefusal(kNotNow, "record", "the last recording is being completed", "a later request");
  if (recording.on != kOn) call.run.send(command::ToggleRecord{});
  return json::object();
}

json doubts(const Call& call) {
  if (call.run.doubts() == nullptr)
    throw ControlRefusal(kNotNow, "doubts", "not measured yet", "a recording or scanner, after its first frame");
  return doubts_json(*call.run.doubts());
}

json speed_json(const FoundSpeed& found) {
  return {{"peak_m_s", found.peak_m_s}, {"prominence", found.prominence}, {"warnings", found.warnings}};
}

// Searches in the region of a mark, else in the whole image; answers with the result.
json find_sound_speed(const Call& call) {
  WindowState& state = call.run.state();
  auto& view = state.analyses.of<SoundSpeedView>();
  if (!view.why_not.empty()) throw ControlRefusal(kNotNow, "find_sound_speed", view.why_not, "another image");
  state.marks.selected =
      call.params.contains("region") ? static_cast<int>(whole_of(call.params, "region", 1, 1000)) : 0;
  view.found.reset();
  call.run.send(command::SoundSpeed{SoundSpeedAct::find});
  return call.control.defer(call, 3600.0, "no result", [&state]() -> std::optional<json> {
    const auto& found = state.analyses.of<SoundSpeedView>().found;
    if (!found) return std::nullopt;
    return json{{"region", found->region},
                {"assumed_m_s", found->assumed_m_s},
                {"chosen", speed_json(found->chosen())},
                {"elements", speed_json(found->elements)},
                {"transmits", speed_json(found->transmits)}};
  });
}

json marks_get(const Call& call) { return marks_json(call.run.state().marks); }

json marks_set(const Call& call) {
  Marks next = marks_from_json(required<json>(call.params, "marks", "a list"), "marks");
  call.control.edit(call, {}, [&] { call.run.state().marks.list = std::move(next.list); });
  return json::object();
}

json measurements(const Call& call) {
  const Measured measured = measured_of(call);
  json values = measurements_json(measured, call.run.state().marks);
  values["sequence"] = measured.image.stamp.sequence;
  return values;
}

json reset_latencies(const Call& call) {
  call.run.send(command::ResetLatencies{});
  return json::object();
}

json counts(const Call& call) { return counts_json(call.run.state().numbers); }
json report(const Call& call) { return call.run.report(); }
json stages(const Call& call) { return call.run.report()["stages"]; }

// Levels, display and analyses do not decide: they change no pixel.
bool is_settled(const Controlled& run, std::uint64_t after) {
  const Image& image = run.image();
  const bool same = image.number > 0 && without_level(image.params) == without_level(run.state().params);
  return same && (image.number > after || run.state().image.work.since_ns == 0);
}

json wait(const Call& call) {
  const auto given = [&](const char* key) {
    return call.params.contains(key) ? std::optional(whole_of(call.params, key, 0, kAnyWhole)) : std::nullopt;
  };
  const auto revision = given("revision"), sequence = given("sequence"), images = given("images");
  const std::uint64_t after = call.run.image().number;
  const auto poll = [&control = call.control, &run = call.run, revision, sequence, images,
                     after]() -> std::optional<json> {
    const Image& image = run.image();
    const bool there = images     ? image.number > 0 && image.number >= after + *images
                       : sequence ? image.number > 0 && image.stamp.sequence >= *sequence
                                  : control.revision() >= revision.value_or(0) && is_settled(run, after);
    if (!there) return std::nullopt;
    return json{{"revision", control.revision()}, {"sequence", image.stamp.sequence}, {"number", image.number}};
  };
  return call.control.defer(call, timeout_of(call.params), "no such image within the time", poll);
}

}  // namespace

std::span<const std::string_view> saved_kinds() { return kSaved; }

std::span<const ControlMethod> result_methods() {
  constexpr ControlNeeds kFree = {}, kFiles = {true},
                         kRecord = {true, "files of all frames are options of the command line"};
  // clang-format off
  static const std::vector<ControlMethod> kMethods = {
      {"wait", "revision?, sequence? or images?, timeout_s?", "revision, sequence, number",
       "Answers with the first image made with the present parameters, of the frame, or after so many", kFree, wait},
      {"counts", "", "produced, processed, dropped, shown, errors, processed_fps, latency_p50_ms", "Frames, and rates",
       kFree, counts},
      {"report", "", "as --report", "Report of the run so far", kFree, report},
      {"stages", "", "p50_ms, p95_ms, max_ms by stage", "Times of the stages", kFree, stages},
      {"reset_latencies", "", "", "Forgets latency percentiles and maximum", kFree, reset_latencies},
      {"marks_get", "", "list of marks", "Marks as in --marks", kFree, marks_get},
      {"marks_set", "marks: [...]", "", "Replaces the marks", kFree, marks_set},
      {"measurements", "", "regions, pairs, points, lines, sequence", "Numbers of the Measure panel", kFree,
       measurements},
      {"inspect", "x_m, z_m, timeout_s?", "x_m, z_m, transmit, pixel_db, sum_db, channels",
       "Opens the inspector at a point; answers with the terms of its pixel", {false, "no history of frames"}},
      {"find_sound_speed", "region?: number of a mark", "region, assumed_m_s, chosen, elements, transmits",
       "Searches for the speed of sound; answers with the result",
       {false, "--find-sound-speed is a command of its own"}, find_sound_speed},
      {"doubts", "", "list of text, cure, fact", "Doubts about the facts of the source",
       {false, "doubts are printed at the end of the run"}, doubts},
      {"save", "what: one of kinds, path?, overwrite?, source?", "path, sequence, source?",
       "Writes a file; without path, in a window, in the folder of saved files; source: of an own method, beside it", kFiles, save},
      {"image", "path, overwrite?", "path, sequence", "Writes the levels of the image as --image-out", kFiles, image},
      {"png", "path, overwrite?", "path, sequence", "Writes the image with its marks, as --png", kFiles, png},
      {"job", "", "busy, text, last, failed", "Files being written, and the last one", kFree, job},
      {"outputs_get", "", "on, place, readers by tap and igtl", "Outputs to other programs", kFree, outputs_get},
      {"outputs_set", "values: {tap?: on, igtl?: on}", "", "Turns outputs on or off",
       {true, "outputs are options of the command line"}, outputs_set},
      {"record_start", "", "", "Starts recording raw frames", kRecord, record<true>},
      {"record_stop", "", "", "Ends the recording", kRecord, record<false>},
  };
  // clang-format on
  return kMethods;
}
}  // namespace echoloop
