// Ranges for an outside profiler, named like the stages of the timeline, so that both show the same image. The core
// knows no profiler: a backend that has one installs hooks; without hooks a range costs one load.
#pragma once

#include "core/stages.h"

namespace echoloop {

// `push` begins a range on the calling thread, `pop` ends the last one begun there; both or neither null. Ranges that
// are open at that moment end as they began. [any thread]
void set_profiler_hooks(void (*push)(Stage), void (*pop)());

// The host's part of a stage, from construction to destruction. On a device that only means: its work is being queued.
class [[nodiscard]] ProfileRange {
 public:
  explicit ProfileRange(Stage stage);
  ~ProfileRange() {
    if (pop_ != nullptr) pop_();
  }
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;

 private:
  void (*pop_)() = nullptr;  // of the hooks that began this range
};

}  // namespace echoloop
