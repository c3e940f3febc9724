// The phantoms in the Source panel, and the settings of the one that runs: probe, transmit angles and the rows of
// phantom_table(). The phantom is opened again when a slider is released. UI thread only.
#pragma once

#include <optional>

#include "source/phantom_list.h"

namespace echoloop {

struct PanelContext;
struct Column;

// As long as the window is open.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited; shown until that phantom is open, or refused
  bool asked = false;                        // it was released, and the phantom is being opened
};

// Which phantom runs: one of phantoms().
void phantom_choice(PanelContext& c, Column& column);

// The settings of the one that runs.
void phantom_rows(PanelContext& c, Column& column);

}  // namespace echoloop
