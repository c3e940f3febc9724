// A sender's description as accepted by the viewer.
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
  std::shared_ptr<const std::string> text;  // description as shown in the window; never null
  LiveDescription description;
  SenderClock clock = SenderClock::none;
};
using LiveScanPtr = std::shared_ptr<LiveScan>;

// Returns true if both describe the same frames on the same clock; the layout of the JSON text is ignored.
[[nodiscard]] inline bool same_scan(const LiveScan& a, const LiveScan& b) {
  return *a.text == *b.text && a.clock == b.clock;
}
// Returns "device, 40.000 MHz", "host" or "arrival".
[[nodiscard]] std::string clock_text(const LiveScan& scan);
// Returns assumed values and ignored keys, for ACCEPTED.
[[nodiscard]] std::string assumed_text(const LiveDescription& described);

// Memory that a live source shares with its sender, and limits of a description's share.

// Returns half of the free memory; pages cost nothing until used.
[[nodiscard]] std::size_t live_memory_bytes();
[[nodiscard]] FileDescriptor make_live_memory(const std::string& address, std::size_t size);  // sealed; throws Error
[[nodiscard]] std::shared_ptr<FrameArena> make_live_arena(const std::string& address, const FileDescriptor& memory,
                                                          std::size_t size);  // throws Error

// Returns the bytes of the largest acceptable frame.
[[nodiscard]] std::size_t largest_live_frame(std::size_t memory_size);
// Host memory of plan and lanes of a stream, without its frames; empty: assumed as a number of frames.
using PlanBytes = std::function<std::size_t(const Acquisition&)>;
struct LiveRoom {
  std::size_t memory_size = 0;
  const PlanBytes& plan_bytes;
};
// Throws Error if a stream of such frames does not fit. `before`: current description, whose stream ends then; null:
// none.
void require_live_memory(const LiveScan& scan, const LiveScan* before, const LiveRoom& room);

// Blocks filled by a sender: pieces of shared memory, free here, lent to the sender, or on their way as a frame. A
// sender's statements about them are checked against this table alone. Not thread-safe.

class LiveBlocks {
 public:
  explicit LiveBlocks(std::shared_ptr<FrameArena> arena) : arena_(std::move(arena)) {}

  // Returns the number of blocks for frames of this size.
  [[nodiscard]] static std::size_t count_for(std::size_t frame_bytes);

  // Allocates blocks for such frames, in memory of `allocate` if it belongs to the arena. Any thread: does not read the
  // table. Throws Error if the arena has no room for any.
  [[nodiscard]] std::vector<FrameMemory> allocate(std::size_t frame_bytes,
                                                  const std::function<FrameMemory(std::size_t)>& allocate) const;
  // Replaces the blocks. Blocks lent for frames of another size are void for the sender; others return and are then
  // freed.
  void use(std::vector<FrameMemory> made, std::size_t frame_bytes, std::uint32_t generation);
  void drop_free() { free_.clear(); }  // before others are allocated

  void set_generation(std::uint32_t generation) { generation_ = generation; }  // the same frames, new description

  // Returns a free block for the sender; nullopt if there is none.
  std::optional<LiveCredit> issue_credit();
  // Returns a lent block, filled by the sender, with an owner of its own; nullopt if it is not lent.
  std::optional<FrameMemory> take(std::uint32_t block);
  // Returns memory to the table: from take(), or exchanged for it.
  void give_back(FrameMemory memory);
  void recall();  // the sender is gone: frees lent blocks

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::size_t credited() const { return n_credited_; }
  [[nodiscard]] std::size_t size() const { return credited_.size(); }
  // Returns true if the memory can replace a slot's and be lent in turn.
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
