// Settings of the stream: ring policy, slots, lanes, memory kind, rate. Plain values; the application applies them.
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

// Number of a group of settings that an option names as KEY=VALUE: one table for the option, the panel and sessions.
template <class Settings>
struct SettingSpec {
  std::string_view key;    // "load_ms", as in --inject
  std::string_view label;  // "Extra load"
  std::string_view unit;
  std::string_view help;
  double step = 0.0;  // of the panel's control; 1 for whole numbers
  double max = 0.0;
  double Settings::*member = nullptr;
  double least = 0.0;
};

// Injected faults, to show the effect of a policy: a slow pipeline, a restless source, lost and doubled frames, a
// device that fails. Plain values, part of StreamSettings.

// All zero: no faults. Frame numbers are whole.
struct Injection {
  double load_ms = 0.0;       // extra processing of every frame
  double jitter_ms = 0.0;     // maximum delay of a frame after its due time
  double burst_frames = 0.0;  // frames come in groups of this many; the mean rate is unchanged
  double stall_ms = 0.0;      // duration of a stall of the source, stall_every_s after the last one
  double stall_every_s = 2.0;
  double duplicate_every = 0.0;  // every n-th frame comes twice, with the same number
  double missing_every = 0.0;    // every n-th number is omitted
  double error_at = 0.0;         // device error, once, at the first frame from this number on
  double lost_at = 0.0;          // the same, but the device is lost: only the CPU can continue
  double missing_event = 0.0;    // 1: kernels start without waiting for the end of the copy, so that frames are torn
  friend bool operator==(const Injection&, const Injection&) = default;
};

using InjectionSpec = SettingSpec<Injection>;
std::span<const InjectionSpec> injection_specs();

// Parses "load_ms=2,missing_every=100": the named faults, all others off. Throws Error naming key, value and range.
Injection parse_injection(const std::string& text);

// Returns the active faults in the form of parse_injection(); empty = none.
std::string to_text(const Injection& injection);

enum class RingPolicy { block, error, drop_oldest, drop_newest };
enum class HostMemory { pageable, pinned, write_combined, mapped };
// default_stream: copies are queued on the device's default stream, which waits for all others and they for it.
enum class StreamMode { overlap, serial, default_stream };
enum class FrameWait { sleep, spin };  // of the producer thread, for a scanner's next frame

inline constexpr std::array<std::string_view, 4> kPolicyNames = {"block", "error", "drop-oldest", "drop-newest"};
inline constexpr std::array<std::string_view, 4> kHostMemoryNames = {"pageable", "pinned", "write-combined", "mapped"};
inline constexpr std::array<std::string_view, 3> kStreamModeNames = {"overlap", "serial", "default"};
inline constexpr std::array<std::string_view, 2> kFrameWaitNames = {"sleep", "spin"};

inline constexpr int kMinSlots = 2;
inline constexpr int kMaxSlots = 64;
inline constexpr int kMaxLanes = 4;
inline constexpr double kRateMax = std::numeric_limits<double>::infinity();

// Copy of a frame to the device, and the bus that a CPU simulates in place of one: times only, results are unchanged.
struct CopySettings {
  double chunks = 1.0;           // pieces of a frame, copied one after the other
  double streams = 1.0;          // the pieces are queued on this many streams in turn
  double device_sync = 0.0;      // 1: the host waits for all work of the device after each frame, not for its event
  double bus_gbps = 0.0;         // simulated bus of the CPU, 1e9 bytes per second; 0: none
  double bus_latency_us = 10.0;  // of each piece
  friend bool operator==(const CopySettings&, const CopySettings&) = default;
};

using CopySpec = SettingSpec<CopySettings>;
std::span<const CopySpec> copy_specs();

// Parses "chunks=8,bus_gbps=0.08", as parse_injection().
CopySettings parse_copy(const std::string& text);
std::string to_text(const CopySettings& copy);

struct StreamSettings {
  RingPolicy policy = RingPolicy::block;
  int slots = 8;
  int lanes = 3;
  StreamMode streams = StreamMode::overlap;
  HostMemory host_memory = HostMemory::pinned;
  CopySettings copy = {};
  FrameWait frame_wait = FrameWait::sleep;
  double rate_hz = 0.0;  // 0 = the source's own rate; kRateMax = unlimited
  double pace_ms = 0.0;  // minimum gap after each frame
  bool loop = true;
  bool paused = false;
  Injection inject;
  friend bool operator==(const StreamSettings&, const StreamSettings&) = default;
};

