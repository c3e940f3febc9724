// Fills what the window shows about a running stream: counters, rates, latency, timings, state. UI thread.
#pragma once

#include <cstdint>

#include "app/recent_rates.h"
#include "app/stream/session.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class StatsCollector {
 public:
  // Counters, slots and plots each time; rates, percentiles and memory, which cost a sort, four times a second. While
  // the stream is idle nothing changes: the plots' clock stops and rates are 0 at once, so that the window need not be
  // drawn again.
  void update(UiState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown);

 private:
  void watch_idle(UiState& state, const Session& session, std::int64_t now);
  void update_rates(UiState& state, const Session& session, std::int64_t now);
  void update_timings(UiState& state, const TimingTrace& trace);
  void update_histories(UiState& state, const TimingTrace& trace);
  void update_pace(UiState& state, const Session& session, std::int64_t now);
  void update_memory(UiState& state, const Session& session, std::int64_t now);

  std::int64_t last_ns_ = 0;
  std::uint64_t last_processed_ = 0;
  RateWindow rates_;
  StreamSettings paced_;  // that the window is of
  std::int64_t rates_from_ns_ = 0;
  RingCounts sampled_;  // when the occupancy was looked at last
  ClockHistory occupancy_{BetweenValues::last_value};
  ClockHistory ready_{BetweenValues::nothing}, shown_{BetweenValues::nothing};
  std::uint64_t ready_seen_ = 0, shown_seen_ = 0;
  PaceWatch pace_;
  bool idle_ = false;
  std::int64_t looked_ns_ = 0;   // at the stream, last
  std::int64_t plot_ns_ = 0;     // the plots' clock: the time for which the stream ran
  std::int64_t memory_ns_ = 0;   // when memory was looked at last
  std::uint64_t memory_of_ = 0;  // of which configuration
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
