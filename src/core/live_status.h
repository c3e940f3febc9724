// What is known about a scanner's connection at one moment: for the Sender panel, the caption, the report. Plain
// values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/sample_faults.h"
#include "core/sequence.h"

namespace echoloop {

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
