#include "source/live/live_notes.h"

#include <utility>

namespace echoloop {

void LiveNotes::add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  Last& last = last_[about];
  if (last.at_ns != 0 && now_ns - last.at_ns < kApart_ns) {
    ++last.more;
    last.kind = kind;
    return;
  }
  if (last.more > 0) text += " (and " + std::to_string(std::exchange(last.more, 0)) + " more of " + about + ")";
  last.at_ns = now_ns;
  if (waiting_.size() < kMost) waiting_.push_back({.kind = kind, .text = std::move(text)});
}

std::vector<LiveNote> LiveNotes::take(std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  for (auto& [about, last] : last_) {
    if (last.more == 0 || now_ns - last.at_ns < kApart_ns) continue;
    waiting_.push_back({.kind = last.kind, .text = std::to_string(std::exchange(last.more, 0)) + " more of " + about});
    last.at_ns = now_ns;
  }
  return std::exchange(waiting_, {});
}

}  // namespace echoloop
