// Frozen and live: which frame is on screen, playback of the history, and the requests for frames that are processed
// again: inspector, points on a fine grid, M-mode columns. UI thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/outputs/patch_request.h"
#include "app/stream/session.h"
#include "app/window/engine.h"
#include "app/window/playback.h"
#include "backend/analysis.h"
#include "core/acquisition.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"
#include "gui/viewer.h"
#include "history/rf_history.h"

namespace echoloop {

// Window frames and images shown, and how the window keeps up: the UI thread's work and waits in each of its frames,
// for the trace and the report. UI thread only.

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

// Keeps the numbers of point marks those of a fine grid while the Measure panel is open: one echo at a time, of the
// frame on screen while frozen, live of the newest image that was measured, with a small share of the processing
// thread's time. UI thread only.

class FinePoints {
 public:
  explicit FinePoints(const RfHistory& history) : history_(history) {}

  enum class Moment { live, frozen };
  void update(Measured& measured, Session& session, Moment moment, std::int64_t now_ns);  // each window frame
  void forget(Measured& measured);  // another source, or no session any more

  [[nodiscard]] bool busy() const { return work_.has_value(); }

 private:
  void take(Measured& measured, Session& session, std::int64_t now_ns);
  void begin(Measured& measured, Session& session, const MeasuredPoint& point, std::int64_t now_ns);
  [[nodiscard]] const MeasuredPoint* next_point(const Measured& measured, Moment moment, std::int64_t now_ns) const;

  const RfHistory& history_;
  std::optional<PatchWork> work_;
  std::int64_t asked_ns_ = 0;
  std::int64_t not_before_ns_ = 0;  // live: of an echo that has numbers of an earlier frame
};

// By the frame's number in the stream.
std::optional<KeptFrame> find_kept(const RfHistory& history, std::uint64_t sequence);

// What the open inspector asks of the pipeline: which kept frame, how often, and whose single images; and where the
// answers go. Live it takes no more than a small share of the processing thread's time. UI thread only.

class InspectorController {
 public:
  // Both outlive it.
  InspectorController(RfHistory& history, InspectionAnswers& answers) : history_(history), answers_(answers) {}

  // Each window frame: takes what came, asks for what is missing. Frozen: of the frame at the playhead, and once;
  // live: of the newest one, again and again.
  enum class Moment { live, frozen };
  void update(WindowState& state, Session& session, Moment moment, std::int64_t now_ns);
  void forget(WindowState& state);  // another source, or no session any more

  [[nodiscard]] std::uint64_t requests() const { return requests_; }  // made so far

 private:
  struct Key {  // what the answer depends on, beside the frame
    PlanePoint at;
    int transmit;
    ImagingParams params;
    [[nodiscard]] bool same_place(const Key& k) const {
      return at.x_m == k.at.x_m && at.z_m == k.at.z_m && transmit == k.transmit;
    }
    friend bool operator==(const Key& a, const Key& b) { return a.same_place(b) && a.params == b.params; }
  };
  void take(WindowState& state);
  void close(WindowState& state, Session& session);
  [[nodiscard]] std::vector<int> wanted_pictures(const WindowState& state, std::uint64_t sequence) const;

  RfHistory& history_;
  InspectionAnswers& answers_;
  bool open_ = false;
  bool waiting_ = false;  // for an answer
  std::uint64_t requests_ = 0;
  std::uint64_t configuration_ = 0;  // that the last request went to
  std::optional<Key> asked_;
  std::uint64_t asked_sequence_ = 0;
  std::int64_t not_before_ns_ = 0;
  double work_s_ = 0.0;   // of the last request
  int next_picture_ = 0;  // live, one at a time
};

// The M-mode over kept frames: while frozen, every kept frame that has no column on the line yet is beamformed again,
// newest first, between the live frames. Only a few are asked for ahead. UI thread only.

class MModeReview {
 public:
  // Both outlive it, and whatever it asked for.
  MModeReview(RfHistory& history, LineQueue& answers)
      : history_(history), writer_(std::make_shared<LineWriter>(answers)) {}

