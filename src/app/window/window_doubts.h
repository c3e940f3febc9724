// Doubts about the facts of the open recording (app/outputs/doubts.h): measured on a thread, on the oldest frame of the
// history, so that the stream goes on. UI thread only.
#pragma once

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "app/outputs/doubts.h"
#include "app/window/window_parts.h"
#include "backend/sound_speed.h"

namespace echoloop {

class WindowDoubts {
 public:
  explicit WindowDoubts(WindowParts& parts) : parts_(parts) {}

  void begin();  // another source, or other facts: no doubts until a frame of it has been measured
  void look();   // once a window frame

 private:
  void measure();
  void show(const std::vector<Doubt>& doubts);

  WindowParts& parts_;
  bool wanted_ = false;  // begin() came after what work_ measures
  std::future<std::vector<Doubt>> work_;
};

// The search for the speed of sound (backend/sound_speed.h) from the window: on the frame on screen, in the selected
// region or the whole image, on a thread and with a CPU backend of its own, so that the stream goes on. UI thread only.

class WindowSoundSpeed {
 public:
  explicit WindowSoundSpeed(WindowParts& parts) : parts_(parts) {}
  ~WindowSoundSpeed() { forget(); }
  WindowSoundSpeed(const WindowSoundSpeed&) = delete;
  WindowSoundSpeed& operator=(const WindowSoundSpeed&) = delete;

  void act(SoundSpeedAct what);  // find: throws Error without a frame or pixels
  void update();                 // once a window frame: progress, result, why there is no search
  void forget();                 // another source: no search, no result

 private:
  void begin();
  void stop();
  [[nodiscard]] std::string why_not() const;

  WindowParts& parts_;
  std::atomic<bool> stop_{false};
  std::atomic<double> done_{0.0};
  FoundSpeeds searched_;  // without the curves, of the search that is running
  std::future<SoundSpeedResult> work_;
};

}  // namespace echoloop
