// How fast a stream goes against its source's own clock: what the window says where it is slower. Plain values.
#pragma once

namespace echoloop {

// Why the source makes fewer frames than its rate: it waits for a free slot, or is slow by itself.
enum class HeldBack { no, by_processing, by_source };

struct StreamPace {
  HeldBack held_back = HeldBack::no;  // for more than 2 s below 95 % of the rate
  double made_hz = 0.0;               // frames of the source
  double rate_hz = 0.0;               // that was asked for
  bool slower = false;                // than real time, likewise
  double speed = 1.0;                 // seconds of acquisition in a second; meaningful while `slower`
};

}  // namespace echoloop
