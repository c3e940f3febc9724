// What a sender described, as the viewer accepted it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "formats/live_description.h"
#include "source/live/live_protocol.h"
#include "transport/file_descriptor.h"
#include "transport/frame_arena.h"

namespace echoloop {

struct LiveScan {
  std::shared_ptr<const std::string> text;  // the description as the window shows it; never null
  LiveDescription description;
  SenderClock clock = SenderClock::none;
};
using LiveScanPtr = std::shared_ptr<LiveScan>;

// Whether both describe the same frames on the same clock; the layout of the JSON text does not count.
[[nodiscard]] inline bool same_scan(const LiveScan& a, const LiveScan& b) {
  return *a.text == *b.text && a.clock == b.clock;
}
// "device, 40.000 MHz", "host", "arrival".
[[nodiscard]] std::string clock_text(const LiveScan& scan);
// What was assumed, and which keys had no effect; for ACCEPTED.
[[nodiscard]] std::string assumed_text(const LiveDescription& described);

// The memory that a live source shares with its sender, and how much of it a description may ask for.

// Half of the free memory; pages cost nothing until they are used.
[[nodiscard]] std::size_t live_memory_bytes();
[[nodiscard]] FileDescriptor make_live_memory(const std::string& address, std::size_t size);  // sealed; throws Error
[[nodiscard]] std::shared_ptr<FrameArena> make_live_arena(const std::string& address, const FileDescriptor& memory,
                                                          std::size_t size);  // throws Error

// Bytes of the largest frame that is accepted at all.
[[nodiscard]] std::size_t largest_live_frame(std::size_t memory_size);
// Bytes of the host that plan and lanes of a stream take, beside its frames; empty: they are taken for so many frames.
using PlanBytes = std::function<std::size_t(const Acquisition&)>;
struct LiveRoom {
  std::size_t memory_size = 0;
  const PlanBytes& plan_bytes;
};
// Throws Error where a stream of such frames does not fit. `before`: what is described at present, whose stream goes
// then; null: nothing.
void require_live_memory(const LiveScan& scan, const LiveScan* before, const LiveRoom& room);

}  // namespace echoloop
