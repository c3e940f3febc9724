// When the processing thread spins, asking for something to do, and when it sleeps. To wake up takes a thread some 50
// us, a fifth of the time that a frame needs on a GPU; so beside a device it spins while something is about to happen:
// for a moment after each event of a frame in flight, and from shortly before the next frame is due, by the distance of
// the last two, until shortly after. A slow or idle stream sleeps almost all the time. Processing thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/units.h"

namespace echoloop {

class WaitPolicy {
 public:
  enum class Mode { spin, sleep_only };  // sleep_only: where the lanes need the cores
  enum class Lanes { idle, busy };       // busy: with frames, live ones or kept ones

  explicit WaitPolicy(Mode mode) : mode_(mode) {}

  void frame_came(std::int64_t acquired_ns, std::int64_t now_ns);
  void frame_ended(std::int64_t now_ns) { last_ns_ = now_ns; }

  // Asks again and again while it is time to spin, once at least. True when `happened()` says so.
  template <class Happened>
  bool spin(Lanes lanes, const Happened& happened) const {
    const std::int64_t until_ns = spin_until_ns(now_ns(), lanes);
    while (!happened()) {
      if (now_ns() >= until_ns) return false;
      relax();
    }
    return true;
  }
  // Until when to spin; in the past: not at all.
  [[nodiscard]] std::int64_t spin_until_ns(std::int64_t now_ns, Lanes lanes) const;
  // How long to sleep then, unless a frame comes.
  [[nodiscard]] std::chrono::nanoseconds sleep(std::int64_t now_ns, Lanes lanes) const;

 private:
  static void relax();
  [[nodiscard]] std::int64_t spin_from_ns() const;
  Mode mode_;
  std::int64_t acquired_ns_ = 0;  // of the last frame
  std::int64_t interval_ns_ = 0;  // from the one before
  std::int64_t last_ns_ = 0;      // something happened to a frame in flight
};

// Whether this machine has cores to spare for a thread that looks.
[[nodiscard]] bool has_spare_cores();

}  // namespace echoloop
