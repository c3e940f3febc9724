// Undo and redo of parameters, marks and M-mode calipers, in one order. Compares them from frame to frame, so that
// every control, key, preset and drawing tool is covered without code of its own: a drag is one step, a preset is one
// step, a mark that is added, moved, changed or removed is one step. Pure: no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "gui/state/analysis_views.h"
#include "gui/state/marks.h"

namespace echoloop {

// Everything that can be undone.
struct Undoable {
  ImagingParams params;
  std::vector<Mark> marks;
  std::vector<MModeCaliper> calipers = {};
  std::string preset = {};  // preset in use; it changes with a step, or alone without one
  friend bool operator==(const Undoable&, const Undoable&) = default;
};

// State of the input while parameters change.
enum class DragState {
  free,     // a key, a click, a result of another thread: quick repeats of the same parameters are one step
  holding,  // a control is held or a value typed: one step until it is released
};

enum class HistoryAct { none, undo, redo };

// Change requested by another program.
struct RemoteEdit {
  std::string label;  // name of its step; empty: "remote: " and the differences
  std::string joint;  // changes with the same text, each within kJoinRemote_s of the last, are one step; empty: none
};
inline constexpr double kJoinRemote_s = 0.25;

class EditHistory {
 public:
  // Clears all steps, for a source whose parameters have another meaning.
  void begin(const Undoable& edits);
  // Called once per frame. `event` counts changes that are a step of their own (presets); `name` is the last one's.
  void observe(const Undoable& edits, DragState drag, double time_s, std::uint64_t event = 0, std::string name = {});
  // Records a change by another program as one step, or as a part of the last step.
  void record(const Undoable& edits, double time_s, const RemoteEdit& by);
  // Removes calipers from all steps: they belonged to another line of the M-mode and cannot be restored.
  void forget_calipers();

  // Return the state to restore; nullopt when there is no such step.
  std::optional<Undoable> undo();
  std::optional<Undoable> redo();

  // Describe the change, "F-number 1.50 → 1.20" or "Distance 3 removed"; empty when there is no such step.
  [[nodiscard]] std::string undo_text() const;
  [[nodiscard]] std::string redo_text() const;

 private:
  struct Step {
    Undoable before, after;
    std::string name;  // name of a preset or of a remote change; empty: described by the differences
    bool held = false;
    bool closed = false;  // no further change joins it
    double last_s = 0;
    std::optional<RemoteEdit> by = {};  // nullopt: a change in the window
    [[nodiscard]] std::string text(const Undoable& from, const Undoable& to) const;
  };
  // Of all steps: a method is no step when it is compiled again, and none before it is kept.
  void follow_method(const std::shared_ptr<const OwnMethod>& own);
  void add(Step step);
  [[nodiscard]] bool joins(const Step& step, const ImagingParams& params, DragState drag, double time_s) const;
  void join(Step& step, const Undoable& edits, double time_s);

  Undoable now_;
  std::vector<Step> steps_;
  std::size_t done_ = 0;  // number of steps in force; later ones can be redone
  std::uint64_t event_ = 0;
};

// Returns "F-number 1.50 → 1.20", or "F-number 1.50 → 1.20 and 2 more", in the units on screen; empty without changes.
std::string change_text(const ImagingParams& before, const ImagingParams& after);
// Returns "Distance 3 removed", "4 measurements restored", "1 target changed"; empty without changes.
std::string change_text(const std::vector<Mark>& before, const std::vector<Mark>& after);

}  // namespace echoloop
