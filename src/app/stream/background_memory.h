// A recording that is played again and again, for a device: threads copy its frames into memory of the wanted kind,
// piece by piece, while they are streamed from where they lie; one that is a single piece is copied before. At most a
// quarter of the machine's memory is taken; frames beyond it stay where they are. Why a copy and not page-locking the
// mapped file in place: a driver may never come back from that, and holds the whole process's memory map meanwhile
// (seen with Linux 6 and driver 580).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/plain_array.h"
#include "source/forwarding_source.h"

namespace echoloop {

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

}  // namespace echoloop
