#include "backend/wait_policy.h"

#include <algorithm>
#include <thread>

namespace echoloop {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSpinNs = 500'000;  // the longest spin, after an event or about a frame that is due
constexpr std::int64_t kLeadNs = 150'000;  // before the frame is due: a wake-up that comes late itself
// With frames in flight, how long to sleep before asking the lanes again; a frame that arrives ends the sleep at once.
constexpr auto kPoll = 50us;
constexpr auto kIdle = 20ms;  // nothing in flight: only stop and new parameters need attention

}  // namespace

bool has_spare_cores() {
  constexpr unsigned kEnough = 4;  // source, processing, window, and one for other programs
  return std::thread::hardware_concurrency() >= kEnough;
}

// Yields to the core's other hardware thread.
void WaitPolicy::relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void WaitPolicy::frame_came(std::int64_t acquired_ns, std::int64_t now_ns) {
  interval_ns_ = acquired_ns_ != 0 ? acquired_ns - acquired_ns_ : 0;
  acquired_ns_ = acquired_ns;
  last_ns_ = now_ns;
}

std::int64_t WaitPolicy::spin_from_ns() const { return acquired_ns_ + interval_ns_ - kLeadNs; }

std::int64_t WaitPolicy::spin_until_ns(std::int64_t now_ns, Lanes lanes) const {
  if (mode_ == Mode::sleep_only) return 0;
  const std::int64_t until = now_ns >= spin_from_ns() ? spin_from_ns() + kSpinNs : 0;
  return lanes == Lanes::busy ? std::max(until, last_ns_ + kSpinNs) : until;
}

std::chrono::nanoseconds WaitPolicy::sleep(std::int64_t now_ns, Lanes lanes) const {
  if (lanes == Lanes::busy) return kPoll;
  const std::chrono::nanoseconds ahead(spin_from_ns() - now_ns);
  return mode_ == Mode::spin && ahead > 0ns ? std::min<std::chrono::nanoseconds>(ahead, kIdle) : kIdle;
}

}  // namespace echoloop
