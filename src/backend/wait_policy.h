// Decides when the processing thread polls in a spin and when it sleeps. A wake-up takes some 50 us, a fifth of a
// frame's time on a GPU; with a device it therefore spins while an event is near: shortly after each event of a frame
// in flight, and around the time when the next frame is due, by the distance of the last two. A slow or idle stream
// sleeps almost all the time. Processing thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/units.h"

namespace echoloop {

class WaitPolicy {
 public:
  enum class Mode { spin, sleep_only };  // sleep_only: the lanes need the cores
  enum class Lanes { idle, busy };       // busy: with live or history frames

  explicit WaitPolicy(Mode mode) : mode_(mode) {}

  void frame_came(std::int64_t acquired_ns, std::int64_t now_ns);
  void frame_ended(std::int64_t now_ns) { last_ns_ = now_ns; }

  // Polls `happened()` at least once and while it is time to spin; returns true once it does.
  template <class Happened>
  bool spin(Lanes lanes, const Happened& happened) const {
    const std::int64_t until_ns = spin_until_ns(now_ns(), lanes);
    while (!happened()) {
      if (now_ns() >= until_ns) return false;
      relax();
    }
    return true;
  }
  // Returns the end of the spin; in the past: no spin.
  [[nodiscard]] std::int64_t spin_until_ns(std::int64_t now_ns, Lanes lanes) const;
  // Returns the duration of the sleep after the spin, unless a frame comes.
  [[nodiscard]] std::chrono::nanoseconds sleep(std::int64_t now_ns, Lanes lanes) const;

 private:
  static void relax();
  [[nodiscard]] std::int64_t spin_from_ns() const;
  Mode mode_;
  std::int64_t acquired_ns_ = 0;  // of the last frame
  std::int64_t interval_ns_ = 0;  // to its predecessor
  std::int64_t last_ns_ = 0;      // last event of a frame in flight
};

// Returns true if this machine has cores to spare for a spinning thread.
[[nodiscard]] bool has_spare_cores();

}  // namespace echoloop
