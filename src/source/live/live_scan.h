// What a sender described, as the viewer accepted it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/frame.h"
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

// The blocks that a sender fills: pieces of shared memory, free here, lent to the sender, or on their way as a frame.
// What a sender says about them is checked against this table alone. Not thread-safe.

class LiveBlocks {
 public:
  explicit LiveBlocks(std::shared_ptr<FrameArena> arena) : arena_(std::move(arena)) {}

  // How many blocks frames of this size get.
  [[nodiscard]] static std::size_t count_for(std::size_t frame_bytes);

  // Blocks for such frames, in memory of `allocate` if that is of the arena. Any thread: it reads nothing of this
  // table. Throws Error when the arena has no room for any.
  [[nodiscard]] std::vector<FrameMemory> allocate(std::size_t frame_bytes,
                                                  const std::function<FrameMemory(std::size_t)>& allocate) const;
  // From now on these are the blocks. What is lent for frames of another size is lost to the sender; else it comes
  // back, and then goes.
  void use(std::vector<FrameMemory> made, std::size_t frame_bytes, std::uint32_t generation);
  void drop_free() { free_.clear(); }  // before others are allocated

  void set_generation(std::uint32_t generation) { generation_ = generation; }  // the same frames, described again

  // A free block for the sender; nothing when there is none.
  std::optional<LiveCredit> issue_credit();
  // A lent block, which the sender has filled, with an owner of its own. Nothing when it is not lent.
  std::optional<FrameMemory> take(std::uint32_t block);
  // Memory to lend: what take() gave, or what was exchanged for it.
  void give_back(FrameMemory memory);
  void recall();  // the sender is gone: what was lent is free

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::size_t credited() const { return n_credited_; }
  [[nodiscard]] std::size_t size() const { return credited_.size(); }
  // Can take the place of a slot's memory, and be lent then.
  [[nodiscard]] bool can_exchange(const FrameMemory& slot) const;

 private:
  std::shared_ptr<FrameArena> arena_;
  std::size_t frame_bytes_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<FrameMemory> free_;
  std::vector<std::optional<FrameMemory>> credited_;  // by block
  std::size_t n_credited_ = 0;
};

}  // namespace echoloop
