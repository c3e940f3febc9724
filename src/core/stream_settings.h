// How frames travel: ring policy, slots, lanes, memory kind, rate. Plain values; the application applies them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sample_log.h"

namespace echoloop {

// Faults on purpose, to see what a policy does about them: a slow pipeline, a restless source, lost and doubled frames,
// a device that fails. Plain values, part of StreamSettings; --inject and the panel are made from the same table.

// Zero everywhere: nothing is injected. Numbers of frames are whole.
struct Injection {
  double load_ms = 0.0;       // extra processing of every frame
  double jitter_ms = 0.0;     // a frame comes up to this much after it is due
  double burst_frames = 0.0;  // frames come in groups of this many; the mean rate stays
  double stall_ms = 0.0;      // the source stops for so long, stall_every_s after the last stall
  double stall_every_s = 2.0;
  double duplicate_every = 0.0;  // every so manyth frame comes twice, with the same number
  double missing_every = 0.0;    // every so manyth number never comes
  double error_at = 0.0;         // at the frame of this number (or the next one) the device refuses work, once
  double lost_at = 0.0;          // the same, but the device is lost for good: only the CPU can go on
  friend bool operator==(const Injection&, const Injection&) = default;
};

struct InjectionSpec {
  std::string_view key;    // "load_ms", as in --inject
  std::string_view label;  // "Extra load"
  std::string_view unit;
  std::string_view help;
  double step = 0.0;  // of the panel's control; 1 for whole numbers
  double max = 0.0;   // the smallest value is 0 = off, except for stall_every_s, which starts at one step
  double Injection::*member = nullptr;
};

std::span<const InjectionSpec> injection_specs();

// "load_ms=2,missing_every=100": the named faults, all others off. Throws Error that names key, value and range.
Injection parse_injection(const std::string& text);

// What is on, in the form that parse_injection() reads; empty = nothing.
std::string to_text(const Injection& injection);

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

// How fast a stream goes against its source's own clock: what the window says where it is slower. Plain values.

// Why the source makes fewer frames than its rate: it waits for a free slot, or is slow by itself.
enum class HeldBack { no, by_processing, by_source };

struct StreamPace {
  HeldBack held_back = HeldBack::no;  // for more than 2 s below 95 % of the rate
  double made_hz = 0.0;               // frames of the source
  double rate_hz = 0.0;               // that was asked for
  bool slower = false;                // than real time, likewise
  double speed = 1.0;                 // seconds of acquisition in a second; meaningful while `slower`
};

// Order of frame numbers. They count modulo 2^64, as a scanner's do.

[[nodiscard]] constexpr bool is_before(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b) < 0;
}

// What is known about a scanner's connection at one moment: for the Sender panel, the caption, the report. Plain
// values.

enum class LiveLink { waiting, connected, gone };  // gone: a sender was connected before

// closed: the sender is disconnected, and none is let in until senders are admitted again.
enum class Admission { open, closed };

// Frames from a number on are of a source of this name.
struct LiveName {
  std::uint64_t first = 0;
  std::string name;
};

struct LiveStatus {
  LiveLink link = LiveLink::waiting;
  std::string address;            // to give to a sender: "live:default"
  std::string reach;              // who can connect, in a sentence
  std::string sender;             // name of the program; of the last one when it is gone
  std::uint64_t pid = 0;          // 0: on another machine
  std::string transport;          // "shared memory", "TCP"
  std::string clock;              // "device, 65.000 MHz", "host", "arrival"
  std::string last_refusal;       // of a description; empty: the last one was accepted
  std::int64_t since_ns = 0;      // of `link`, steady clock
  std::int64_t newest_ns = 0;     // when the newest frame was acquired, as far as its clock is known; 0: none came
  std::uint64_t blocks = 0;       // that can be lent
  std::uint64_t block_bytes = 0;  // of one
  std::uint32_t generation = 0;   // of the description in use
  std::shared_ptr<const std::string> description = nullptr;  // that one, as JSON in lines; null: none came
  std::uint64_t connections = 0;                             // accepted so far
  std::uint64_t frames = 0;                                  // that came, whatever became of them
  std::uint64_t stale = 0;                                   // of an earlier description
  std::uint64_t faults = 0;  // messages and frame words that cannot be; each left the stream as it was
  std::uint64_t duplicates = 0, lost = 0, missing = 0;  // frames, as far as the sender numbers them
  SampleFaults checked = {};  // of the frames that were looked through: ten a second and all with invalid samples
  std::int64_t clock_offset_ns = 0;  // of this machine's clock over the sender's, measured by PING
  std::int64_t clock_within_ns = 0;  // and how far off that may be; 0: the clock is this machine's, or not compared
  std::vector<LiveName> names;       // of the frames that came, the newest last
  bool accepting = true;             // false: the user disconnected the sender, and none is let in

  // Of the frame with this number; `unknown` where none is known to have it.
  [[nodiscard]] std::string name_at(std::uint64_t sequence, const std::string& unknown) const {
    const auto after = std::ranges::upper_bound(names, sequence, is_before, &LiveName::first);
    return after == names.begin() ? unknown : std::prev(after)->name;
  }
};

// A line about the connection, for the message line or the terminal.
struct LiveNote {
  enum class Kind { info, warning, refusal };  // refusal: of a description; LiveStatus::last_refusal has been set
  Kind kind = Kind::info;
  std::string text;
};

}  // namespace echoloop
