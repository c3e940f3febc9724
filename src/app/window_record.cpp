// WindowApp's recording: begun and ended by the user, ended by what changes the stream, its end told in one line.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "app/report.h"
#include "app/window_app.h"
#include "core/units.h"
#include "history/export.h"
#include "version.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

// Where pictures go as well.
fs::path recording_name() {
  const std::string stem = fmt::format("echoloop-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  fs::path path = fs::current_path() / (stem + ".uff");
  for (int i = 2; fs::exists(path); ++i) path = fs::current_path() / fmt::format("{}-{}.uff", stem, i);
  return path;
}

}  // namespace

void WindowApp::toggle_record() {
  if (state_.recording.on) {
    end_recording("");
  } else if (!recording_ && session_ != nullptr && !state_.fault.has_value()) {
    start_recording(recording_name(), *source_, state_.params);
  }
}

void WindowApp::start_recording(const fs::path& file, const Source& source, const ImagingParams& params) {
  recorder_.start(file, source.acquisition(), {.version = kVersion, .parameters = params_json(params).dump()});
  recording_ = true;
  recording_because_.clear();
  recording_looked_ns_ = 0;
  state_.recording = {.on = true, .file = file.filename().string()};
  say(Severity::info, "Recording to " + file.string());
}

void WindowApp::end_recording(const std::string& because) {
  if (!state_.recording.on) return;
  recorder_.stop();
  state_.recording.on = false;
  state_.recording.finishing = true;
  recording_because_ = because;
}

// Numbers for the window; the end, once.
void WindowApp::look_at_recording() {
  if (!recording_) return;
  const RecorderStatus status = recorder_.status();
  RecordingView& view = state_.recording;
  view.on = status.state == RecorderState::recording;
  view.finishing = status.state == RecorderState::finishing;
  view.seconds = status.seconds;
  view.frames = status.frames;
  view.not_recorded = status.not_recorded;
  constexpr std::int64_t kUpdateNs = 500'000'000;
  if (const std::int64_t now = now_ns(); now - recording_looked_ns_ >= kUpdateNs) {
    const double passed_s = static_cast<double>(now - recording_looked_ns_) * 1e-9;
    view.bytes_per_second =
        recording_looked_ns_ == 0 ? 0.0 : static_cast<double>(status.bytes - recording_bytes_) / passed_s;
    recording_looked_ns_ = now;
    recording_bytes_ = status.bytes;
  }
  if (status.state != RecorderState::ended) return;
  recording_ = false;
  recorder_.finish();
  if (!status.problem.empty() && status.path == options_.record) recording_failed_ = true;
  std::string text = recording_text(status);
  if (!recording_because_.empty()) text += "; " + recording_because_;
  say(!status.problem.empty() ? Severity::error : status.not_recorded > 0 ? Severity::warning : Severity::info, text);
  if (recording_failed_) fmt::print(stderr, "echoloop: {}\n", text);
}

}  // namespace echoloop
