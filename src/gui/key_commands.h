// The keys of the whole window, one row each: what a key does, or the reason why it has no effect, and what the overlay
// (F1) and the manual say about it. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gui/presentation.h"
#include "gui/state/keys.h"
#include "gui/undo.h"
#include "gui/workspace/image_area.h"

namespace echoloop {

// Asked for by keys and by controls; carried out later in the frame.
struct WindowRequests {
  bool open_dialog = false, open_keys = false, quit = false, full_screen = false;
  bool describe = false;               // the dialog's file is for the import assistant
  std::optional<CompareSide> open_as;  // side of a comparison that the dialog's file is for; none: to be opened
  bool scale_chosen = false;           // in this run: ViewSettings::scale
};

struct KeyTargets {
  Ui& ui;
  UiState& state;
  const UiCommands& commands;
  ViewSettings& view;
  ImageArea& image;
  Presentation& presentation;
  Undo& undo;
  WindowRequests& requests;
  const Grid& shown_grid;  // nx 0 = no image
};

enum class KeyHeld { any, no_control, control, control_alone, control_shift };  // `control`: with Shift or without
enum class KeyScope { window, assistant };  // assistant: also while the import assistant is open

struct KeyChord {
  Key key = Key::space;
  KeyHeld held = KeyHeld::no_control;
  // Null: the control that has the focus, a dialog or the tour acts.
  void (*act)(const KeyTargets&, const KeyPress&) = nullptr;
  KeyScope place = KeyScope::window;
};

struct KeyRow {
  KeyHelp help;
  std::vector<KeyChord> chords;  // none: the mouse
};

// In the order of the list.
std::span<const KeyRow> key_rows();
std::span<const KeyHelp> key_help();

// Does what the row of the key says; false when there is none, or none for this place.
bool handle_key(const KeyTargets& t, const KeyPress& press, KeyScope place = KeyScope::window);

// Of the interface; 0: the monitor's.
void choose_scale(const KeyTargets& t, float scale);

}  // namespace echoloop
