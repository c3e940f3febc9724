// Frame of channel data: stamp and samples. The samples are a view; a ring slot or a recording owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/hd.h"
#include "core/stream_settings.h"

namespace echoloop {

// Source of FrameStamp::time_s: the frame's number and the frame rate, or the scanner's own clock.
enum class FrameClock { counted, device };

// Frames missing just before a frame, as far as the source can explain them.
struct FrameGap {
  std::uint64_t lost = 0;   // at the sender
  std::uint64_t stale = 0;  // made with an earlier description than the current one
};

// Sender's data of a scanner's frame.
struct SenderStamp {
  std::uint64_t device_ticks = 0;       // of the scanner's own clock; 0 without one
  std::uint64_t lost = 0, missing = 0;  // so far in the stream: known to the sender, unexplained
};

struct FrameStamp {
  std::uint64_t sequence = 0;      // number of the frame since the source's start, from 0
  std::uint64_t source_index = 0;  // frame of the recording (sequence modulo its length) or of the phantom
  std::int64_t acquired_ns = 0;    // moment of publication, steady clock
  double time_s = 0.0;             // acquisition time: source_index / frame rate, or the device's clock
  FrameClock clock = FrameClock::counted;
  FrameGap gap = {};
  SenderStamp sender = {};
};

// Samples of float32 that are NaN, infinite, or so large that squares of sums exceed a float's range are invalid: the
// condition stage of every backend reads them as zero, and counts them. Host and device.
inline constexpr float kLargestSample = 1e15f;
ECHO_HD bool is_valid_sample(float v) { return v <= kLargestSample && v >= -kLargestSample; }  // false for NaN
ECHO_HD float valid_sample(float v) { return is_valid_sample(v) ? v : 0.0f; }

struct RfFrame {
  FrameStamp stamp;
  std::span<const std::byte> samples;  // [transmit][element][sample], sample fastest; type by Acquisition
};

// Host memory for one frame. A value that passes between ring slots and history; each copy keeps the memory alive.
struct FrameMemory {
  std::span<std::byte> bytes;
  std::shared_ptr<const void> owner;
  HostMemory kind = HostMemory::pageable;
};

// Frames currently in a ring: published, and not yet passed to the keeper.
struct RingLoad {
  std::int64_t now_ns = 0;
  std::int64_t oldest_ns = 0;  // acquisition of the oldest of them; 0: none
  int frames = 0;
};

// Receives frames that have been read, with their memory, and returns other memory of the same size for the slot.
// Called once per frame, in order; must not wait. A keeper that does not need the frame returns `memory` itself. A
// keeper that needs every frame reports when it has no room: the source then waits or is refused, for policies block
// and error. Frames already in the ring still come.
class FrameKeeper {
 public:
  virtual ~FrameKeeper() = default;
  virtual FrameMemory offer(const RfFrame& frame, FrameMemory memory) = 0;  // processing thread
  // Returns true if there is room for one more frame acquired now. Any thread; must not wait.
  [[nodiscard]] virtual bool ready(const RingLoad& /*ring*/) const { return true; }
};

}  // namespace echoloop
