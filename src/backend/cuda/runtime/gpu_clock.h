// Places the device's events on the clock of now_ns(). An anchor is an event whose host time is known; a new one about
// once a second, because an elapsed time is a float and the two clocks drift apart. Processing thread only.
#pragma once

#include <array>
#include <cstdint>

#include "backend/cuda/runtime/event.h"

namespace echoloop::cuda {

class GpuClock {
 public:
  // `idle`: a stream without long work, so that an event on it passes at once. Waits for it a few times.
  explicit GpuClock(StreamView idle);

  // Once a second it takes a new anchor, waiting at most 50 us; otherwise it returns at once. Call before recording.
  void refresh();

  // An event whose host time is known.
  struct Anchor {
    Event event{EventUse::time};
    std::int64_t ns = 0;
    // Host time of an event that has passed.
    [[nodiscard]] std::int64_t to_ns(const Event& later) const;
  };

  // The last anchor before `first`. All times of a frame come from one anchor, so that they keep their order.
  [[nodiscard]] const Anchor& anchor_before(const Event& first) const;

 private:
  StreamView idle_;
  std::array<Anchor, 3> anchors_;
  std::size_t newest_ = 0;    // index in anchors_
  std::size_t previous_ = 0;  // for events older than the newest anchor
  std::int64_t tried_ns_ = 0;
};

}  // namespace echoloop::cuda
