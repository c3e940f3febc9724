// Requests for history frames to be processed again, while the window shows others: points on a fine grid, inspector,
// M-mode columns. UI thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/outputs/patch_request.h"
#include "app/stream/session.h"
#include "backend/analysis.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

// Measures point marks on a fine grid while the Measure panel is open: one echo at a time; frozen: of the frame on
// screen, live: of the newest measured image, with a small share of the processing thread's time. UI thread only.
class FinePoints {
 public:
  explicit FinePoints(const RfHistory& history) : history_(history) {}

  enum class Moment { live, frozen };
  void update(Measured& measured, Session& session, Moment moment, std::int64_t now_ns);  // each window frame
  void forget(Measured& measured);  // another source, or no session

  [[nodiscard]] bool busy() const { return work_.has_value(); }

 private:
  void take(Measured& measured, Session& session, std::int64_t now_ns);
  void begin(Measured& measured, Session& session, const MeasuredPoint& point, std::int64_t now_ns);
  [[nodiscard]] const MeasuredPoint* next_point(const Measured& measured, Moment moment, std::int64_t now_ns) const;

  const RfHistory& history_;
  std::optional<PatchWork> work_;
  std::int64_t asked_ns_ = 0;
  std::int64_t not_before_ns_ = 0;  // live: for an echo with values of an earlier frame
};

// Returns the frame by its number in the stream.
std::optional<KeptFrame> find_kept(const RfHistory& history, std::uint64_t sequence);

// Requests of the open inspector to the pipeline: history frame, interval, and single-transmit images; and the targets
// of the answers. Live it uses only a small share of the processing thread's time. UI thread only.
class InspectorController {
 public:
  // Both must outlive it.
  InspectorController(RfHistory& history, InspectionAnswers& answers) : history_(history), answers_(answers) {}

  // Each window frame: receives answers, requests missing ones. Frozen: for the frame at the playhead, once; live: for
  // the newest one, repeatedly.
  enum class Moment { live, frozen };
  void update(WindowState& state, Session& session, Moment moment, std::int64_t now_ns);
  void forget(WindowState& state);  // another source, or no session

  [[nodiscard]] std::uint64_t requests() const { return requests_; }  // total

 private:
  struct Key {  // inputs of the answer, except the frame
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
  std::optional<KeptFrame> frame_of(WindowState& state, Moment moment);

  RfHistory& history_;
  InspectionAnswers& answers_;
  bool open_ = false;
  bool waiting_ = false;  // for an answer
  std::uint64_t requests_ = 0;
  std::uint64_t configuration_ = 0;  // of the last request
  std::optional<Key> asked_;
  std::uint64_t asked_sequence_ = 0;
  std::int64_t not_before_ns_ = 0;
  double work_s_ = 0.0;   // of the last request
  int next_picture_ = 0;  // live, one at a time
};

// The M-mode over history frames: while frozen, every frame without a column on the line is beamformed again, newest
// first, between the live frames. Only a few are requested ahead. UI thread only.
class MModeReview {
 public:
  // Both must outlive it, and its requests.
  MModeReview(RfHistory& history, LineQueue& answers)
      : history_(history), writer_(std::make_shared<LineWriter>(answers)) {}

  // Each window frame.
  enum class Moment { live, frozen };
  void update(WindowState& state, Session& session, Moment moment);

 private:
  struct Key {
    PlanePoint at;
    ImagingParams params;
    std::uint64_t configuration;  // answers to requests of an earlier one will not come any more
  };
  struct Answers {
    std::atomic<std::size_t> came{0};
    std::atomic<bool> failed{false};
  };

  void begin(WindowState& state, const Key& key);
  void ask(WindowState& state, Session& session);
  [[nodiscard]] bool has(const WindowState& state, const FrameStamp& stamp) const;

  RfHistory& history_;
  std::shared_ptr<LineWriter> writer_;  // shared with the requests: processing thread
  std::optional<Key> key_;
  std::vector<FrameStamp> stamps_;  // of the history, oldest first
  std::size_t next_ = 0;            // frames before this one are not checked yet
  std::size_t first_ = 0;           // the oldest frame with room for a column
  std::size_t had_ = 0;             // frames with an existing column
  std::size_t asked_ = 0;
  std::shared_ptr<Answers> answers_;
};

}  // namespace echoloop
