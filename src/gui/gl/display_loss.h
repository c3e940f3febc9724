// The connection to the X server that breaks (the server ends, the network or the session is gone), and a request that
// the server refuses: Xlib would end the program at once, wherever it is, with recordings unfinished. UI thread.
#pragma once

#include <functional>

namespace echoloop {

enum class DisplayLoss { connection, request };  // the latter: the server refused one (an X protocol error)

// From now on: `finish`, then the program ends with status 1. The function must not use the window, whose calls would
// fail or wait; empty: there is nothing to finish. No effect where the window is not X11's (Wayland closes the window).
void finish_on_display_loss(std::function<void(DisplayLoss)> finish);

}  // namespace echoloop
