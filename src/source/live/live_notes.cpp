#include "source/live/live_notes.h"

#include <utility>

namespace echoloop {

void LiveNotes::add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  Last& last = last_[about];
  LiveNote note{.kind = kind, .text = std::move(text)};
  if (last.at_ns != 0 && now_ns - last.at_ns < kApart_ns) {
    ++last.held_back;
    last.newest = std::move(note);
    return;
  }
  keep(last, std::move(note), last.held_back, now_ns);
}

std::vector<LiveNote> LiveNotes::take(std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  for (auto& [about, last] : last_) {
    if (last.held_back == 0 || now_ns - last.at_ns < kApart_ns) continue;
    if (waiting_.size() >= kMost) break;
    keep(last, std::move(last.newest), last.held_back - 1, now_ns);
  }
  return std::exchange(waiting_, {});
}

void LiveNotes::keep(Last& last, LiveNote note, std::uint64_t more, std::int64_t now_ns) {
  if (more > 0) note.text += " (" + std::to_string(more) + " more)";
  last.held_back = 0;
  last.at_ns = now_ns;
  if (waiting_.size() < kMost) waiting_.push_back(std::move(note));
}

}  // namespace echoloop
