// Undo and redo of parameters, marks and M-mode calipers, in one order. It watches both from frame to frame, so that
// every control, key, preset and drawing tool is covered without knowing about it: a drag is one step, a preset is one
// step, a mark that is added, moved, changed or removed is one step. Pure: no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "gui/state/analysis_views.h"
#include "gui/state/marks.h"

namespace echoloop {

// All that can be undone.
struct Undoable {
  ImagingParams params;
  std::vector<Mark> marks;
  std::vector<MModeCaliper> calipers = {};
  std::string preset = {};  // the one in use; it changes with a step, or by itself without one
  friend bool operator==(const Undoable&, const Undoable&) = default;
};

// What the hand is doing while parameters change.
enum class DragState {
  free,     // a key, a click, another thread's answer: quick repeats of the same parameters are one step
  holding,  // a control is held or a value typed: one step until it is let go
};

class EditHistory {
 public:
  // Forgets everything: another source, whose parameters mean something else.
  void begin(const Undoable& edits);
  // Once a frame. `event` counts changes that are a step of their own (presets); `name` is the last one's.
  void observe(const Undoable& edits, DragState drag, double time_s, std::uint64_t event = 0, std::string name = {});
  // Another line of the M-mode: its calipers have gone, and no step brings them back.
  void forget_calipers();

  // What to go to; nothing when there is no such step.
  std::optional<Undoable> undo();
  std::optional<Undoable> redo();

  // What it would change, "F-number 1.50 → 1.20" or "Distance 3 removed"; empty when there is no such step.
  [[nodiscard]] std::string undo_text() const;
  [[nodiscard]] std::string redo_text() const;

 private:
  struct Step {
    Undoable before, after;
    std::string name;  // of a preset; empty: said by what differs
    bool held = false;
    bool closed = false;  // nothing joins it any more
    double last_s = 0;
  };
  [[nodiscard]] bool joins(const Step& step, const ImagingParams& params, DragState drag, double time_s) const;
  void join(Step& step, const Undoable& edits, double time_s);

  Undoable now_;
  std::vector<Step> steps_;
  std::size_t done_ = 0;  // steps that are in force; those behind it can be redone
  std::uint64_t event_ = 0;
};

// "F-number 1.50 → 1.20", or "F-number 1.50 → 1.20 and 2 more", in the units on screen; empty when nothing differs.
std::string change_text(const ImagingParams& before, const ImagingParams& after);
// "Distance 3 removed", "4 measurements restored", "1 target changed"; empty when nothing differs.
std::string change_text(const std::vector<Mark>& before, const std::vector<Mark>& after);

}  // namespace echoloop
