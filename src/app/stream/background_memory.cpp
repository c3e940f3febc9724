#include "app/stream/background_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/free_memory.h"

namespace echoloop {

BackgroundMemory::BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend,
                                   const Limits& limits)
    : ForwardingSource(std::move(source)),
      kind_(kind),
      backend_(backend),
      frame_bytes_(source_->acquisition()->frame_bytes()),
      frames_a_piece_(std::max<std::uint64_t>(1, limits.piece_bytes / frame_bytes_)),
      pieces_(std::min((frame_count() + frames_a_piece_ - 1) / frames_a_piece_,
                       limits.total_bytes / (frames_a_piece_ * frame_bytes_))),
      working_(limits.threads) {
  if (frames_a_piece_ >= frame_count()) copy_pieces({});  // so little that the first frame can wait for it
  for (int i = 0; i < limits.threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) {
      copy_pieces(stop);
      --working_;
    });
  }
}

BackgroundMemory::~BackgroundMemory() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

std::span<const std::byte> BackgroundMemory::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  const std::uint64_t frame = index % frame_count();
  const std::size_t number = frame / frames_a_piece_;
  if (number >= pieces_.size() || !pieces_[number].ready.load(std::memory_order_acquire)) {
    return source_->at(index, slot, stop);
  }
  return pieces_[number].frames.subspan(frame % frames_a_piece_ * frame_bytes_, frame_bytes_);
}

void BackgroundMemory::copy_pieces(const std::stop_token& stop) {
  try {
    for (std::size_t number = next_piece_++; number < pieces_.size(); number = next_piece_++) {
      if (!copy_piece(number, stop)) return;
    }
  } catch (const Error&) {           // a file that shrank: the stream says so when it comes to the frame
  } catch (const std::bad_alloc&) {  // frames stay where they are
  }
}

// False when no further piece can be copied.
bool BackgroundMemory::copy_piece(std::size_t number, const std::stop_token& stop) {
  const std::uint64_t first = number * frames_a_piece_;
  const std::uint64_t frames = std::min(frames_a_piece_, frame_count() - first);
  const std::size_t bytes = frames * frame_bytes_;
  if (bytes > free_host_memory() / 2) return false;
  Piece& piece = pieces_[number];
  std::span<std::byte> to;
  if (kind_ == HostMemory::pinned) {
    piece.memory.resize(bytes);
    to = {piece.memory.begin(), piece.memory.end()};
  } else if (piece.block = backend_.allocate_host(bytes, kind_); piece.block->kind() == kind_) {
    to = piece.block->bytes();
  } else {
    return false;
  }
  for (std::uint64_t i = 0; i < frames; ++i) {
    if (stop.stop_requested()) return false;
    source_->copy(first + i, to.subspan(i * frame_bytes_, frame_bytes_));
  }
  if (kind_ == HostMemory::pinned && (piece.lock = backend_.page_lock(to)) == nullptr) {
    piece.memory = {};
    return false;
  }
  piece.frames = to;
  frames_in_place_ += frames;
  piece.ready.store(true, std::memory_order_release);
  return true;
}

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
