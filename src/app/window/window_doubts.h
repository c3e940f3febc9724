// Doubts about the facts of the open recording (app/outputs/doubts.h): measured on a thread, on the oldest frame of the
// history, so that the stream continues. UI thread only.
#pragma once

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "app/outputs/doubts.h"
#include "app/window/engine.h"
#include "backend/sound_speed.h"

namespace echoloop {

class WindowDoubts {
 public:
  WindowDoubts(WindowState& state, const WindowOptions& options, SourceInUse& in_use, Engine& engine)
      : state_(state), options_(options), in_use_(in_use), engine_(engine) {}

  void leave() { on_ = false; }  // for good

  void begin();  // another source, or other facts: no doubts until one of its frames is measured
  void look();   // once a window frame

 private:
  void measure();
  void show(const std::vector<Doubt>& doubts);

  WindowState& state_;
  const WindowOptions& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  bool on_ = true;
  bool wanted_ = false;  // begin() was called after the start of work_
  std::future<std::vector<Doubt>> work_;
};

// Search for the speed of sound (backend/sound_speed.h) in the window: on the frame on screen, in the selected region
// or the whole image, on a thread with its own CPU backend, so that the stream continues. UI thread only.

class WindowSoundSpeed {
 public:
  WindowSoundSpeed(WindowState& state, Engine& engine, Viewer& viewer)
      : state_(state), engine_(engine), viewer_(viewer) {}
  ~WindowSoundSpeed() { forget(); }
  WindowSoundSpeed(const WindowSoundSpeed&) = delete;
  WindowSoundSpeed& operator=(const WindowSoundSpeed&) = delete;

  void act(SoundSpeedAct what);  // find: throws Error without a frame or pixels
  void update();                 // once a window frame: progress, result, reason for no search
  void forget();                 // another source: no search, no result

 private:
  void begin();
  void stop();
  [[nodiscard]] std::string why_not() const;

  WindowState& state_;
  Engine& engine_;
  Viewer& viewer_;
  std::atomic<bool> stop_{false};
  std::atomic<double> done_{0.0};
  FoundSpeeds searched_;  // without the curves, of the running search
  std::future<SoundSpeedResult> work_;
};

}  // namespace echoloop
