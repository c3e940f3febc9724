// The frames of a recording too big for memory, one after another from a reader process that stays. It reads them ahead
// into pieces of shared memory (frame_arena.h). A frame is not copied: read() puts its piece in the place of the
// caller's memory, and the next frame is read into what the caller gave. Questions and answers are about a run of small
// frames, or a big one, so that they cost little. Any order is possible, in order is fast. Internal to src/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/base/open_request.h"
#include "formats/base/recording.h"
#include "formats/sandbox/reader_child.h"
#include "transport/frame_arena.h"

namespace echoloop {

class StreamedFrames final : public FrameStream {
 public:
  StreamedFrames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                 std::uint64_t n_frames);

  // Throws Error; also for every later frame once the process is gone.
  void read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  FrameMemory allocate(std::size_t bytes) override { return arena_->allocate(bytes); }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;

 private:
  enum class State { free, asked, ready };
  struct Cell {
    FrameMemory memory;
    State state = State::free;
    std::uint64_t frame = 0;
  };

  void fill_cells(const FrameMemory& all);
  void release(std::size_t cell);
  void release_unwanted(std::uint64_t index);
  void ask_ahead(std::uint64_t index);
  void ask(std::uint64_t first, std::uint64_t count);
  void take_answer(std::uint64_t for_frame);
  [[nodiscard]] bool is_ready(std::uint64_t frame) const;
  [[nodiscard]] ReaderChild::Patience patience() const;

  const std::string what_;
  const std::size_t frame_bytes_;
  const std::uint64_t n_frames_;
  const std::size_t run_;  // frames that are asked for at once
  std::mutex mutex_;
  // All below under mutex_, but for the arena, which has its own.
  std::unique_ptr<ReaderChild> child_;
  std::stop_token stop_;  // of the frame that is being read
  std::shared_ptr<FrameArena> arena_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> free_;                       // cells without a frame
  std::unordered_map<std::uint64_t, std::size_t> has_;  // frame -> cell that is asked or ready
  std::deque<std::vector<std::size_t>> asked_;          // runs in the order in which they were asked for
  std::uint64_t next_ = 0;                              // the frame after the one that was read last
};

}  // namespace echoloop
