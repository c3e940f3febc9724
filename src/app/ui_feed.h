// Fills what the window shows about a running stream: counters, rates, latency, timings, state. UI thread.
#pragma once

#include <cstdint>

#include "app/clock_history.h"
#include "app/session.h"
#include "core/timing_trace.h"
#include "gui/ui_state.h"

namespace echoloop {

class UiFeed {
 public:
  // Counters, slots and plots each time; rates, percentiles and memory, which cost a sort, four times a second.
  void update(UiState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown);

 private:
  void update_rates(UiState& state, std::int64_t now, std::size_t frame_bytes);
  void update_histories(UiState& state, const TimingTrace& trace, std::int64_t now);

  std::int64_t last_ns_ = 0;
  std::uint64_t last_processed_ = 0;
  std::uint64_t last_shown_ = 0;
  std::int64_t last_waited_ns_ = 0;
  RingCounts sampled_;  // when the occupancy was looked at last
  ClockHistory occupancy_{BetweenValues::last_value};
  ClockHistory ready_{BetweenValues::nothing}, shown_{BetweenValues::nothing};
  std::uint64_t ready_seen_ = 0, shown_seen_ = 0;
};

// The most slots that were surely in use at once between two looks at a ring, the later one included.
int busiest_between(const RingCounts& before, const RingCounts& now);

// State of the run and the fault banner, from what the session's threads say.
struct RunFacts {
  bool on_gpu = false;
  bool device_lost = false;  // nothing works on it any more
  bool frozen = false;
};
void update_run_state(UiState& state, const Session& session, const RunFacts& facts);

}  // namespace echoloop
