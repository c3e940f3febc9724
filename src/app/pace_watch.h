// Watches how fast the source makes frames against its rate and its own clock, over the last two seconds: what the
// badges "Processing limits" and "playing at" show. A pause, another rate or another stream restarts it. UI thread
// only.
#pragma once

#include <cstdint>
#include <deque>

#include "core/stream_pace.h"

namespace echoloop {

class PaceWatch {
 public:
  struct Sample {
    std::int64_t now_ns = 0;
    std::uint64_t next_sequence = 0;  // counts the frames of the source
    std::int64_t waited_ns = 0;       // the source, for a free slot
    double rate_hz = 0.0;             // in use; infinite: as fast as it goes
    double frame_rate_hz = 0.0;       // of the acquisition; 0: unknown, then nothing is slower than it
    bool runs = false;                // the source is to make frames now
    bool live = false;                // a scanner: without a playing speed; how fast it goes by itself is no fault
  };
  StreamPace update(const Sample& sample);

  static constexpr std::int64_t kWindow_ns = 2'000'000'000;

 private:
  std::deque<Sample> samples_;  // of the window, oldest first
  StreamPace pace_;
};

}  // namespace echoloop
