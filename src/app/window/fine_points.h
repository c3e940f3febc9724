// Keeps the numbers of point marks those of a fine grid while the Measure panel is open: one echo at a time, of the
// frame on screen while frozen, live of the newest image that was measured, with a small share of the processing
// thread's time. UI thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "app/outputs/patch_request.h"
#include "history/rf_history.h"

namespace echoloop {

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

}  // namespace echoloop
