#include "backend/watch.h"

#include <algorithm>
#include <thread>

namespace echoloop {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kLookNs = 500'000;  // the longest look, after an event or about a frame that is due
constexpr std::int64_t kLeadNs = 150'000;  // before the frame is due: a wake-up that comes late itself
// With frames in flight, how long to sleep before asking the lanes again; a frame that arrives ends the sleep at once.
constexpr auto kPoll = 50us;
constexpr auto kIdle = 20ms;  // nothing in flight: only stop and new parameters need attention

}  // namespace

bool has_spare_cores() {
  constexpr unsigned kEnough = 4;  // source, processing, window, and one for other programs
  return std::thread::hardware_concurrency() >= kEnough;
}

// Lets the core's other thread work.
void Watch::relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void Watch::frame_came(std::int64_t acquired_ns, std::int64_t now_ns) {
  interval_ns_ = acquired_ns_ != 0 ? acquired_ns - acquired_ns_ : 0;
  acquired_ns_ = acquired_ns;
  last_ns_ = now_ns;
}

std::int64_t Watch::look_from_ns() const { return acquired_ns_ + interval_ns_ - kLeadNs; }

std::int64_t Watch::look_until_ns(std::int64_t now_ns, Lanes lanes) const {
  if (habit_ == Habit::only_sleeps) return 0;
  const std::int64_t until = now_ns >= look_from_ns() ? look_from_ns() + kLookNs : 0;
  return lanes == Lanes::busy ? std::max(until, last_ns_ + kLookNs) : until;
}

std::chrono::nanoseconds Watch::sleep(std::int64_t now_ns, Lanes lanes) const {
  if (lanes == Lanes::busy) return kPoll;
  const std::chrono::nanoseconds ahead(look_from_ns() - now_ns);
  return habit_ == Habit::looks && ahead > 0ns ? std::min<std::chrono::nanoseconds>(ahead, kIdle) : kIdle;
}

}  // namespace echoloop
