// Frames of a recording in memory of the wanted kind, for a device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/plain_array.h"
#include "source/forwarding_source.h"

namespace echoloop {

// A recording that is played again and again, for a device: threads copy its frames into memory of the wanted kind,
// piece by piece, while they are streamed from where they lie; one that is a single piece is copied before. At most a
// quarter of the machine's memory is taken; frames beyond it stay where they are. Why a copy and not page-locking the
// mapped file in place: a driver may never come back from that, and holds the whole process's memory map meanwhile
// (seen with Linux 6 and driver 580).
class BackgroundMemory final : public ForwardingSource {
 public:
  struct Limits {
    std::size_t piece_bytes = std::size_t{64} << 20;  // of a piece; at least a frame
    std::size_t total_bytes = 0;                      // of all pieces together
    int threads = 1;
  };

  // `source` lends its frames; it and the backend outlive this.
  BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend, const Limits& limits);
  ~BackgroundMemory() override;
  BackgroundMemory(const BackgroundMemory&) = delete;
  BackgroundMemory& operator=(const BackgroundMemory&) = delete;

  [[nodiscard]] bool zero_copy() const override { return true; }

  // Any thread:
  [[nodiscard]] std::size_t bytes() const { return frames_in_place_ * frame_bytes_; }  // copied so far
  [[nodiscard]] bool complete() const { return frames_in_place_ == frame_count(); }    // every frame is copied
  [[nodiscard]] bool working() const { return working_ > 0; }

 private:
  struct Piece {
    PlainArray<std::byte> memory;  // page-locked by `lock`; or
    std::unique_ptr<PageLock> lock;
    std::unique_ptr<HostMemoryBlock> block;
    std::span<const std::byte> frames;
    std::atomic<bool> ready{false};
  };

  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  void copy_pieces(const std::stop_token& stop);
  bool copy_piece(std::size_t number, const std::stop_token& stop);

  HostMemory kind_;
  Backend& backend_;
  std::size_t frame_bytes_;
  std::uint64_t frames_a_piece_;
  std::vector<Piece> pieces_;  // as many as may be taken
  std::atomic<std::size_t> next_piece_{0};
  std::atomic<std::uint64_t> frames_in_place_{0};
  std::atomic<int> working_{0};        // threads
  std::vector<std::jthread> threads_;  // last: end first
};

// A recording that is read once, for a device: threads read its frames ahead, each into memory of the wanted kind,
// which changes places with that of a slot. Why not lent in place: a look through the samples and the driver's copy
// from a mapped file are one thread's work; and memory for the whole recording takes longer to lock than to read.
class StagedFrames final : public ForwardingSource {
 public:
  // `source` lends its frames.
  StagedFrames(std::shared_ptr<SeekableSource> source, int threads);
  ~StagedFrames() override;
  StagedFrames(const StagedFrames&) = delete;
  StagedFrames& operator=(const StagedFrames&) = delete;

  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;

 private:
  enum class State { empty, filling, full };
  struct Stage {
    FrameMemory memory;
    State state = State::empty;
    std::uint64_t index = 0;     // of the frame, where it is not empty
    std::exception_ptr problem;  // of a full one that holds no frame
  };

  // Lent where `slot` has no memory.
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  Stage& stage_of(std::uint64_t index) { return stages_[index % stages_.size()]; }
  void go_on_from(std::uint64_t index);
  [[nodiscard]] bool may_fill();
  void fill_stages(const std::stop_token& stop);

  const int n_threads_;
  std::mutex mutex_;
  std::condition_variable_any filled_, emptied_;
  // Under mutex_; the memory and the problem of a stage that is being filled belong to the thread that fills it.
  std::vector<Stage> stages_;
  std::uint64_t wanted_ = 0;           // the frame that is asked for next
  std::uint64_t next_ = 0;             // that no thread fills yet
  std::vector<std::jthread> threads_;  // last: end first
};

}  // namespace echoloop
