// The settings of a phantom while they are edited in the Source panel. UI thread only.
#pragma once

#include <optional>

#include "source/phantom_settings.h"

namespace echoloop {

// As long as the window is open.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited; shown until that phantom is open, or refused
  bool asked = false;                        // it was released, and the phantom is being opened
};

}  // namespace echoloop
