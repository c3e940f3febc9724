// Number of frames that a sender may be ahead of a stream that makes it wait: those of the last 0.1 to 0.2 s, so that
// the newest image and another description are not later than that. Without a clock: each call gets the time in ns. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace echoloop {

class LiveAllowance {
 public:
  static constexpr std::size_t kFewest = 2;

  void count_frame(std::int64_t now_ns) {  // that the stream has taken
    if (now_ns - begin_ns_ >= kWindow_ns) {
      before_ = now_ns - begin_ns_ < 2 * kWindow_ns ? now_ : 0;
      now_ = 0;
      begin_ns_ = now_ns;
    }
    ++now_;
  }
  [[nodiscard]] std::size_t frames() const { return std::max({kFewest, before_, now_}); }

 private:
  static constexpr std::int64_t kWindow_ns = 100'000'000;

  std::int64_t begin_ns_ = 0;         // of the window
  std::size_t now_ = 0, before_ = 0;  // frames in this one, and in that before
};

}  // namespace echoloop
