// Loop of a window, run by a test until a condition holds, and a test with its own window.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/window/window_app.h"
#include "gui/screen.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

// Draws frames until `holds()`; returns false after a minute: a time limit, because a busy machine needs more frames.
inline bool turn_until(WindowApp& app, const std::function<bool()>& holds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    app.turn();
  }
  return true;
}

inline void turn(WindowApp& app, int frames) {
  for (int i = 0; i < frames; ++i) app.turn();
}

inline void inject(WindowApp& app, const InjectedInput& input, int frames = 1) {
  app.viewer().inject(input);
  turn(app, frames);
}

inline void press(WindowApp& app, const KeyPress& key, int frames = 1) {
  InjectedInput input;
  input.keys = {key};
  inject(app, input, frames);
}

inline void drop(WindowApp& app, const std::filesystem::path& file) {
  InjectedInput input;
  input.dropped_files = {file};
  inject(app, input, 2);
}

// Clicks on the middle of a control; `frames` for each part of the click, as by a user.
inline void click(WindowApp& app, const std::string& control, int frames = 3) {
  const Rect r = app.viewer().screen().ui().rect_of(control);
  ASSERT_GT(r.width(), 0.0F) << control;
  InjectedInput input;
  input.mouse_x = r.cx();
  input.mouse_y = r.cy();
  for (const bool down : {false, true, false}) {
    input.left = down;
    inject(app, input, frames);
  }
}

// Returns options of a window opened by a script: without the tour.
inline Options script_options(const std::string& source) {
  Options options;
  options.source = source;
  options.backend = BackendChoice::cpu;
  options.duration_s = 1e9;
  return options;
}

// Offscreen window with its settings in a folder removed with it.
class ScriptedWindow {
 public:
  ScriptedWindow() {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    std::filesystem::create_directories(folder_ / "config" / "echoloop");
    write_text_file(folder_ / "config" / "echoloop" / "window", "mode = engineer\n");
  }
  void begin(const Options& options) {
    app_ = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app_->begin();
  }
  [[nodiscard]] WindowApp& app() const { return *app_; }
  [[nodiscard]] WindowState& state() const { return app_->state(); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] bool until(const std::function<bool()>& holds) const { return turn_until(*app_, holds); }
  void click(const std::string& id) const { testing::click(*app_, id); }
  void press(Key key, bool control = false) const { testing::press(*app_, {.key = key, .control = control}); }
  void drop(const std::filesystem::path& file) const { testing::drop(*app_, file); }

 protected:
  TemporaryFolder folder_;
  std::unique_ptr<WindowApp> app_;
};

class WindowTest : public ::testing::Test, protected ScriptedWindow {};

}  // namespace echoloop::testing
