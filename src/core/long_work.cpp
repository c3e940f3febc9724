#include "core/long_work.h"

#include <atomic>
#include <utility>

#include "core/error.h"

namespace echoloop {
namespace {

std::atomic<bool> ended{false};
thread_local std::stop_token given_up;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void end_long_work() { ended = true; }

bool long_work_ended() { return ended; }

LongWork::LongWork(std::stop_token stop) : before_(std::exchange(given_up, std::move(stop))) {}
LongWork::~LongWork() { given_up = std::move(before_); }

void check_long_work() {
  if (given_up.stop_requested()) throw Fault("image formation", "given up", "a stream that is still wanted");
  if (ended) throw Fault("image formation", "stopped, as the program ends", "a run to its end");
}

}  // namespace echoloop
