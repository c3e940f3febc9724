#include "app/stream/staged_frames.h"

#include <utility>

#include "core/error.h"

namespace echoloop {

StagedFrames::StagedFrames(std::shared_ptr<SeekableSource> source, int threads)
    : ForwardingSource(std::move(source)), n_threads_(threads) {}

StagedFrames::~StagedFrames() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

// One frame more than threads, so that one can be taken while each thread fills another.
void StagedFrames::read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) {
  if (!threads_.empty()) return;
  for (int i = 0; i <= n_threads_; ++i) {
    stages_.push_back({.memory = allocate(acquisition()->frame_bytes()), .problem = nullptr});
  }
  for (int i = 0; i < n_threads_; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { fill_stages(stop); });
  }
}

// Discards the frames that were read ahead.
void StagedFrames::go_on_from(std::uint64_t index) {
  for (Stage& stage : stages_) {
    if (stage.state == State::full) stage.state = State::empty;
  }
  next_ = index;
}

bool StagedFrames::may_fill() {
  return next_ < frame_count() && next_ < wanted_ + stages_.size() && stage_of(next_).state == State::empty;
}

void StagedFrames::fill_stages(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (emptied_.wait(lock, stop, [this] { return may_fill(); })) {
    const std::uint64_t index = next_++;
    Stage& stage = stage_of(index);
    stage.state = State::filling;
    stage.index = index;
    lock.unlock();
    stage.problem = nullptr;
    try {
      source_->copy(index, stage.memory.bytes.first(acquisition()->frame_bytes()));
    } catch (...) {
      stage.problem = std::current_exception();
    }
    lock.lock();
    const bool given_up = index < wanted_ || index >= next_;
    stage.state = given_up ? State::empty : State::full;
    filled_.notify_all();
    if (given_up) emptied_.notify_all();
  }
}

std::span<const std::byte> StagedFrames::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  const std::size_t bytes = acquisition()->frame_bytes();
  const std::uint64_t frame = index % frame_count();
  std::unique_lock lock(mutex_);
  if (stages_.empty() || slot.bytes.size() < bytes) {
    lock.unlock();
    return source_->at(frame, slot, stop);
  }
  if (frame < wanted_ || frame > next_) go_on_from(frame);
  wanted_ = frame;
  for (Stage& stage : stages_) {  // of frames that were left out
    if (stage.state == State::full && stage.index < frame) stage.state = State::empty;
  }
  emptied_.notify_all();
  Stage& stage = stage_of(frame);
  const auto has_frame = [&] { return stage.state == State::full && stage.index == frame; };
  if (!filled_.wait(lock, stop, has_frame)) {
    throw Error(name(), "stopped while frame " + std::to_string(frame) + " was read", "a stream that runs");
  }
  stage.state = State::empty;
  wanted_ = frame + 1;
  emptied_.notify_one();
  if (stage.problem != nullptr) std::rethrow_exception(std::exchange(stage.problem, nullptr));
  std::swap(slot, stage.memory);
  return slot.bytes.first(bytes);
}

}  // namespace echoloop
