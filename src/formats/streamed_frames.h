// The frames of a recording too big for memory, one after another from a reader process that stays: it reads ahead
// into a few slots of shared memory, and read() copies a frame out of its slot. A slot holds one frame, or a run of
// small ones, so that questions and answers cost little. Any order is possible, in order is fast. Internal to
// src/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "formats/reader_child.h"

namespace echoloop {

class StreamedFrames {
 public:
  StreamedFrames(std::string what, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes, std::uint64_t n_frames);

  // Frame `index` < n_frames into `out`. Throws Error; also for every later frame once the process is gone. Any thread.
  void read(std::uint64_t index, std::span<std::byte> out);

 private:
  enum class State { free, asked, ready };
  struct Slot {
    State state = State::free;
    std::uint64_t frame = 0;  // the first of `count`
    std::uint64_t count = 0;
    [[nodiscard]] bool holds(std::uint64_t index) const {
      return state != State::free && index >= frame && index - frame < count;
    }
  };

  void ask_ahead(std::uint64_t index);
  void ask(std::size_t slot, std::uint64_t frame, std::uint64_t count);
  void take_answer(std::uint64_t for_frame);
  [[nodiscard]] std::size_t find(std::uint64_t frame) const;  // slots_.size(): nowhere

  const std::string what_;
  const std::size_t frame_bytes_;
  const std::uint64_t n_frames_;
  const std::uint64_t run_;     // frames in a slot
  const std::uint64_t n_runs_;  // in the recording
  const std::size_t stride_;    // from slot to slot: whole pages
  std::mutex mutex_;
  // All below under mutex_.
  std::unique_ptr<ReaderChild> child_;
  std::shared_ptr<SharedMemory> memory_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> asked_;  // slots in the order in which they were asked for
};

}  // namespace echoloop
