#include "app/window/window_pacer.h"

#include <algorithm>

#include "core/units.h"

namespace echoloop {

// Where swapping buffers does not wait for the display (software OpenGL, a virtual one), 60 frames a second are enough.
// With no new image and no input there is nothing to draw: the panels are laid out now and then to see whether a
// counter, a message or a file on disk has changed them, and drawn only then (Viewer::drawn).
void WindowPacer::wait(Viewer& viewer, std::int64_t idle_ns, const std::function<bool()>& must_draw) {
  constexpr std::int64_t kFrameNs = 1'000'000'000 / 60;
  const std::int64_t last_drawn_ns = drawn_ns_;
  bool touched = false;  // the wait ended early: there is input
  do {
    due_ns_ = std::max(due_ns_ + kFrameNs, now_ns() - kFrameNs);
    for (std::int64_t left = due_ns_ - now_ns(); left > 0; left = due_ns_ - now_ns()) {
      viewer.wait_events(static_cast<double>(left) * 1e-9);
      touched = touched || now_ns() < due_ns_;
    }
    drawn_ns_ = now_ns();
  } while (!touched && !must_draw() && drawn_ns_ - last_drawn_ns < idle_ns);
}

}  // namespace echoloop
