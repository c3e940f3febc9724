#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "app/image_files.h"
#include "app/options/terminal.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/outputs/run_outputs.h"
#include "app/window/window_saving.h"
#include "core/units.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/hdf5_recording.h"
#include "version.h"

namespace echoloop {
WindowOutputs::WindowOutputs(WindowState& state, const OutputOptions& options, const WindowOptions& window,
                             SourceInUse& in_use, Engine& engine, Viewer& viewer)
    : state_(state),
      options_(options),
      window_(window),
      in_use_(in_use),
      engine_(engine),
      viewer_(viewer),
      need_host_image_(names_output(options.files, {MadeOf::last_image, MadeOf::all_images})) {}

std::function<void(const Image&)> WindowOutputs::image_taker() {
  if (sinks_ == nullptr) {
    sinks_ = std::make_unique<ImageSinks>(ImageSinkRequest{.options = options_,
                                                           .source = state_.source,
                                                           .named = in_use_.named,
                                                           .params = state_.params,
                                                           .when_full = WhenFull::leave_out});
  }
  return sinks_->taker();
}

void WindowOutputs::write_screenshot() {
  const std::filesystem::path& file = options_.files["--screenshot"];
  if (file.empty()) return;
  viewer_.frame(state_);
  const RgbImage picture = viewer_.screenshot();
  write_png(file, picture.width, picture.height, picture.rgb);
}

void WindowOutputs::write(const Run& run) {
  const OutputOptions& options = options_;
  engine_.live.images.take();
  FileWriter writer;
  write_times(options.files, engine_.trace, writer);
  RunTotals totals = run.totals;
  const Image& last = engine_.live.images.front();
  if (sinks_ != nullptr) writer([&] { sinks_->finish({&last, *engine_.backend, in_use_.named}, totals); });
  if (last.host_db != nullptr) {
    write_image_files({.options = options,
                       .window = window_,
                       .info = state_.source,
                       .source = *in_use_.source,
                       .named = in_use_.named,
                       .backend = *engine_.backend,
                       .session = *engine_.session,
                       .live = engine_.live,
                       .marks = state_.marks,
                       .doubts = in_use_.doubts ? &*in_use_.doubts : nullptr},
                      last, nullptr, writer);
  }
  write_report_of(run, writer);
  if (sinks_ != nullptr) writer([&] { sinks_->require_files(); });
  if (sinks_ != nullptr) sinks_->print_summaries();
  writer.require_all();
}

void WindowOutputs::write_report_of(const Run& run, FileWriter& writer) {
  const OutputOptions& options = options_;
  const ImagingParams& params = state_.params;
  nlohmann::json report =
      make_report(*engine_.backend, *engine_.session, in_use_.named, params, engine_.trace, run.totals);
  report["samples"] = samples_json(state_.source.samples, engine_.live.images.front().stamp);
  if (in_use_.doubts) {
    add_doubts(report, *in_use_.doubts);
    add_tested(report, *in_use_.source->acquisition());
  }
  writer([&] { require_live_outputs(options.files, params); });
  end_live_outputs({.files = options.files,
                    .source = in_use_.named,
                    .params = params,
                    .backend = *engine_.backend,
                    .session = *engine_.session},
                   engine_.live, report, writer);
  if (!options.files[kRecordOption].empty()) report["recording"] = recording_json(run.recording);
  report["display"] = run.display;
  if (sinks_ != nullptr) sinks_->add_to(report);
  report["frames"]["errors"] = run.totals.errors + writer.refused();
  writer([&] { write_report(options.files, report); });
}

namespace fs = std::filesystem;

WindowRecording::WindowRecording(FrameSink* history, Model& model, Asked asked_for)
    : recorder_(history), model_(model), asked_for_(std::move(asked_for)) {}

void WindowRecording::start(const fs::path& file, const Source& source, const ImagingParams& params) {
  const RecordingAbout about{.version = kVersion,
                             .parameters = json_text(params_json(params)),
                             .device_hz = source.device_hz(),
                             .format = file == asked_for_.file ? asked_for_.format : RecordingFormat::by_ending};
  recorder_.start(std::make_unique<Hdf5Writer>(file, source.acquisition(), about), source.acquisition()->frame_bytes());
  under_way_ = true;
  because_.clear();
  looked_ns_ = 0;
  view_ = {.on = true, .file = file.filename().string()};
  model_.say(Severity::info, "Recording to " + file.string(), "recording");
}

void WindowRecording::toggle(WindowSaving& saving, const SourceInUse& in_use, const Engine& engine,
                             WindowState& state) {
  if (view_.on) return end("");
  if (under_way_ || engine.session == nullptr || state.notices.fault.has_value()) return;
  if (!saving.folder_ready(UserFolder::videos)) return;
  const std::string name =
      fmt::format("{}_{:%Y%m%d-%H%M%S}", file_stem(state.source), fmt::localtime(std::time(nullptr)));
  start(saving.new_save(UserFolder::videos, name, ".uff"), *in_use.source, state.params);
  state.notices.messages.resolve("saving");  // the folder is writable
}

void WindowRecording::end(const std::string& because) {
  if (!view_.on) return;
  recorder_.stop();
  view_.on = false;
  view_.finishing = true;
  because_ = because;
}

void WindowRecording::look() {
  if (!under_way_) return;
  const RecorderStatus status = recorder_.status();
  view_.on = status.state == RecorderState::recording;
  view_.finishing = status.state == RecorderState::finishing;
  view_.seconds = status.seconds;
  view_.frames = status.frames;
  view_.not_recorded = status.not_recorded;
  constexpr std::int64_t kUpdateNs = 500'000'000;
  if (const std::int64_t now = now_ns(); now - looked_ns_ >= kUpdateNs) {
    const double passed_s = static_cast<double>(now - looked_ns_) * 1e-9;
    view_.bytes_per_second = looked_ns_ == 0 ? 0.0 : static_cast<double>(status.bytes - bytes_) / passed_s;
    looked_ns_ = now;
    bytes_ = status.bytes;
  }
  if (status.state != RecorderState::ended) return;
  under_way_ = false;
  recorder_.finish();
  const bool failed = !status.problem.empty();
  if (failed && status.path == asked_for_.file) failed_ = true;
  std::string text = recording_text(status);
  if (!because_.empty()) text += "; " + because_;
  model_.say(failed                    ? Severity::error
             : status.not_recorded > 0 ? Severity::warning
                                       : Severity::info,
             text, "recording");
  if (failed_) print_error("echoloop: {}\n", text);
}

}  // namespace echoloop
