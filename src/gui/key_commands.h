// Keys of the whole window, one row each: the action of a key, or the reason why it has no effect, and its text in the
// overlay (F1) and in the manual. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "gui/panels/panels.h"
#include "gui/presentation.h"
#include "gui/state/edit_history.h"
#include "gui/state/focus.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"
#include "gui/workspace/image_area.h"

namespace echoloop {

// Undo and redo of the window: every change of parameters, marks and calipers is detected once a frame, after all
// edits. UI thread only.

class Undo {
 public:
  void observe(const Ui& ui, const Model& model, const Edits& edits);
  // Returns the step in words; empty: none, or a control is held.
  std::string apply(const Ui& ui, const Model& model, Edits& edits, Commands& commands, HistoryAct act);
  void record(const Model& model, const Edits& edits, const RemoteEdit& by);  // after observe() and the change

  [[nodiscard]] const EditHistory& history() const { return history_; }

 private:
  EditHistory history_;
  AcquisitionPtr source_;     // source of the recorded parameters
  std::uint64_t resets_ = 0;  // number of known resets
  std::uint64_t m_mode_lines_ = 0;
};

// Requests of keys and controls; executed later in the frame.
struct WindowRequests {
  bool open_dialog = false, open_keys = false, quit = false, full_screen = false;
  bool describe = false;               // the dialog's file is for the import assistant
  std::optional<CompareSide> open_as;  // side of a comparison for the dialog's file; nullopt: to be opened
  bool scale_chosen = false;           // in this run: ViewSettings::scale
};

struct KeyTargets {
  Ui& ui;
  const Model& model;
  Edits& edits;
  Commands& commands;
  ViewSettings& view;
  ImageArea& image;
  Presentation& presentation;
  Undo& undo;
  WindowRequests& requests;
  const Grid& shown_grid;  // nx 0 = no image
};

enum class KeyHeld { any, no_control, control, control_alone, control_shift };  // `control`: with or without Shift
enum class KeyScope { window, assistant };  // assistant: also while the import assistant is open

struct KeyChord {
  Key key = Key::space;
  KeyHeld held = KeyHeld::no_control;
  // Null: the focused control, a dialog or the tour handles the key.
  void (*act)(const KeyTargets&, const KeyPress&) = nullptr;
  KeyScope place = KeyScope::window;
};

struct KeyRow {
  KeyHelp help;
  std::vector<KeyChord> chords;  // empty: a mouse action
};

// Return the rows in the order of the list.
std::span<const KeyRow> key_rows();
std::span<const KeyHelp> key_help();

// Executes the row of the key; returns false if there is none, or none for this place.
bool handle_key(const KeyTargets& t, const KeyPress& press, KeyScope place = KeyScope::window);

// Sets the scale of the interface; 0: the monitor's.
void choose_scale(const KeyTargets& t, float scale);

}  // namespace echoloop
