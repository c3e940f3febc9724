// Frozen and live: the frame on screen, playback of the history, and the requests for frames to process again:
// inspector, points on a fine grid, M-mode columns. UI thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/review/history_requests.h"
#include "app/review/method_difference.h"
#include "app/review/playback.h"
#include "app/stream/session.h"
#include "app/window/engine.h"
#include "backend/analysis.h"
#include "core/acquisition.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"
#include "gui/viewer.h"
#include "history/rf_history.h"

namespace echoloop {

// Counts of window frames and images shown, and their timing: the UI thread's work and waits in each of its frames, for
// the trace and the report. UI thread only.

enum class NewImage { no, yes };

class WindowTimes {
 public:
  // Adds the window frame that the viewer has just laid out; no effect if it was not drawn.
  void add_frame(const Viewer& viewer, NewImage news, const Playback& playback, TimingTrace& trace);
  // Call after the requests of this window frame have been made.
  void count_requests(const Playback& playback);
  void begin_stream() { shown_ = 0; }
  // Adds the time from `began_ns` to now, without the wait for the display.
  void add_turn(const Viewer& viewer, std::int64_t began_ns);

  [[nodiscard]] std::uint64_t shown() const { return shown_; }           // images of the stream
  [[nodiscard]] double first_image_s() const { return first_image_s_; }  // after the program's start; 0: none
  // Returns the times. turn_ms: all of the UI thread's work between two waits, with commands; frame_ms: of that, a
  // window frame; texture_ms: of that, the update of the texture; device_wait_ms: its calls that may wait for the
  // device; interval_ms: from one displayed frame to the next; review_frames: displayed frames until a changed
  // parameter or another history frame is on screen.
  [[nodiscard]] nlohmann::json report() const;

 private:
  // The last values, in memory allocated once.
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
  std::int64_t shown_ready_ns_ = 0;  // of the last image counted
  std::uint64_t requests_ = 0;       // playback requests already counted
  std::uint64_t request_frame_ = 0;  // window frame after which the last one was made; 0: answered
};

// Schedule of window frames: at most 60 per second, and none while nothing has changed.
class WindowPacer {
 public:
  // Returns at input, if `must_draw` returns true at the time of a frame, or `idle_ns` after the last return.
  void wait(Viewer& viewer, std::int64_t idle_ns, const std::function<bool()>& must_draw);

 private:
  std::int64_t due_ns_ = 0;    // of the next window frame
  std::int64_t drawn_ns_ = 0;  // of the last one
};

class WindowReview {
 public:
  enum class OneFrame { once, repeated };  // a recording of one frame; repeated: for a given number, or by request

  // `compared`: side A of a comparison with another recording.
  // `apply_stream`: called if the stream's settings must be adjusted() again.
  WindowReview(WindowState& state, OneFrame one_frame, Engine& engine, Viewer& viewer, ComparedSource& compared,
               std::function<void()> apply_stream);

  void toggle_freeze();
  void forget();         // another stream
  void follow();         // another stream of the same scanner: frozen frames remain
  void stream_failed();  // back to live, without requests
  // Call once a window frame, before drawing. `last`: whether the last window frame had a new image.
  void freeze_when_still(NewImage last);
  // Call after drawing. Throws the error of reading a frame of the compared recording.
  void update();
  // Sets the frame of a session being restored, frozen when it arrives; nullopt: none.
  void freeze_at(const std::optional<std::uint64_t>& frame) { frame_to_freeze_ = frame; }
  void freeze_restored_frame();

  void ask_again() { playback_.ask_again(); }  // the image changes for another reason than parameters
  [[nodiscard]] const Playback& playback() const { return playback_; }
  [[nodiscard]] bool frozen() const { return playback_.frozen(); }
  [[nodiscard]] bool frozen_by_user() const { return playback_.frozen() && !frozen_by_itself_; }
  [[nodiscard]] bool busy() const { return fine_points_.busy() || fine_points_a_.busy(); }
  // Returns the stream's settings, as needed while frozen or until a session's frame arrives.
  [[nodiscard]] StreamSettings adjusted(StreamSettings stream) const;
  // Returns true for a recording of one frame: it is frozen instead of processed repeatedly, and processed again after
  // changes of parameters. False for a given number of frames, or repetition, or without history.
  [[nodiscard]] bool plays_once() const;

 private:
  void freeze(std::uint64_t sequence);
  void go_live();
  void look_at_work();

  WindowState& state_;
  const OneFrame one_frame_;
  Engine& engine_;
  Viewer& viewer_;
  const std::function<void()> apply_stream_;
  Playback playback_;
  InspectorController inspector_;
  MethodDifference difference_;
  FinePoints fine_points_, fine_points_a_;  // the latter for a comparison's side A
  MModeReview m_mode_review_;
  std::uint64_t requests_seen_ = 0;   // of playback_, at the last look_at_work()
  FormationParams wanted_;            // at the same time
  std::uint64_t processed_seen_ = 0;  // frames, at the last freeze_when_still()
  bool frozen_by_itself_ = false;     // source paused or ended: the image on screen is in the history
  std::optional<std::uint64_t> frame_to_freeze_;
};

// Sample of a recording with the echo of a position: for the pointer's read-out. Any thread.

// Returns the echo of the transmit nearest to broadside (beams and waves from a point: with the axis nearest to the
// position), at the element nearest to the position: sample = (transmit time + return path / c - t0) fs, rounded.
// nullopt if the recording ends before, or begins after it.
std::optional<EchoPlace> nearest_echo(const Acquisition& acquisition, double c_m_s, PlanePoint at);
[[nodiscard]] Queries queries_of(const Model& model, const Edits& edits);  // both outlive them

}  // namespace echoloop
