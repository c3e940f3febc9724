#include "core/long_work.h"

#include <atomic>

#include "core/error.h"

namespace echoloop {
namespace {

std::atomic<bool> ended{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void end_long_work() { ended = true; }

bool long_work_ended() { return ended; }

void check_long_work() {
  if (ended) throw Fault("image formation", "stopped, as the program ends", "a run to its end");
}

}  // namespace echoloop
