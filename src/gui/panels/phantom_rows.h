// The settings of the phantom at hand, below its name in the Source panel: probe, transmit angles and the rows of
// phantom_table(). The phantom is opened again when a slider is released. UI thread only.
#pragma once

#include <optional>

#include "core/phantom_settings.h"

namespace echoloop {

struct PanelContext;
struct Column;

// As long as the window is open.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited; shown until that phantom is open, or refused
  bool asked = false;                        // it was released, and the phantom is being opened
};

void phantom_rows(PanelContext& c, Column& column);

}  // namespace echoloop
