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
      stride_((frame_bytes + kPage - 1) / kPage * kPage),
      n_frames_(n_frames),
      child_(std::move(child)),
      slots_(slot_count(what_, stride_)) {
  memory_ = child_->share(stride_ * slots_.size());
  ask_ahead(0);
  take_answer(0);  // the process lives on when the thread that opens ends, once it was asked for a frame
}

std::size_t StreamedFrames::find(std::uint64_t frame) const {
  const auto holds = [&](const Slot& slot) { return slot.state != State::free && slot.frame == frame; };
  return static_cast<std::size_t>(std::find_if(slots_.begin(), slots_.end(), holds) - slots_.begin());
}

void StreamedFrames::ask(std::size_t slot, std::uint64_t frame) {
  slots_[slot] = {.state = State::asked, .frame = frame};
  asked_.push_back(slot);
  child_->send(MessageKind::read_frame, encode_slot({.frame = frame, .offset = slot * stride_}));
}

// Asks for `index` and the frames after it as far as slots go. Frames that are there but not among these make room.
void StreamedFrames::ask_ahead(std::uint64_t index) {
  const std::uint64_t n_wanted = std::min<std::uint64_t>(slots_.size(), n_frames_);
  for (Slot& slot : slots_) {
    const bool wanted = (slot.frame + n_frames_ - index) % n_frames_ < n_wanted;
    if (slot.state == State::ready && !wanted) slot.state = State::free;
  }
  for (std::uint64_t k = 0; k < n_wanted; ++k) {
    const std::uint64_t frame = (index + k) % n_frames_;
    if (find(frame) < slots_.size()) continue;
    const auto free =
        std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.state == State::free; });
    if (free == slots_.end()) return;
    ask(static_cast<std::size_t>(free - slots_.begin()), frame);
  }
}

// Waits for the oldest question's answer. A frame that could not be read ahead will be asked for again when its turn
// comes.
void StreamedFrames::take_answer(std::uint64_t for_frame) {
  const std::size_t slot = asked_.front();
  const Message message = child_->receive(std::chrono::steady_clock::now() + reader_settings().frame_patience);
  asked_.erase(asked_.begin());
  if (message.kind == MessageKind::refused) {
    slots_[slot].state = State::free;
    if (slots_[slot].frame == for_frame) throw decode_refusal(message.payload, what_);
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
    std::memcpy(out.data(), memory_->bytes().data() + slot * stride_, frame_bytes_);
    slots_[slot].state = State::free;
  } catch (const BadMessage& bad) {
    throw child_->give_up(std::string("said nonsense (") + bad.what() + ")");
  }
  ask_ahead((index + 1) % n_frames_);
}

}  // namespace echoloop
