// How a window's stream starts where the user says nothing: to be in time where that matters more than every frame.
#pragma once

#include "core/stream_settings.h"

namespace echoloop {

struct StartFacts {
  bool phantom = false;      // endless: no frame of it is worth waiting for
  bool every_frame = false;  // the run asks for them: a count of frames, a recording, a video
  bool on_cpu = false;
  bool slow_motion = false;  // played slower than it was acquired
};

// `settings` with policy and slots for this start. A phantom on the CPU that plays in real time drops what it cannot
// keep up with, and so does not come late; one that plays slower than it was acquired waits, as neither its time nor
// its ensembles gain by a loss. Both with the fewest slots: each that waits makes the image older by a frame.
StreamSettings start_settings(StreamSettings settings, const StartFacts& facts);

}  // namespace echoloop
