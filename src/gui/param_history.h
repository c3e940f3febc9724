// Undo and redo of parameters. It watches the parameters from frame to frame, so that every control, key and preset is
// covered without knowing about it: a drag is one step, a preset is one step. Pure: no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"

namespace echoloop {

// What the hand is doing while parameters change.
enum class Hand {
  free,     // a key, a click, another thread's answer: quick repeats of the same parameters are one step
  holding,  // a control is held or a value typed: one step until it is let go
};

class ParamHistory {
 public:
  // Forgets everything: another source, whose parameters mean something else.
  void begin(const ImagingParams& now);
  // Once a frame. `event` counts changes that are a step of their own (presets); `name` is the last one's.
  void observe(const ImagingParams& now, Hand hand, double time_s, std::uint64_t event = 0, std::string name = {});

  // The parameters to go to; nothing when there is no such step.
  std::optional<ImagingParams> undo();
  std::optional<ImagingParams> redo();

  // What it would change, "F-number 1.50 → 1.20"; empty when there is no such step.
  [[nodiscard]] std::string undo_text() const;
  [[nodiscard]] std::string redo_text() const;

 private:
  struct Step {
    ImagingParams before, after;
    std::string name;  // of a preset; empty: said by what differs
    bool held = false;
    bool closed = false;  // nothing joins it any more
    double last_s = 0;
  };
  [[nodiscard]] bool joins(const Step& step, const ImagingParams& now, Hand hand, double time_s) const;

  ImagingParams now_;
  std::vector<Step> steps_;
  std::size_t done_ = 0;  // steps that are in force; those behind it can be redone
  std::uint64_t event_ = 0;
};

// "F-number 1.50 → 1.20", or "F-number 1.50 → 1.20 and 2 more", in the units on screen; empty when nothing differs.
std::string change_text(const ImagingParams& before, const ImagingParams& after);

}  // namespace echoloop
