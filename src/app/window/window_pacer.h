// When the next window frame is drawn: at most 60 a second, and none while nothing has changed. UI thread only.
#pragma once

#include <cstdint>
#include <functional>

#include "gui/viewer.h"

namespace echoloop {

class WindowPacer {
 public:
  // Returns when input comes, when `must_draw` holds at the time of a frame, or `idle_ns` after the last return.
  void wait(Viewer& viewer, std::int64_t idle_ns, const std::function<bool()>& must_draw);

 private:
  std::int64_t due_ns_ = 0;    // of the next window frame
  std::int64_t drawn_ns_ = 0;  // of the last one
};

}  // namespace echoloop
