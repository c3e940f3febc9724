// How the window keeps up, for the report: the UI thread's work and waits in each of its frames. UI thread only.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "gui/viewer.h"

namespace echoloop {

class WindowTimes {
 public:
  void add(const Viewer::FrameTimes& times);
  void add_review(std::uint64_t window_frames) { review_frames_.add(static_cast<double>(window_frames)); }
  // frame_ms: the UI thread's work for a window frame; texture_ms: of that, handing a new picture to its texture;
  // device_wait_ms: its calls that may wait for the device; interval_ms: from one displayed frame to the next;
  // review_frames: displayed frames until a changed parameter or another kept frame is on screen.
  [[nodiscard]] nlohmann::json report() const;

 private:
  // The last values, in memory taken once.
  class Values {
   public:
    void add(double value);
    [[nodiscard]] nlohmann::json summary() const;

   private:
    static constexpr std::size_t kMost = 1 << 16;  // 18 minutes of window frames
    std::vector<double> values_;
    std::size_t next_ = 0;
  };

  Values frame_ms_, texture_ms_, device_wait_ms_, interval_ms_, review_frames_;
  std::int64_t last_shown_ns_ = 0;
};

}  // namespace echoloop
