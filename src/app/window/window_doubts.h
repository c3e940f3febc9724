// Doubts about the facts of the open recording (app/outputs/doubts.h): measured on a thread, on the oldest frame of the
// history, so that the stream goes on. UI thread only.
#pragma once

#include <future>
#include <vector>

#include "app/outputs/doubts.h"
#include "app/window/window_parts.h"

namespace echoloop {

class WindowDoubts {
 public:
  explicit WindowDoubts(WindowParts& parts) : parts_(parts) {}

  void begin();  // another source, or other facts: no doubts until a frame of it has been measured
  void look();   // once a window frame

 private:
  void measure();
  void show(const std::vector<Doubt>& doubts);

  WindowParts& parts_;
  bool wanted_ = false;  // begin() came after what work_ measures
  std::future<std::vector<Doubt>> work_;
};

}  // namespace echoloop