  // Each window frame.
  enum class Moment { live, frozen };
  void update(WindowState& state, Session& session, Moment moment);

 private:
  struct Key {
    PlanePoint at;
    ImagingParams params;
    std::uint64_t configuration;  // what the one before was asked for will not come any more
  };
  struct Answers {
    std::atomic<std::size_t> came{0};
    std::atomic<bool> failed{false};
  };

  void begin(WindowState& state, const Key& key);
  void ask(WindowState& state, Session& session);
  [[nodiscard]] bool has(const WindowState& state, const FrameStamp& stamp) const;

  RfHistory& history_;
  std::shared_ptr<LineWriter> writer_;  // used by what is delivered: processing thread
  std::optional<Key> key_;
  std::vector<FrameStamp> stamps_;  // of the kept frames, oldest first
  std::size_t next_ = 0;            // the frames before this one have not been looked at
  std::size_t first_ = 0;           // the oldest one that there is room for
  std::size_t had_ = 0;             // whose column was there
  std::size_t asked_ = 0;
  std::shared_ptr<Answers> answers_;
};

class WindowReview {
 public:
  // `compared`: side A of a comparison, while it is a recording of its own.
  // `apply_stream`: called where the stream's settings are to be adjusted() again.
  WindowReview(WindowState& state, const Options& options, Engine& engine, Viewer& viewer, ComparedSource& compared,
               std::function<void()> apply_stream);

  void toggle_freeze();
  void forget();         // another stream
  void follow();         // another stream of the same scanner: what is frozen stays
  void stream_failed();  // live again, without requests
  // Once a window frame, before drawing. `last`: whether the last window frame had a new image.
  void freeze_when_still(NewImage last);
  // After drawing. Throws the error of reading a frame of the compared recording.
  void update();
  // The frame of a session that is restored, frozen once it has come; nothing: none.
  void freeze_at(const std::optional<std::uint64_t>& frame) { frame_to_freeze_ = frame; }
  void freeze_restored_frame();

  void ask_again() { playback_.ask_again(); }  // the image changes for another reason than parameters
  [[nodiscard]] const Playback& playback() const { return playback_; }
  [[nodiscard]] bool frozen() const { return playback_.frozen(); }
  [[nodiscard]] bool frozen_by_user() const { return playback_.frozen() && !frozen_by_itself_; }
  [[nodiscard]] bool busy() const { return fine_points_.busy() || fine_points_a_.busy(); }
  // The stream's settings, as needed while frozen or until a session's frame has come.
  [[nodiscard]] StreamSettings adjusted(StreamSettings stream) const;
  // A recording of one frame, which would only be processed again and again: it is frozen, and processed again where
  // parameters change. Not where so many frames are asked for, or repetition, or where no frame is kept.
  [[nodiscard]] bool plays_once() const;

 private:
  void freeze(std::uint64_t sequence);
  void go_live();
  void look_at_work();

  WindowState& state_;
  const Options& options_;
  Engine& engine_;
  Viewer& viewer_;
  const std::function<void()> apply_stream_;
  Playback playback_;
  InspectorController inspector_;
  FinePoints fine_points_, fine_points_a_;  // the latter of a comparison's side A
  MModeReview m_mode_review_;
  std::uint64_t requests_seen_ = 0;   // of playback_, at the last look_at_work()
  FormationParams wanted_;            // then
  std::uint64_t processed_seen_ = 0;  // frames, at the last freeze_when_still()
  bool frozen_by_itself_ = false;     // the source is paused or at its end: the image on screen is in the history
  std::optional<std::uint64_t> frame_to_freeze_;
};

// Which sample of a recording holds the echo of a place: for the pointer's read-out. Any thread.

// Of the transmit nearest to broadside (of beams and waves from a point: the one whose axis passes nearest to the
// place), as recorded by the element nearest to the place: sample = (way there + way back / c - t0) fs, rounded.
// Nothing when the recording ends before, or begins after it.
std::optional<EchoPlace> nearest_echo(const Acquisition& acquisition, double c_m_s, PlanePoint at);

}  // namespace echoloop
