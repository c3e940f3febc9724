// Doubts about the facts of the open recording or scanner (app/outputs/doubts.h): measured on a thread, on the oldest
// frame of the history, so that the stream continues; their cards with one frame before and after the cure, formed on a
// thread; the user's answers. UI thread only.
#pragma once

#include <atomic>
#include <future>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/outputs/doubts.h"
#include "app/window/engine.h"
#include "backend/sound_speed.h"
#include "gui/state/doubt_state.h"
#include "gui/state/window_commands.h"

namespace echoloop {

// `marked`: in Source, the status bar and on the image; `opened`: the first card of a recording opens, too.
enum class DoubtCards { none, marked, opened };

class WindowDoubts {
 public:
  struct Parts {
    WindowState& state;
    SourceInUse& in_use;
    Engine& engine;
    Commands& commands;
    const ImagingOptions& imaging;
  };
  WindowDoubts(const Parts& parts, DoubtCards cards) : with_(parts), cards_(cards) {}
  ~WindowDoubts() { stop_.request_stop(); }
  WindowDoubts(const WindowDoubts&) = delete;
  WindowDoubts& operator=(const WindowDoubts&) = delete;

  void begin();  // another source, or other facts: no doubts until one of its frames is measured
  void look();   // once a window frame
  void act(DoubtAct what);
  // Texts of dismissed doubts about the open source; sets those of a session, or of the state before a reset.
  [[nodiscard]] std::vector<std::string> dismissed() const;
  void set_dismissed(const std::string& source, const std::vector<std::string>& texts);

 private:
  struct Formed {
    DoubtPreview preview;
    std::string description;  // with the cure; empty: none
  };
  void measure();
  void show(std::vector<Doubt> doubts);
  void make_cards();
  void form_images();
  void take_images();
  void use();
  [[nodiscard]] Doubt* on_card();
  [[nodiscard]] Formed formed(const Doubt& doubt, const KeptFrame& kept) const;

  const Parts with_;
  const DoubtCards cards_;
  bool wanted_ = false;  // begin() was called after the start of work_
  std::future<std::vector<Doubt>> work_;
  std::stop_source stop_;            // of images_
  std::future<Formed> images_;       // of the card on screen
  std::string description_;          // same
  bool use_when_formed_ = false;     // the cure was chosen before its description was known
  std::set<std::string> dismissed_;  // source and text
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
