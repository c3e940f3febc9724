// Frames of a recording, read one after another by a reader process that continues to run. It reads ahead into pieces
// of shared memory. For a recording too large for memory (frame_arena.h) a frame is not copied: read() swaps its piece
// with the caller's memory, and a later frame is read into the latter. Other frames are kept: each is read once, on
// first demand, and lent; the process ends after the last of them. Each request and answer covers a run of small
// frames, or a large one, for low overhead. Any order is possible, in order is fast. Internal to src/formats.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
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

enum class ReadFrames { passed, kept };

class StreamedFrames final : public FrameStream {
 public:
  StreamedFrames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                 std::uint64_t n_frames, ReadFrames life = ReadFrames::passed);

  // Throws Error; also for every later frame once the process is gone.
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  FrameMemory allocate(std::size_t bytes) override { return arena_ ? arena_->allocate(bytes) : FrameMemory{}; }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;

  // Returns the memory of kept frames; empty otherwise.
  [[nodiscard]] std::span<const std::byte> memory() const { return kept_ ? kept_->bytes() : std::span<std::byte>(); }

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
  void wait_for(std::uint64_t index);
  [[nodiscard]] bool is_ready(std::uint64_t frame) const;
  // Returns the number of frames that may be requested now; limited for kept frames, for short waits out of order.
  [[nodiscard]] std::size_t room() const {
    return kept_ ? std::min(free_.size(), ahead_ - std::min(ahead_, n_asked_)) : free_.size();
  }
  [[nodiscard]] std::uint64_t offset_of(const Cell& cell) const;
  [[nodiscard]] ReaderChild::Patience patience() const;

  const std::string what_;
  const std::size_t frame_bytes_;
  const std::uint64_t n_frames_;
  const std::size_t run_;    // frames per request
  const std::size_t ahead_;  // frames requested, or ready and needed soon
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  // All members below under mutex_, except the arena, which has its own.
  std::unique_ptr<ReaderChild> child_;
  std::stop_token stop_;                             // of the current read
  std::shared_ptr<FrameArena> arena_;                // frames that are passed
  std::shared_ptr<SharedMemory> kept_;               // all frames, if kept
  std::vector<std::atomic<const std::byte*>> lent_;  // each frame once it has been read; no lock
  std::vector<Cell> cells_;
  std::vector<std::size_t> free_;                       // cells without a frame
  std::unordered_map<std::uint64_t, std::size_t> has_;  // frame -> requested or ready cell
  std::deque<std::vector<std::size_t>> asked_;          // runs in the order of their requests
  std::size_t n_asked_ = 0, n_ready_ = 0;               // cells
  std::uint64_t next_ = 0;                              // frame after the last one read
};

}  // namespace echoloop
