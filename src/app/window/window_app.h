// The program with a window: makes its parts and controllers, starts and ends them in order, and runs the window
// frames. Everything here runs on the UI thread; commands from panels are queued and executed between two window
// frames, never during one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/window/engine.h"
#include "app/window/window_comparison.h"
#include "app/window/window_control.h"
#include "app/window/window_doubts.h"
#include "app/window/window_import.h"
#include "app/window/window_lesson.h"
#include "app/window/window_maps.h"
#include "app/window/window_method.h"
#include "app/window/window_opening.h"
#include "app/window/window_outlets.h"
#include "app/window/window_presets.h"
#include "app/window/window_review.h"
#include "app/window/window_saving.h"
#include "app/window/window_stream.h"
#include "gui/gl/surface.h"

namespace echoloop {

class WindowApp {
 public:
  explicit WindowApp(const Options& options, SurfaceKind surface = SurfaceKind::window);
  ~WindowApp();
  WindowApp(const WindowApp&) = delete;
  WindowApp& operator=(const WindowApp&) = delete;
  int run();

  // Steps of run(), for tests.
  void begin();
  void turn();  // one window frame
  [[nodiscard]] Viewer& viewer() { return *own_.viewer; }
  [[nodiscard]] WindowState& state() { return own_.state; }
  [[nodiscard]] Commands& commands() { return own_.commands; }

 private:
  void carry_out(const AnyCommand& given);
  void run_commands();
  void restore_settings();  // of the last run: nothing is opened or applied automatically

  void take_opened();
  void opening_failed(const Error& error);
  void first_opening_failed(const Error& error);
  void take_sandbox_answer();
  void start_session(OpenedSource opened, WindowOpening::Purpose purpose);
  void restore_view(const SavedSession* saved);
  // `saved`: start of the stream; null: at the source's beginning.
  void make_session(const std::shared_ptr<Source>& source, StreamSettings stream,
                    const std::shared_ptr<const SavedSession>& saved = nullptr);
  void restart(const StreamSettings& stream);
  void follow_acquisition();
  void use_cpu();
  void poll_stream();
  void apply_stream() { stream_.apply(review_.adjusted(own_.state.stream)); }
  void compare_with(CompareSide side, const std::filesystem::path& path);
  void swap_recordings();
  void advance_comparison();
  void cancel();

  [[nodiscard]] HostCopy host_copy() const;
  [[nodiscard]] SavedMoment seen_moment() const { return review_.frozen() ? SavedMoment::frozen : SavedMoment::live; }
  [[nodiscard]] bool must_draw() const;
  void wait_for_frame();
  void write_outputs();
  void write_files(const nlohmann::json& display);
  void end_without_display(DisplayLoss loss);
  [[nodiscard]] bool limits_reached() const;
  [[nodiscard]] bool ended_by_fault() const;

  struct Drawn {  // in the last window frame
    NewImage news = NewImage::no;
    double opening_fraction = 0.0;
  };

  // Shared by the controllers. The viewer ends first, then the session.
  struct Owned {
    Owned(const Options& with, SurfaceKind surface);
    void look() {  // once a window frame
      method.look();
      maps.look(viewer->shown_image());
      outputs.look();
      ended = outputs.control() != nullptr && outputs.control()->look();
    }
    const Options options;
    WindowState state;
    Commands commands;
    SourceInUse in_use;
    ChosenBackend chosen;  // except the backend, owned by the engine
    Engine engine;
    WindowOutlets outputs;
    std::unique_ptr<Viewer> viewer;
    WindowMaps maps{state};
    WindowMethod method{state, commands, options};
    bool ended = false;  // by a program that controls the window
  };

  Owned own_;
  WindowRecording recording_;
  WindowComparison comparison_;
  WindowReview review_;
  WindowReference reference_;
  WindowPresets presets_;
  WindowSaving saving_;
  WindowOutputs outputs_;
  WindowStream stream_;
  WindowOpening opening_;
  WindowImport import_;
  WindowScanner scanner_;
  SandboxQuestion question_;
  WindowReset reset_;
  WindowSoundSpeed sound_speed_;
  WindowLesson lesson_;
  WindowTimes times_;
  WindowPacer pacer_;
  Drawn drawn_;
  std::int64_t started_ns_ = 0;
};

}  // namespace echoloop
