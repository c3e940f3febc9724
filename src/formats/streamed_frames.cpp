#include "formats/streamed_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/free_memory.h"
#include "formats/reader_process.h"

namespace echoloop {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostAhead = std::size_t{128} << 20;  // bytes, unless frames are so big that it takes more
constexpr std::size_t kFewest = 3, kMost = 8;               // slots: one being copied out, the others being read

std::size_t slot_count(const std::string& what, std::size_t stride) {
  const std::size_t n = std::clamp(kMostAhead / stride, kFewest, kMost);
  if (n * stride > free_host_memory() / 2) {
    throw Error(what, "frames of " + std::to_string(stride >> 20) + " MiB",
                "frames of which this machine's memory holds " + std::to_string(2 * kFewest));
  }
  return n;
}

}  // namespace

StreamedFrames::StreamedFrames(std::string what, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                               std::uint64_t n_frames)
    : what_(std::move(what)),
      frame_bytes_(frame_bytes),
      n_frames_(n_frames),
      run_(std::clamp<std::uint64_t>(reader_settings().run_bytes / frame_bytes, 1, n_frames)),
      n_runs_((n_frames + run_ - 1) / run_),
      stride_((static_cast<std::size_t>(run_) * frame_bytes + kPage - 1) / kPage * kPage),
      child_(std::move(child)),
      slots_(slot_count(what_, stride_)) {
  memory_ = child_->share(stride_ * slots_.size());
  ask_ahead(0);
  take_answer(0);  // the process lives on when the thread that opens ends, once it was asked for a frame
}

std::size_t StreamedFrames::find(std::uint64_t frame) const {
  return static_cast<std::size_t>(
      std::find_if(slots_.begin(), slots_.end(), [frame](const Slot& slot) { return slot.holds(frame); }) -
      slots_.begin());
}

void StreamedFrames::ask(std::size_t slot, std::uint64_t frame, std::uint64_t count) {
  slots_[slot] = {.state = State::asked, .frame = frame, .count = count};
  asked_.push_back(slot);
  child_->send(MessageKind::read_frames, encode_slot({.frame = frame, .count = count, .offset = slot * stride_}));
}

// Asks for the run with `index` and those after it as far as slots go. Runs that are there but not among these make
// room.
void StreamedFrames::ask_ahead(std::uint64_t index) {
  const std::uint64_t n_wanted = std::min<std::uint64_t>(slots_.size(), n_runs_);
  for (Slot& slot : slots_) {
    const bool wanted = (slot.frame / run_ + n_runs_ - index / run_) % n_runs_ < n_wanted;
    if (slot.state == State::ready && !wanted) slot.state = State::free;
  }
  for (std::uint64_t k = 0; k < n_wanted; ++k) {
    const std::uint64_t first = (index / run_ + k) % n_runs_ * run_;
    if (find(k == 0 ? index : first) < slots_.size()) continue;
    const auto find_state = [&](State state) {
      return std::find_if(slots_.begin(), slots_.end(), [state](const Slot& slot) { return slot.state == state; });
    };
    auto slot = find_state(State::free);
    if (slot == slots_.end() && k == 0) slot = find_state(State::ready);
    if (slot == slots_.end()) return;
    ask(static_cast<std::size_t>(slot - slots_.begin()), first, std::min(run_, n_frames_ - first));
  }
}

// Waits for the oldest question's answer. Of a run that could not be read the frame that is needed is asked for by
// itself; what could not be read ahead will be asked for again when its turn comes.
void StreamedFrames::take_answer(std::uint64_t for_frame) {
  const std::size_t slot = asked_.front();
  const Message message = child_->receive(std::chrono::steady_clock::now() + reader_settings().frame_patience);
  asked_.erase(asked_.begin());
  if (message.kind == MessageKind::refused) {
    const Slot refused = std::exchange(slots_[slot], {});
    if (!refused.holds(for_frame)) return;
    if (refused.count == 1) throw decode_refusal(message.payload, what_);
    ask(slot, for_frame, 1);
    return;
  }
  if (message.kind != MessageKind::frame_ready || decode_slot(message.payload).frame != slots_[slot].frame) {
    throw BadMessage("a frame that was not asked for");
  }
  slots_[slot].state = State::ready;
}

void StreamedFrames::read(std::uint64_t index, std::span<std::byte> out) {
  const std::scoped_lock lock(mutex_);
  if (index >= n_frames_ || out.size() < frame_bytes_) throw std::out_of_range("frame index");
  try {
    ask_ahead(index);
    std::size_t slot = find(index);
    while (slot == slots_.size() || slots_[slot].state != State::ready) {
      take_answer(index);
      if (slot == slots_.size()) ask_ahead(index);
      slot = find(index);
    }
    const std::size_t at = static_cast<std::size_t>(index - slots_[slot].frame) * frame_bytes_;
    std::memcpy(out.data(), memory_->bytes().data() + slot * stride_ + at, frame_bytes_);
    if (index == slots_[slot].frame + slots_[slot].count - 1) slots_[slot].state = State::free;
  } catch (const BadMessage& bad) {
    throw child_->give_up(std::string("said nonsense (") + bad.what() + ")");
  }
  ask_ahead((index + 1) % n_frames_);
}

}  // namespace echoloop
