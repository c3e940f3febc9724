#include "app/window/window_recording.h"

#include <fmt/format.h>

#include <utility>

#include "app/options/terminal.h"
#include "app/outputs/report.h"
#include "core/units.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/uff_writer.h"
#include "version.h"

namespace echoloop {

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
