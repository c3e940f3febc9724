// A frame of channel data on its way: stamp and samples. The samples are a view; a ring slot or a recording owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/stream_settings.h"

namespace echoloop {

// Where FrameStamp::time_s comes from: the frame's number and the frame rate, or the scanner's own clock.
enum class FrameClock { counted, device };

// Frames left out just before one, as far as the source can account for them.
struct FrameGap {
  std::uint64_t lost = 0;   // at the sender
  std::uint64_t stale = 0;  // came after another description, and were made with the one before
};

// What a scanner's sender says of a frame.
struct SenderStamp {
  std::uint64_t device_ticks = 0;       // of the scanner's own clock; 0 without one
  std::uint64_t lost = 0, missing = 0;  // so far in the stream: known to the sender, unaccounted for
};

struct FrameStamp {
  std::uint64_t sequence = 0;      // counts every frame that the source made, from 0
  std::uint64_t source_index = 0;  // frame of the recording (sequence modulo its length) or of the phantom
  std::int64_t acquired_ns = 0;    // moment of publication, steady clock
  double time_s = 0.0;             // acquisition time: source_index / frame rate, or the device's clock
  FrameClock clock = FrameClock::counted;
  FrameGap gap = {};
  SenderStamp sender = {};
};

struct RfFrame {
  FrameStamp stamp;
  std::span<const std::byte> samples;  // [transmit][element][sample], sample fastest; type by Acquisition
};

// Host memory for one frame. A value: it may be handed on (from a ring's slot to the history and back); each
// copy keeps the memory alive.
struct FrameMemory {
  std::span<std::byte> bytes;
  std::shared_ptr<const void> owner;
  HostMemory kind = HostMemory::pageable;
};

// The frames that lie in a ring at this moment: published, and not yet with the keeper.
struct RingLoad {
  std::int64_t now_ns = 0;
  std::int64_t oldest_ns = 0;  // when the oldest of them was acquired; 0: there is none
  int frames = 0;
};

// Takes over frames that have been read, memory and all, and gives the slot other memory of the same size for them.
// Called once a frame, in order; must not wait. A keeper that does not want the frame returns `memory` itself.
// A keeper that must have every frame says when it has no room: the source then waits or is refused, where the policy
// is block or error. Frames that are in the ring already still come.
class FrameKeeper {
 public:
  virtual ~FrameKeeper() = default;
  virtual FrameMemory offer(const RfFrame& frame, FrameMemory memory) = 0;  // processing thread
  // Whether there is room for one more frame, acquired now. Any thread; must not wait.
  [[nodiscard]] virtual bool ready(const RingLoad& /*ring*/) const { return true; }
};

}  // namespace echoloop
