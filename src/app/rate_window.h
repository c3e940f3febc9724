// Frames a second and shares of frames and of time, all over one window of time: the last 2 s, of a slow stream as many
// seconds as have ten frames, at most 10. A pause, another stream or other settings restart it. UI thread only.
#pragma once

#include <cstdint>
#include <deque>

namespace echoloop {

class RateWindow {
 public:
  // Counts since the stream began.
  struct Sample {
    std::int64_t now_ns = 0;
    std::uint64_t processed = 0, dropped = 0, shown = 0;
    std::int64_t waited_ns = 0;  // the source, for a free slot
  };
  struct Rates {
    double processed_hz = 0.0, shown_hz = 0.0;
    double waited_share = 0.0;   // of the time
    double dropped_share = 0.0;  // of the frames that ended
    std::int64_t from_ns = 0;    // where the window begins
  };

  Rates update(const Sample& sample);
  void restart() { samples_.clear(); }

  static constexpr std::int64_t kWindow_ns = 2'000'000'000, kLongest_ns = 10'000'000'000;
  static constexpr std::uint64_t kFrames = 10;

 private:
  std::deque<Sample> samples_;  // oldest first
};

}  // namespace echoloop
