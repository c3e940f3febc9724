// The window's recording: begun and ended by the user or by --record, ended by what changes the stream; the window is
// shown how far it is, and its end is one line. UI thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/params.h"
#include "gui/state/ui_state.h"
#include "history/file_sinks.h"
#include "history/recorder.h"
#include "source/source.h"

namespace echoloop {

class WindowRecording {
 public:
  using Say = std::function<void(Severity severity, const std::string& text)>;

  // `history` is offered each frame as well. `asked_for`: the file of --record; empty: none.
  WindowRecording(FrameSink* history, RecordingView& view, std::filesystem::path asked_for, Say say);

  // From the stream's next frame on. Throws Error when the file cannot be made. Only when it is not under_way().
  void start(const std::filesystem::path& file, const Source& source, const ImagingParams& params);
  void end(const std::string& because);  // no further frame; nothing without one. because: empty, the user said so
  void finish() { recorder_.finish(); }  // waits until the file is ended
  void look();                           // numbers for the window; the end, once

  [[nodiscard]] bool under_way() const { return under_way_; }  // begun, and its end has not been reported
  [[nodiscard]] bool failed() const { return failed_; }        // the one of --record
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] Recorder* recorder() { return &recorder_; }  // for the stream

 private:
  Recorder recorder_;
  RecordingView& view_;
  const std::filesystem::path asked_for_;
  const Say say_;
  bool under_way_ = false;
  bool failed_ = false;
  std::string because_;
  std::int64_t looked_ns_ = 0;  // at the bytes
  std::uint64_t bytes_ = 0;     // then
};

}  // namespace echoloop
