// A recording that is read once, for a device: threads read its frames ahead, each into memory of the wanted kind,
// which changes places with that of a slot. Why not lent in place: a look through the samples and the driver's copy
// from a mapped file are one thread's work; and memory for the whole recording takes longer to lock than to read.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "source/forwarding_source.h"

namespace echoloop {

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
