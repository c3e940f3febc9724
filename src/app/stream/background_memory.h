// A recording that is too long to be copied before its stream starts: a thread of its own brings its frames into memory
// of the wanted kind, piece by piece, while they are streamed from where they lie. A piece of a mapped file is
// page-locked in place; where the system refuses that, or another kind is wanted, pieces are copied. At most a quarter
// of the machine's memory is taken; frames beyond it stay where they are.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "source/source.h"

namespace echoloop {

class BackgroundMemory final : public SeekableSource {
 public:
  struct Limits {
    std::size_t piece_bytes = std::size_t{1} << 28;  // a piece; at least a frame
    std::size_t total_bytes = 0;                     // of all pieces together
  };

  // `source` lends its frames; its recording and the backend outlive this.
  BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend, const Limits& limits);
  ~BackgroundMemory() override;
  BackgroundMemory(const BackgroundMemory&) = delete;
  BackgroundMemory& operator=(const BackgroundMemory&) = delete;

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return source_->acquisition(); }
  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return source_->frame_count(); }
  [[nodiscard]] bool lends_frames() const override { return true; }

  // Any thread:
  [[nodiscard]] std::size_t bytes_in_place() const;  // in memory of the wanted kind so far
  [[nodiscard]] std::size_t bytes_copied() const { return copying_ ? bytes_in_place() : 0; }
  [[nodiscard]] bool complete() const { return state_ == State::all; }  // every frame is
  [[nodiscard]] bool working() const { return state_ == State::working; }

 private:
  enum class State { working, all, part };
  struct Piece {
    std::unique_ptr<PageLock> lock;  // one of the two
    std::unique_ptr<HostMemoryBlock> copy;
  };

  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  std::span<const std::byte> across(std::span<const std::byte> frame, std::size_t piece);
  void run(const std::stop_token& stop);
  bool lock_pieces(const std::stop_token& stop);
  bool copy_pieces(const std::stop_token& stop);
  [[nodiscard]] bool room_for(std::size_t bytes) const;

  std::shared_ptr<SeekableSource> source_;
  HostMemory kind_;
  Backend& backend_;
  Limits limits_;
  std::size_t frame_bytes_;
  std::uint64_t frames_a_piece_;
  std::span<const std::byte> mapping_;  // whole pages with all frames of a mapped file; empty: pieces are copied
  std::atomic<bool> copying_{false};    // pieces are copies; else parts of mapping_
  std::vector<Piece> pieces_;           // each written before ready_ counts it
  std::atomic<std::size_t> ready_{0};
  std::atomic<State> state_{State::working};
  std::byte touched_{};  // of pages that were read, so that they are
  std::mutex mutex_;
  std::map<std::size_t, std::unique_ptr<HostMemoryBlock>> across_;  // frames on the border before a piece; under mutex_
  std::jthread thread_;                                             // last: ends first
};

}  // namespace echoloop
