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

}  // namespace echoloop
