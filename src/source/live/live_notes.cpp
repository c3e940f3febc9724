#include "source/live/live_notes.h"

#include <utility>

namespace echoloop {
namespace {

// "3 more: invalid frame words".
std::string more_text(std::uint64_t count, const std::string& about) {
  return std::to_string(count) + " more: " + about;
}

}  // namespace

void LiveNotes::add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  Last& last = last_[about];
  if (last.at_ns != 0 && now_ns - last.at_ns < kApart_ns) {
    ++last.more;
    last.kind = kind;
    return;
  }
  if (last.more > 0) text += " (" + more_text(std::exchange(last.more, 0), about) + ")";
  last.at_ns = now_ns;
  if (waiting_.size() < kMost) waiting_.push_back({.kind = kind, .text = std::move(text)});
}

std::vector<LiveNote> LiveNotes::take(std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  for (auto& [about, last] : last_) {
    if (last.more == 0 || now_ns - last.at_ns < kApart_ns) continue;
    if (waiting_.size() >= kMost) break;
    waiting_.push_back({.kind = last.kind, .text = more_text(std::exchange(last.more, 0), about)});
    last.at_ns = now_ns;
  }
  return std::exchange(waiting_, {});
}

}  // namespace echoloop
