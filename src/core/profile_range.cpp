#include "core/profile_range.h"

#include <atomic>

namespace echoloop {
namespace {

std::atomic<void (*)(Stage)> push_hook{nullptr};
std::atomic<void (*)()> pop_hook{nullptr};

}  // namespace

void set_profiler_hooks(void (*push)(Stage), void (*pop)()) {
  // A thread that reads the new push reads its pop as well.
  if (pop != nullptr) pop_hook.store(pop);
  push_hook.store(push);
}

ProfileRange::ProfileRange(Stage stage) {
  void (*const push)(Stage) = push_hook.load(std::memory_order_acquire);
  if (push == nullptr) return;
  pop_ = pop_hook.load(std::memory_order_acquire);
  push(stage);
}

}  // namespace echoloop