// Counts, exact at every snapshot: produced = processed + dropped + refused + in_flight, and next_sequence -
// first_sequence = produced - duplicates + lost_at_sender + stale + missing().
struct RingCounts {
  std::uint64_t produced = 0;
  std::uint64_t copied = 0;  // slot returned
  std::uint64_t processed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t refused = 0;         // policy error: frames without a slot
  std::uint64_t in_flight = 0;       // ready, being copied or being processed
  std::uint64_t sequence_gaps = 0;   // numbers that never came from the source
  std::uint64_t lost_at_sender = 0;  // of the gaps: known to the sender as lost
  std::uint64_t stale = 0;           // of the gaps: made with a replaced description
  std::uint64_t duplicates = 0;      // frames with a repeated number
  std::uint64_t first_sequence = 0;  // of all produced frames
  std::uint64_t next_sequence = 0;   // expected number
  int slots = 0;
  int slots_ready = 0;
  int slots_reading = 0;
  int slots_writing = 0;
  int slots_peak = 0;                   // maximum number in use at once
  std::int64_t producer_waited_ns = 0;  // policy block, including a current wait

  // Returns the unexplained part of the gaps.
  [[nodiscard]] std::uint64_t missing() const { return sequence_gaps - lost_at_sender - stale; }
};

// Policy error: the frame that ended the stream, and the slot it needed.
struct RingRefusal {
  std::uint64_t sequence = 0;  // of the refused frame
  int slot = 0;                // from 0: the oldest slot in use
  bool copying = false;        // the slot was being read; otherwise it was waiting
  std::uint64_t holds = 0;     // sequence number of its frame
  std::int64_t age_ns = 0;     // since acquisition of its frame
  RingCounts counts;           // at that moment
  bool keeper_full = false;    // slots were free, but the keeper had no room, e.g. a recorder with a slow disk
};

// Speed of a stream relative to its source's own clock, for the window's warning. Plain values.

// Cause of a source below its rate: it waits for a free slot, or is slow itself.
enum class HeldBack { no, by_processing, by_source };

struct StreamPace {
  HeldBack held_back = HeldBack::no;  // for more than 2 s below 95 % of the rate
  double made_hz = 0.0;               // frames of the source
  double rate_hz = 0.0;               // requested
  bool slower = false;                // than real time, for more than 2 s
  double speed = 1.0;                 // seconds of acquisition per second; valid while `slower`
};

// Order of frame numbers, which count modulo 2^64, as a scanner's.

[[nodiscard]] constexpr bool is_before(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b) < 0;
}

// State of a scanner's connection: for the Sender panel, the caption, the report. Plain values.

enum class LiveLink { waiting, connected, gone };  // gone: a sender was connected

// closed: the sender is disconnected, and none is admitted until reopened.
enum class Admission { open, closed };

// Name of the source of frames from a number on.
struct LiveName {
  std::uint64_t first = 0;
  std::string name;
};

struct LiveStatus {
  LiveLink link = LiveLink::waiting;
  std::string address;            // to enter in a sender: "live:default"
  std::string reach;              // possible senders, in a sentence
  std::string sender;             // name of the program; of the last one if gone
  std::uint64_t pid = 0;          // 0: on another machine
  std::string transport;          // "shared memory", "TCP"
  std::string clock;              // "device, 65.000 MHz", "host", "arrival"
  std::string last_refusal;       // of a description; empty: the last one was accepted
  std::int64_t since_ns = 0;      // of `link`, steady clock
  std::int64_t newest_ns = 0;     // acquisition of the newest frame, if its clock is known; 0: none
  std::uint64_t blocks = 0;       // lendable
  std::uint64_t block_bytes = 0;  // of one
  std::uint32_t generation = 0;   // of the description in use
  std::shared_ptr<const std::string> description = nullptr;  // as JSON in lines; null: none
  std::uint64_t connections = 0;                             // accepted so far
  std::uint64_t frames = 0;                                  // received, whatever became of them
  std::uint64_t stale = 0;                                   // of an earlier description
  std::uint64_t faults = 0;                             // invalid messages and frame words; none affected the stream
  std::uint64_t duplicates = 0, lost = 0, missing = 0;  // frames, if the sender numbers them
  SampleFaults checked = {};         // of the checked frames: ten per second and all with invalid samples
  std::int64_t clock_offset_ns = 0;  // this machine's clock minus the sender's, measured by PING
  std::int64_t clock_within_ns = 0;  // and its uncertainty; 0: same machine, or not compared
  std::vector<LiveName> names;       // of received frames, the newest last
  bool accepting = true;             // false: disconnected by the user, and none is admitted

  // Returns the name for the frame with this number; `unknown` if there is none.
  [[nodiscard]] std::string name_at(std::uint64_t sequence, const std::string& unknown) const {
    const auto after = std::ranges::upper_bound(names, sequence, is_before, &LiveName::first);
    return after == names.begin() ? unknown : std::prev(after)->name;
  }
};

// Line about the connection, for the message line or the terminal.
struct LiveNote {
  enum class Kind { info, warning, refusal };  // refusal: of a description; LiveStatus::last_refusal has been set
  Kind kind = Kind::info;
  std::string text;
};

}  // namespace echoloop
