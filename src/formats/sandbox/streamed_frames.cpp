#include "formats/sandbox/streamed_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/free_memory.h"
#include "formats/base/open_request.h"
#include "formats/sandbox/message_channel.h"
#include "formats/sandbox/reader_protocol.h"
#include "formats/sandbox/reader_settings.h"
#include "transport/payload.h"

namespace echoloop {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kAhead = std::size_t{16} << 20;  // bytes: what a processor's cache holds of them is read fastest
constexpr std::size_t kFewestRuns = 4, kMostRuns = 8;  // one that is given out, the others being read
constexpr std::uint64_t kLongestRun = 256;             // frames

std::size_t stride_of(std::size_t frame_bytes) { return (frame_bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t run_length(std::size_t frame_bytes, std::uint64_t n_frames) {
  const std::uint64_t longest = std::min(kLongestRun, n_frames);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(reader_settings().run_bytes / frame_bytes, 1, longest));
}

std::size_t cell_count(std::size_t frame_bytes, std::size_t run) {
  return run * std::clamp(kAhead / (run * frame_bytes), kFewestRuns, kMostRuns);
}

// Half of the free memory: the history uses a quarter at most by default.
std::size_t arena_bytes(const std::string& what, std::size_t needed, std::size_t frame_bytes) {
  const std::size_t most = free_host_memory() / 2;
  if (2 * needed > most) {
    throw Error(what, "frames of " + std::to_string(frame_bytes >> 20) + " MiB",
                "frames of which the memory of this machine can hold " + std::to_string(4 * kFewestRuns));
  }
  return most;
}

}  // namespace

StreamedFrames::StreamedFrames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                               std::uint64_t n_frames)
    : what_(request.what()),
      frame_bytes_(frame_bytes),
      n_frames_(n_frames),
      run_(run_length(frame_bytes, n_frames)),
      child_(std::move(child)),
      stop_(request.stop),
      cells_(cell_count(frame_bytes, run_)) {
  const std::size_t needed = cells_.size() * stride_of(frame_bytes_);
  arena_ = std::make_shared<FrameArena>(child_->share(arena_bytes(what_, needed, frame_bytes_)));
  fill_cells(arena_->allocate(needed));
  for (std::size_t k = cells_.size(); k-- > 0;) free_.push_back(k);
  ask_ahead(0);
  take_answer(0);  // the process lives on when the thread that opens ends, once it was asked for a frame
}

// Each cell gets its part of `all`, with an owner of its own that keeps the whole.
void StreamedFrames::fill_cells(const FrameMemory& all) {
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    cells_[k].memory = {.bytes = all.bytes.subspan(k * stride_of(frame_bytes_), frame_bytes_),
                        .owner = std::make_shared<std::shared_ptr<const void>>(all.owner),
                        .kind = all.kind};
  }
}

void StreamedFrames::read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) {
  const FrameMemory all = allocate(cells_.size() * stride_of(frame_bytes_));
  if (!arena_->holds(all.bytes)) return;
  const std::scoped_lock lock(mutex_);
  stop_ = {};
  try {
    while (!asked_.empty()) take_answer(n_frames_);
  } catch (const std::exception&) {
    return;  // the process is gone: reading the next frame reports it
  }
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    if (cells_[k].state == State::ready) release(k);
  }
  fill_cells(all);
  ask_ahead(next_);
}

bool StreamedFrames::is_ready(std::uint64_t frame) const {
  const auto found = has_.find(frame);
  return found != has_.end() && cells_[found->second].state == State::ready;
}

void StreamedFrames::release(std::size_t cell) {
  has_.erase(cells_[cell].frame);
  cells_[cell].state = State::free;
  free_.push_back(cell);
}

// Frames that are there but not soon after `index` make room.
void StreamedFrames::release_unwanted(std::uint64_t index) {
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const bool wanted = (cells_[k].frame + n_frames_ - index) % n_frames_ < cells_.size();
    if (cells_[k].state == State::ready && !wanted) release(k);
  }
}

