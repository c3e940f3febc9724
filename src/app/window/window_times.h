// Window frames and images shown, and how the window keeps up: the UI thread's work and waits in each of its frames,
// for the trace and the report. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/window/playback.h"
#include "core/timing_trace.h"
#include "gui/viewer.h"

namespace echoloop {

enum class NewImage { no, yes };

class WindowTimes {
 public:
  // The window frame that the viewer has just laid out; nothing where it was not drawn.
  void add_frame(const Viewer& viewer, NewImage news, const Playback& playback, TimingTrace& trace);
  // After the requests of this window frame have been made.
  void count_requests(const Playback& playback);
  void begin_stream() { shown_ = 0; }
  // From `began_ns` to now, without the wait for the display.
  void add_turn(const Viewer& viewer, std::int64_t began_ns);

  [[nodiscard]] std::uint64_t shown() const { return shown_; }           // images of the stream
  [[nodiscard]] double first_image_s() const { return first_image_s_; }  // after the program's start; 0: none
  // turn_ms: all of the UI thread's work between two waits, with commands; frame_ms: of that, a window frame;
  // texture_ms: of that, the update of the texture; device_wait_ms: its calls that may wait for the device;
  // interval_ms: from one displayed frame to the next; review_frames: displayed frames until a changed parameter or
  // another history frame is on screen.
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

  void add_times(const Viewer::FrameTimes& times);

  Values turn_ms_, frame_ms_, texture_ms_, device_wait_ms_, interval_ms_, review_frames_;
  std::int64_t last_shown_ns_ = 0;
  std::uint64_t window_frame_ = 0;
  double first_image_s_ = 0.0;
  std::uint64_t shown_ = 0;
  std::int64_t shown_ready_ns_ = 0;  // of the last image that was counted
  std::uint64_t requests_ = 0;       // of the playback that have been counted
  std::uint64_t request_frame_ = 0;  // window frame after which the last one was made; 0: its image has come
};

// When the next window frame is drawn: at most 60 a second, and none while nothing has changed.
class WindowPacer {
 public:
  // Returns when input comes, when `must_draw` holds at the time of a frame, or `idle_ns` after the last return.
  void wait(Viewer& viewer, std::int64_t idle_ns, const std::function<bool()>& must_draw);

 private:
  std::int64_t due_ns_ = 0;    // of the next window frame
  std::int64_t drawn_ns_ = 0;  // of the last one
};

}  // namespace echoloop
