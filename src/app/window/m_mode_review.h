// The M-mode over kept frames: while frozen, every kept frame that has no column on the line yet is beamformed again,
// newest first, between the live frames. Only a few are asked for ahead. UI thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/stream/session.h"
#include "backend/line_tap.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

class MModeReview {
 public:
  // Both outlive it, and whatever it asked for.
  MModeReview(RfHistory& history, LineQueue& answers)
      : history_(history), writer_(std::make_shared<LineWriter>(answers)) {}

  // Each window frame.
  enum class Moment { live, frozen };
  void update(UiState& state, Session& session, Moment moment);

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

  void begin(UiState& state, const Key& key);
  void ask(UiState& state, Session& session);
  [[nodiscard]] bool has(const UiState& state, const FrameStamp& stamp) const;

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

}  // namespace echoloop