// `count` frames from `first` on into free cells.
void StreamedFrames::ask(std::uint64_t first, std::uint64_t count) {
  FrameRun run{.first = first, .offsets = {}};
  std::vector<std::size_t> cells;
  for (std::uint64_t frame = first; frame < first + count; ++frame) {
    const std::size_t cell = free_.back();
    free_.pop_back();
    cells_[cell].state = State::asked;
    cells_[cell].frame = frame;
    has_[frame] = cell;
    cells.push_back(cell);
    run.offsets.push_back(arena_->offset_of(cells_[cell].memory.bytes));
  }
  asked_.push_back(std::move(cells));
  child_->send(MessageKind::read_frames, encode_run(run), patience());
}

ReaderChild::Patience StreamedFrames::patience() const {
  return {std::chrono::steady_clock::now() + reader_settings().frame_patience, stop_};
}

// Asks for the frames from `index` on as far as cells go, a run at a time: fewer only when `index` itself is missing.
void StreamedFrames::ask_ahead(std::uint64_t index) {
  if (index != next_) release_unwanted(index);
  next_ = index;
  if (has_.contains(index) && free_.size() < run_) return;
  const std::uint64_t n_wanted = std::min<std::uint64_t>(cells_.size(), n_frames_);
  std::uint64_t first = 0, count = 0;  // of the run that is being put together
  const auto send = [&] {
    if (count > 0) ask(first, count);
    count = 0;
  };
  for (std::uint64_t k = 0; k < n_wanted && free_.size() > count; ++k) {
    const std::uint64_t frame = (index + k) % n_frames_;
    const bool missing = !has_.contains(frame);
    if (count == run_ || !missing || frame == 0) send();
    if (!missing) continue;
    if (count++ == 0) first = frame;
  }
  send();
}

// Waits for the oldest question's answer. Of a run that could not be read the frame that is needed is asked for by
// itself; what could not be read ahead will be asked for again when its turn comes.
void StreamedFrames::take_answer(std::uint64_t for_frame) {
  const std::vector<std::size_t> cells = asked_.front();
  const ReaderMessage message = child_->receive(patience());
  if (message.kind == MessageKind::refused) {
    asked_.pop_front();
    const bool needed =
        std::any_of(cells.begin(), cells.end(), [&](std::size_t cell) { return cells_[cell].frame == for_frame; });
    for (const std::size_t cell : cells) release(cell);
    if (needed && cells.size() == 1) throw decode_refusal(message.payload, what_);
    if (needed) ask(for_frame, 1);
    return;
  }
  if (message.kind != MessageKind::frames_ready || decode_run(message.payload).first != cells_[cells[0]].frame) {
    throw BadMessage("an unrequested frame");
  }
  asked_.pop_front();
  for (const std::size_t cell : cells) cells_[cell].state = State::ready;
}

void StreamedFrames::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  stop_ = stop;
  if (index >= n_frames_ || slot.bytes.size() < frame_bytes_) throw std::out_of_range("frame index");
  try {
    ask_ahead(index);
    while (!is_ready(index)) {
      if (!has_.contains(index)) {
        release_unwanted(index);
        ask_ahead(index);
      }
      if (!is_ready(index)) take_answer(index);
    }
  } catch (const BadMessage& bad) {
    throw child_->give_up(std::string("sent an invalid message (") + bad.what() + ")");
  }
  const std::size_t cell = has_.at(index);
  if (slot.owner != nullptr && slot.bytes.size() == frame_bytes_ && arena_->holds(slot.bytes)) {
    std::swap(cells_[cell].memory, slot);
  } else {
    std::memcpy(slot.bytes.data(), cells_[cell].memory.bytes.data(), frame_bytes_);
  }
  release(cell);
  next_ = (index + 1) % n_frames_;
  ask_ahead(next_);
}

}  // namespace echoloop
