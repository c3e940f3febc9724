#include <fmt/format.h>

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
#include "history/uff_repair.h"
#include "version.h"

namespace echoloop {
WindowOutputs::WindowOutputs(WindowParts& parts)
    : parts_(parts), need_host_image_(names_output(parts.options.files, {MadeOf::last_image, MadeOf::all_images})) {}

std::function<void(const Image&)> WindowOutputs::image_taker() {
  if (sinks_ == nullptr) {
    sinks_ = std::make_unique<ImageSinks>(ImageSinkRequest{.options = parts_.options,
                                                           .source = parts_.state.source,
                                                           .named = parts_.named,
                                                           .params = parts_.state.params,
                                                           .backend = *parts_.backend,
                                                           .when_full = WhenFull::leave_out});
  }
  return sinks_->taker();
}

void WindowOutputs::write_screenshot() {
  const std::filesystem::path& file = parts_.options.files["--screenshot"];
  if (file.empty()) return;
  parts_.viewer->frame(parts_.state);
  const RgbImage picture = parts_.viewer->screenshot();
  write_png(file, picture.width, picture.height, picture.rgb);
}

void WindowOutputs::write(const Run& run) {
  const OutputOptions& options = parts_.options;
  parts_.live.images.take();
  FileWriter writer;
  write_times(options.files, parts_.trace, writer);
  RunTotals totals = run.totals;
  const Image& last = parts_.live.images.front();
  if (sinks_ != nullptr) writer([&] { sinks_->finish({&last, *parts_.backend, parts_.named}, totals); });
  if (last.host_db != nullptr) {
    write_image_files({.options = options,
                       .window = parts_.options,
                       .info = parts_.state.source,
                       .source = *parts_.source,
                       .named = parts_.named,
                       .backend = *parts_.backend,
                       .session = *parts_.session,
                       .live = parts_.live,
                       .marks = parts_.state.marks,
                       .doubts = parts_.doubts ? &*parts_.doubts : nullptr},
                      last, nullptr, writer);
  }
  write_report_of(run, writer);
  if (sinks_ != nullptr) writer([&] { sinks_->require_files(); });
  if (sinks_ != nullptr) sinks_->print_summaries();
  writer.require_all();
}

void WindowOutputs::write_report_of(const Run& run, FileWriter& writer) {
  const OutputOptions& options = parts_.options;
  const ImagingParams& params = parts_.state.params;
  nlohmann::json report = make_report(*parts_.backend, *parts_.session, parts_.named, params, parts_.trace, run.totals);
  report["samples"] = samples_json(parts_.state.source.samples, parts_.live.images.front().stamp);
  if (parts_.doubts) report["doubts"] = doubts_json(*parts_.doubts);
  writer([&] { require_live_outputs(options.files, params); });
  end_live_outputs({.files = options.files,
                    .source = parts_.named,
                    .params = params,
                    .backend = *parts_.backend,
                    .session = *parts_.session},
                   parts_.live, report, writer);
  if (!options.files[kRecordOption].empty()) report["recording"] = recording_json(run.recording);
  report["display"] = run.display;
  if (sinks_ != nullptr) sinks_->add_to(report);
  report["frames"]["errors"] = run.totals.errors + writer.refused();
  writer([&] { write_report(options.files, report); });
}

namespace fs = std::filesystem;

WindowRecording::WindowRecording(FrameSink* history, RecordingView& view, fs::path asked_for, Say say)
    : recorder_(history), view_(view), asked_for_(std::move(asked_for)), say_(std::move(say)) {}

void WindowRecording::start(const fs::path& file, const Source& source, const ImagingParams& params) {
  const RecordingAbout about{
      .version = kVersion, .parameters = json_text(params_json(params)), .device_hz = source.device_hz()};
  recorder_.start(std::make_unique<UffWriter>(file, source.acquisition(), about), source.acquisition()->frame_bytes());
  under_way_ = true;
  because_.clear();
  looked_ns_ = 0;
  view_ = {.on = true, .file = file.filename().string()};
  say_(Severity::info, "Recording to " + file.string());
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
  if (!status.problem.empty() && status.path == asked_for_) failed_ = true;
  std::string text = recording_text(status);
  if (!because_.empty()) text += "; " + because_;
  say_(!status.problem.empty() ? Severity::error : status.not_recorded > 0 ? Severity::warning : Severity::info, text);
  if (failed_) print_error("echoloop: {}\n", text);
}

}  // namespace echoloop
