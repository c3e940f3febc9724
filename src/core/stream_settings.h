// How frames travel: ring policy, slots, lanes, memory kind, rate. Plain values; the application applies them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/injection.h"

namespace echoloop {

enum class RingPolicy { block, error, drop_oldest, drop_newest };
enum class HostMemory { pageable, pinned, write_combined, mapped };
enum class StreamMode { overlap, serial };
enum class FrameWait { sleep, spin };  // of the producer thread, for a scanner's next frame

inline constexpr std::array<std::string_view, 4> kPolicyNames = {"block", "error", "drop-oldest", "drop-newest"};
inline constexpr std::array<std::string_view, 4> kHostMemoryNames = {"pageable", "pinned", "write-combined", "mapped"};
inline constexpr std::array<std::string_view, 2> kStreamModeNames = {"overlap", "serial"};
inline constexpr std::array<std::string_view, 2> kFrameWaitNames = {"sleep", "spin"};

inline constexpr int kMinSlots = 2;
inline constexpr int kMaxSlots = 64;
inline constexpr int kMaxLanes = 4;
inline constexpr double kRateMax = std::numeric_limits<double>::infinity();

struct StreamSettings {
  RingPolicy policy = RingPolicy::block;
  int slots = 8;
  int lanes = 3;
  StreamMode streams = StreamMode::overlap;
  HostMemory host_memory = HostMemory::pinned;
  FrameWait frame_wait = FrameWait::sleep;
  double rate_hz = 0.0;  // 0 = the source's own rate; kRateMax = as fast as it goes
  double pace_ms = 0.0;  // the source rests at least so long after each frame
  bool loop = true;
  bool paused = false;
  Injection inject;
  friend bool operator==(const StreamSettings&, const StreamSettings&) = default;
};

// Exact at every snapshot: produced = processed + dropped + refused + in_flight, and
// next_sequence - first_sequence = produced - duplicates + lost_at_sender + stale + missing().
struct RingCounts {
  std::uint64_t produced = 0;
  std::uint64_t copied = 0;  // slot given back
  std::uint64_t processed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t refused = 0;         // policy error: frames that found no slot
  std::uint64_t in_flight = 0;       // ready, being copied or being processed
  std::uint64_t sequence_gaps = 0;   // numbers that never came from the source
  std::uint64_t lost_at_sender = 0;  // of the gaps: the sender knows that it lost them
  std::uint64_t stale = 0;           // of the gaps: made with a description that another one had replaced
  std::uint64_t duplicates = 0;      // frames whose number had come before
  std::uint64_t first_sequence = 0;  // of all frames that were produced
  std::uint64_t next_sequence = 0;   // the number that comes next when nothing is missing
  int slots = 0;
  int slots_ready = 0;
  int slots_reading = 0;
  int slots_writing = 0;
  int slots_peak = 0;                   // most slots that were ever in use at once
  std::int64_t producer_waited_ns = 0;  // policy block, including a wait that goes on

  // Of the gaps: unaccounted for.
  [[nodiscard]] std::uint64_t missing() const { return sequence_gaps - lost_at_sender - stale; }
};

// Policy error: the frame that ended the stream, and the slot that it would have overwritten.
struct RingRefusal {
  std::uint64_t sequence = 0;  // of the refused frame
  int slot = 0;                // from 0: the oldest slot in use
  bool copying = false;        // that slot was being read; otherwise it waited
  std::uint64_t holds = 0;     // sequence number in it
  std::int64_t age_ns = 0;     // since that frame was acquired
  RingCounts counts;           // at that moment
  bool keeper_full = false;    // there were slots, but who keeps the frames had no room: a recorder's slow disk
};

}  // namespace echoloop
