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
  std::optional<PhantomSettings> held;  // edited and not released yet
};

void phantom_rows(PanelContext& c, Column& column);

}  // namespace echoloop
