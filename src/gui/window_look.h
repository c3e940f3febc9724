// What a window frame looks like, as one number: where it is that of the frame on the display, drawing again would
// change nothing. UI thread only.
#pragma once

#include <cstdint>

#include "gui/window_frame.h"

namespace echoloop {

// After ImGui's render: its draw data, where the images lie and which they are. Not the display parameters, which the
// caller compares. 0: it must be drawn in any case.
[[nodiscard]] std::uint64_t window_look(const WindowFrame& frame);

}  // namespace echoloop
