#include "app/window/window_scanner.h"

#include "source/live/live_source.h"

namespace echoloop {

void WindowScanner::look() {
  LiveSource* const live = parts_.source != nullptr ? parts_.source->live() : nullptr;
  if (const std::optional<LiveWaiting> waiting = opening_.scanner()) {
    waiting->set_policy(parts_.state.stream.policy);
    parts_.state.scanner = waiting->status();
    say(waiting->take_notes());
  } else if (live != nullptr) {
    parts_.state.scanner = live->status();
    say(live->take_notes());
  } else {
    parts_.state.scanner.reset();
  }
}

void WindowScanner::set_admission(Admission admission) {
  LiveSource* const live = parts_.source != nullptr ? parts_.source->live() : nullptr;
  if (live != nullptr) live->set_admission(admission);
}

void WindowScanner::say(const std::vector<LiveNote>& notes) {
  for (const LiveNote& note : notes) {
    parts_.say(note.kind == LiveNote::Kind::warning ? Severity::warning : Severity::info, note.text, "scanner");
  }
}

}  // namespace echoloop
