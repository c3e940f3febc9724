// What the user saves: images, figures, numbers, timings, sessions, and videos of history frames. UI thread only.
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

  // Files are written on a thread (save_queue.h), of what is on screen at the call; advance() reports them.
  void save(SaveWhat what, SavedMoment moment);
  void save_table(const ResultTable& table);
  void save_timing_file(TimingFile format);
  void advance();  // once a window frame
  void finish();   // waits for all files
  void flush();    // before another source: pictures whose numbers are not there yet go without
  [[nodiscard]] bool busy() const { return !pictures_.empty() || files_.busy(); }

  // The file that is being made of history frames: once a window frame; ended with its stream, with the reason; ended
  // by the user.
  void advance_job();
  void cancel_job(const std::string& why);
  void stop_job() { job_->give_up({}); }
  [[nodiscard]] bool has_job() const { return job_ != nullptr; }

  void describe();  // for the window

  // Where no file can be made, an error says so, and the save panel opens at the folder's field.
  [[nodiscard]] bool folder_ready(UserFolder kind);
  [[nodiscard]] std::filesystem::path new_save(UserFolder kind, const std::string& name, const char* ending);

 private:
  // A picture, and what its numbers wait for.
  struct Picture {
    SaveWhat what = SaveWhat::picture;
    Image shown;  // with pixels of its own
    std::optional<Image> a;
    std::optional<double> wipe_mm;  // FigureSize::wipe_mm
    Measured measured;
    ImageAgain again;
    Measured measured_a = {};
    std::optional<ImageAgain> again_a = {};
    // True when all numbers are there, or the time is over.
    [[nodiscard]] bool step(Session* session) { return again.step(session) && (!again_a || again_a->step(session)); }
  };

  // `text`: called on the thread, for what is in the file.
  void save_text(const std::filesystem::path& path, std::function<std::string()> text, std::string note = {});
  void try_to_save(UserFolder kind, const std::function<void()>& act);
  void save_timings(TimingFile format);
  void save_picture(SaveWhat what);
  void write_picture_of(Picture picture);
  [[nodiscard]] std::function<void()> figure_of(const std::filesystem::path& path, const Picture& picture,
                                                const std::string& command) const;
  // A of the comparison, where B is drawn with its histogram; null: levels are drawn as they are.
  [[nodiscard]] const Image* matched_to(const Picture& picture) const;
  // As it is drawn: with mapped levels where it is matched. Called on the save thread.
  [[nodiscard]] std::function<Image()> as_drawn(const Picture& picture) const;
  [[nodiscard]] FigureSize figure_size(const Picture& picture) const;
  [[nodiscard]] std::string name_of_a() const;
  [[nodiscard]] const std::vector<Doubt>* doubts() const { return in_use_.doubts ? &*in_use_.doubts : nullptr; }
  void save_measurements();
  void save_description();  // of the scanner
  void save_session(SavedMoment moment);
  void save_film(SavedMoment moment);
  void save_iq(SaveWhat what);
  [[nodiscard]] Image image_on_screen() const;
  // Of both images, for the figure.
  [[nodiscard]] nlohmann::json describe_compared(const std::filesystem::path& figure, Picture& picture) const;
  [[nodiscard]] ImagingParams display_on_screen(const Image& shown) const;
  void report(const std::string& text, Severity severity);

  WindowState& state_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  std::unique_ptr<CineJob> job_;                 // null: none is being made
  std::deque<Picture> pictures_;                 // whose numbers are not there yet
  std::vector<std::filesystem::path> promised_;  // names of files that are still to be written
  SaveQueue files_;
};

// The files that the command line asks for: the video of the stream, made while it runs, and all others, written when
// the window closes. UI thread only.

class WindowOutputs {
 public:
  WindowOutputs(WindowState& state, const Options& options, SourceInUse& in_use, Engine& engine, Viewer& viewer);

  // Whether a file needs the images on the host.
  [[nodiscard]] bool need_host_image() const { return need_host_image_; }
  // Of the images that the stream processes, as far as the sinks can follow; empty: there are none.
  [[nodiscard]] std::function<void(const Image&)> image_taker();

  void write_screenshot();
  // All other files, of a stream that has been stopped. `display`: of the report; `recording`: of --record.
  struct Run {
    RunTotals totals;
    nlohmann::json display;
    RecorderStatus recording;
  };
  void write(const Run& run);

 private:
  void write_report_of(const Run& run, FileWriter& writer);

  WindowState& state_;
  const Options& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  const bool need_host_image_;
  std::unique_ptr<ImageSinks> sinks_;  // null: no stream yet
};

// The window's recording: begun and ended by the user or by --record, ended by what changes the stream; the window is
// shown how far it is, and its end is one line. UI thread.

class WindowRecording {
 public:
  // `history` is offered each frame as well. `asked_for`: the file of --record; empty: none.
  WindowRecording(FrameSink* history, Model& model, std::filesystem::path asked_for);

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
  Model& model_;
  RecordingView& view_ = model_.saving.recording;
  const std::filesystem::path asked_for_;
  bool under_way_ = false;
  bool failed_ = false;
  std::string because_;
  std::int64_t looked_ns_ = 0;  // at the bytes
  std::uint64_t bytes_ = 0;     // then
};

}  // namespace echoloop
