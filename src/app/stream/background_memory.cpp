#include "app/stream/background_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/free_memory.h"
#include "core/mapped_files.h"

namespace echoloop {
namespace {

// The whole pages that hold all frames, if they lie in one mapped file in their order.
std::span<const std::byte> mapping_of(SeekableSource& source) {
  const std::span<const std::byte> first = source.at(0, {}), last = source.at(source.frame_count() - 1, {});
  if (last.data() < first.data()) return {};
  const std::span<const std::byte> frames(first.data(), last.data() + last.size());
  if (!in_mapped_file(frames)) return {};
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(frames.data()) % page;
  const std::size_t bytes = (before + frames.size() + page - 1) / page * page;
  return {frames.data() - before, bytes};
}

}  // namespace

BackgroundMemory::BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend,
                                   const Limits& limits)
    : source_(std::move(source)),
      kind_(kind),
      backend_(backend),
      limits_(limits),
      frame_bytes_(source_->acquisition()->frame_bytes()),
      frames_a_piece_(std::max<std::uint64_t>(1, limits.piece_bytes / frame_bytes_)) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  limits_.piece_bytes = (std::max(limits.piece_bytes, frame_bytes_) + kHugePage - 1) / kHugePage * kHugePage;
  if (kind_ == HostMemory::pinned) mapping_ = mapping_of(*source_);
  copying_ = mapping_.empty();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

BackgroundMemory::~BackgroundMemory() = default;

std::size_t BackgroundMemory::bytes_in_place() const {
  const std::size_t whole = copying_ ? frame_count() * frame_bytes_ : mapping_.size();
  const std::size_t piece = copying_ ? frames_a_piece_ * frame_bytes_ : limits_.piece_bytes;
  return std::min(ready_ * piece, whole);
}

bool BackgroundMemory::room_for(std::size_t bytes) const {
  return bytes_in_place() + bytes <= limits_.total_bytes && (!copying_ || bytes <= free_host_memory() / 2);
}

std::span<const std::byte> BackgroundMemory::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  if (copying_) {
    const std::uint64_t frame = index % frame_count();
    const std::size_t piece = frame / frames_a_piece_;
    if (piece < ready_.load(std::memory_order_acquire)) {
      return pieces_[piece].copy->bytes().subspan(frame % frames_a_piece_ * frame_bytes_, frame_bytes_);
    }
    if (mapping_.empty()) return source_->at(index, slot, stop);
  }
  const std::span<const std::byte> frame = source_->at(index, slot, stop);
  if (frame.data() < mapping_.data() || frame.data() >= mapping_.data() + mapping_.size()) return frame;
  const auto at = static_cast<std::size_t>(frame.data() - mapping_.data());
  const std::size_t piece = at / limits_.piece_bytes, last = (at + frame.size() - 1) / limits_.piece_bytes;
  return piece == last ? frame : across(frame, last);
}

// A device's copy cannot begin in one piece that is locked and end in another, or in none: such a frame has memory of
// its own, from the first time that it is wanted.
std::span<const std::byte> BackgroundMemory::across(std::span<const std::byte> frame, std::size_t piece) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<HostMemoryBlock>& own = across_[piece];
  if (own == nullptr) {
    own = backend_.allocate_host(frame.size(), kind_);
    std::memcpy(own->bytes().data(), frame.data(), frame.size());
    require_readable(frame);
  }
  return own->bytes().first(frame.size());
}

// Whether all pieces were locked; false at the first one that the system refuses.
bool BackgroundMemory::lock_pieces(const std::stop_token& stop) {
  std::uint64_t frame = 0;
  for (std::size_t at = 0; at < mapping_.size(); at += limits_.piece_bytes) {
    const std::span<const std::byte> piece = mapping_.subspan(at, std::min(limits_.piece_bytes, mapping_.size() - at));
    if (!room_for(piece.size())) return true;
    // Read from the disk first, in steps that can be stopped.
    constexpr std::size_t kPage = 4096;
    FrameMemory none;
    for (; frame < frame_count(); ++frame) {
      if (stop.stop_requested()) return true;
      const std::span<const std::byte> samples = read(frame, none, stop);
      if (samples.data() >= piece.data() + piece.size()) break;
      for (std::size_t i = 0; i < samples.size(); i += kPage) touched_ = touched_ ^ samples[i];
    }
    std::unique_ptr<PageLock> lock = backend_.page_lock(piece);
    if (lock == nullptr) return false;
    pieces_[ready_].lock = std::move(lock);
    ready_.fetch_add(1, std::memory_order_release);
  }
  return true;
}

bool BackgroundMemory::copy_pieces(const std::stop_token& stop) {
  const std::uint64_t count = frame_count();
  for (std::uint64_t first = 0; first < count; first += frames_a_piece_) {
    const std::uint64_t frames = std::min(frames_a_piece_, count - first);
    if (!room_for(frames * frame_bytes_)) return true;
    auto copy = backend_.allocate_host(frames * frame_bytes_, kind_);
    if (copy->kind() != kind_) return false;
    for (std::uint64_t i = 0; i < frames; ++i) {
      if (stop.stop_requested()) return true;
      const std::span<const std::byte> from = source_->at(first + i, {});
      std::memcpy(copy->bytes().data() + i * frame_bytes_, from.data(), frame_bytes_);
      require_readable(from);
    }
    pieces_[ready_].copy = std::move(copy);
    ready_.fetch_add(1, std::memory_order_release);
  }
  return true;
}

void BackgroundMemory::run(const std::stop_token& stop) {
  const std::uint64_t pieces = (frame_count() + frames_a_piece_ - 1) / frames_a_piece_;
  pieces_.resize(std::max<std::size_t>(pieces, mapping_.size() / limits_.piece_bytes + 1));
  try {
    if (!copying_ && !lock_pieces(stop) && ready_ == 0) copying_ = true;
    if (copying_) copy_pieces(stop);
  } catch (const Error&) {  // a file that shrank: the stream says so when it comes to the frame
  }
  const std::size_t whole = copying_ ? frame_count() * frame_bytes_ : mapping_.size();
  state_ = bytes_in_place() >= whole ? State::all : State::part;
}

}  // namespace echoloop
