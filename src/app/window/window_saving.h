// Saving by the user: images, figures, numbers, timings, sessions, and videos of history frames. UI thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/folders.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/outputs/run_outputs.h"
#include "app/outputs/save_queue.h"
#include "app/session_file.h"
#include "app/window/engine.h"
#include "core/params.h"
#include "gui/state/ui_state.h"
#include "history/file_sinks.h"
#include "history/recorder.h"
#include "source/source.h"

namespace echoloop {

class WindowSaving {
 public:
  WindowSaving(WindowState& state, SourceInUse& in_use, Engine& engine, Viewer& viewer)
      : state_(state), in_use_(in_use), engine_(engine), viewer_(viewer) {}

  // Writes files on a thread (save_queue.h), with the content on screen at the call; advance() reports them.
  void save(SaveWhat what, SavedMoment moment);
  void save_table(const ResultTable& table);
  void save_timing_file(TimingFile format);
  void advance();  // once a window frame
  void finish();   // waits for all files
  void flush();    // before another source: pictures are written without missing numbers
  [[nodiscard]] bool busy() const { return !pictures_.empty() || files_.busy(); }

  // File of history frames in progress: advanced once a window frame; cancelled with its stream, with the reason;
  // stopped by the user.
  void advance_job();
  void cancel_job(const std::string& why);
  void stop_job() { job_->give_up({}); }
  [[nodiscard]] bool has_job() const { return job_ != nullptr; }

  void describe();  // for the window

  // Returns false, after an error, if no file can be written, and opens the save panel at the folder's field.
  [[nodiscard]] bool folder_ready(UserFolder kind);
  [[nodiscard]] std::filesystem::path new_save(UserFolder kind, const std::string& name, const char* ending);

 private:
  // A picture waiting for its numbers.
  struct Picture {
    SaveWhat what = SaveWhat::picture;
    Image shown;  // has its own pixels
    std::optional<Image> a;
    std::optional<double> wipe_mm;  // FigureSize::wipe_mm
    Measured measured;
    ImageAgain again;
    Measured measured_a = {};
    std::optional<ImageAgain> again_a = {};
    // Returns true if all numbers are complete, or the time is over.
    [[nodiscard]] bool step(Session* session) { return again.step(session) && (!again_a || again_a->step(session)); }
  };

  // `text`: called on the thread, returns the content.
  void save_text(const std::filesystem::path& path, std::function<std::string()> text, std::string note = {});
  void try_to_save(UserFolder kind, const std::function<void()>& act);
  void save_timings(TimingFile format);
  void save_picture(SaveWhat what);
  void write_picture_of(Picture picture);
  [[nodiscard]] std::function<void()> figure_of(const std::filesystem::path& path, const Picture& picture,
                                                const std::string& command) const;
  // Returns A of the comparison, if B is drawn with its histogram; null: levels are drawn unchanged.
  [[nodiscard]] const Image* matched_to(const Picture& picture) const;
  // Returns the image as drawn: with mapped levels if it is matched. Called on the save thread.
  [[nodiscard]] std::function<Image()> as_drawn(const Picture& picture) const;
  [[nodiscard]] std::function<void()> image_of(const std::filesystem::path& path, const Picture& picture) const;
  [[nodiscard]] std::function<MapOverlayPtr(const Image&)> map_on_screen() const;
  [[nodiscard]] FigureSize figure_size(const Picture& picture) const;
  [[nodiscard]] std::string name_of_a() const;
  [[nodiscard]] const std::vector<Doubt>* doubts() const { return in_use_.doubts ? &*in_use_.doubts : nullptr; }
  void save_measurements();
  void save_description();  // of the scanner
  void save_session(SavedMoment moment);
  void save_film(SavedMoment moment);
  void save_iq(SaveWhat what);
  [[nodiscard]] Image image_on_screen() const;
  // Returns the description of both images, for the figure.
  [[nodiscard]] nlohmann::json describe_compared(const std::filesystem::path& figure, Picture& picture) const;
  [[nodiscard]] ImagingParams display_on_screen(const Image& shown) const;
  void report(const std::string& text, Severity severity);

  WindowState& state_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  std::unique_ptr<CineJob> job_;                 // null: none in progress
  std::deque<Picture> pictures_;                 // waiting for numbers
  std::vector<std::filesystem::path> promised_;  // names of files not written yet
  SaveQueue files_;
};

// Files requested on the command line: the video of the stream, made while it runs, and all others, written when the
// window closes. UI thread only.

class WindowOutputs {
 public:
  WindowOutputs(WindowState& state, const OutputOptions& options, const WindowOptions& window, SourceInUse& in_use,
                Engine& engine, Viewer& viewer);

  // Returns true if a file needs the images on the host.
  [[nodiscard]] bool need_host_image() const { return need_host_image_; }
  // Returns the receiver of the stream's images, which drops them if the sinks are too slow; empty: no sinks.
  [[nodiscard]] std::function<void(const Image&)> image_taker();

  void write_screenshot();
  // All other files, after the stream has stopped. `display`: for the report; `recording`: from --record.
  struct Run {
    RunTotals totals;
    nlohmann::json display;
    RecorderStatus recording;
  };
  void write(const Run& run);

 private:
  void write_report_of(const Run& run, FileWriter& writer);

  WindowState& state_;
  const OutputOptions& options_;
  const WindowOptions& window_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  const bool need_host_image_;
  std::unique_ptr<ImageSinks> sinks_;  // null: no stream yet
};

// The window's recording: started and ended by the user or --record, ended by changes of the stream; the window shows
// its progress, and a message its end. UI thread.

class WindowRecording {
 public:
  struct Asked {
    std::filesystem::path file;  // of --record; empty: none
    RecordingFormat format;
  };
  // `history` gets each frame as well.
  WindowRecording(FrameSink* history, Model& model, Asked asked_for);

  // Starts with the stream's next frame. Throws Error if the file cannot be created. Only if not under_way().
  void start(const std::filesystem::path& file, const Source& source, const ImagingParams& params);
  // Ends it, or starts one of the running stream in a new file.
  void toggle(WindowSaving& saving, const SourceInUse& in_use, const Engine& engine, WindowState& state);
  void end(const std::string& because);  // no further frame; no effect without one. because: empty if ended by the user
  void finish() { recorder_.finish(); }  // waits for the end of the file
  void look();                           // numbers for the window; the end, once

  [[nodiscard]] bool under_way() const { return under_way_; }  // started, and its end not reported yet
  [[nodiscard]] bool failed() const { return failed_; }        // of --record
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] Recorder* recorder() { return &recorder_; }  // for the stream

 private:
  Recorder recorder_;
  Model& model_;
  RecordingView& view_ = model_.saving.recording;
  const Asked asked_for_;
  bool under_way_ = false;
  bool failed_ = false;
  std::string because_;
  std::int64_t looked_ns_ = 0;  // last update of bytes_
  std::uint64_t bytes_ = 0;     // at that time
};

}  // namespace echoloop
