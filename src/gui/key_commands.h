// The keys of the whole window, as kKeyHelp lists them: what each does, or the reason why it has no effect. UI thread
// only.
#pragma once

#include <optional>

#include "gui/presentation.h"
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

// True when the key has an effect here, or a reason for none was given.
bool handle_key(const KeyTargets& t, const KeyPress& press);

// Of the interface; 0: the monitor's.
void choose_scale(const KeyTargets& t, float scale);

}  // namespace echoloop
