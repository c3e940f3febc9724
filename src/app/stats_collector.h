// Fills the window's data about a running stream: counters, rates, latency, timings, state. UI thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "app/stream/session.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "gui/state/ui_state.h"

namespace echoloop {

// Statistics of the last seconds of a stream. UI thread only.

// Value of an empty bin: none, for events, or the last value, for a lasting state.
enum class BetweenValues { nothing, last_value };

// A quantity over the last ten seconds of the clock, for a plot: bins of equal time, each with its largest value, so
// that a short peak remains visible.
class ClockHistory {
 public:
  static constexpr std::size_t kBins = 200;
  static constexpr std::int64_t kBin_ns = 50'000'000;

  explicit ClockHistory(BetweenValues between);
  void add(std::int64_t now_ns, double value);
  // Returns kBins values, oldest first, the last one current; NaN for missing ones.
  [[nodiscard]] std::vector<float> values(std::int64_t now_ns);

 private:
  void advance(std::int64_t now_ns);

  BetweenValues between_;
  std::array<float, kBins> bins_;  // bin b of the clock at b % kBins
  std::int64_t newest_ = 0;        // bin of the clock
  float last_;                     // value
};

// Frames per second and shares of frames and of time, all over the same time window: the last 2 s, or the last 10 s of
// a stream with fewer than ten frames in 2 s. A pause, another stream or other settings restart it.
class RateWindow {
 public:
  // Counts since the stream began.
  struct Sample {
    std::int64_t now_ns = 0;
    std::uint64_t processed = 0, dropped = 0, shown = 0;
    std::int64_t waited_ns = 0;  // waiting time of the source for a free slot
  };
  struct Rates {
    double processed_hz = 0.0, shown_hz = 0.0;
    double waited_share = 0.0;   // share of the time
    double dropped_share = 0.0;  // share of the frames that ended
    std::int64_t from_ns = 0;    // start of the window
  };

  Rates update(const Sample& sample);
  void restart() { samples_.clear(); }

  static constexpr std::int64_t kWindow_ns = 2'000'000'000, kLongest_ns = 10'000'000'000;
  static constexpr std::uint64_t kFrames = 10;

 private:
  std::deque<Sample> samples_;  // oldest first
};

// Compares the source's frame rate with its setting and its own clock, over the last two seconds: for the badges
// "Processing limits" and "playing at". A pause, another rate or another stream restarts it.
class PaceWatch {
 public:
  struct Sample {
    std::int64_t now_ns = 0;
    std::uint64_t next_sequence = 0;  // counts the frames of the source
    std::int64_t waited_ns = 0;       // waiting time of the source for a free slot
    double rate_hz = 0.0;             // in use; infinite: maximum speed
    double frame_rate_hz = 0.0;       // of the acquisition; 0: unknown, then no rate is slower
    bool runs = false;                // the source should make frames now
    bool live = false;                // a scanner: without a playing speed; its own rate is no fault
  };
  StreamPace update(const Sample& sample);

  static constexpr std::int64_t kWindow_ns = 2'000'000'000;

 private:
  std::deque<Sample> samples_;  // in the window, oldest first
  StreamPace pace_;
};

class StatsCollector {
 public:
  // Updates counters, slots and plots each time; rates, percentiles and memory, which need a sort, four times a second.
  // While the stream is idle nothing changes: the plots' clock stops and rates are 0 at once, so that the window need
  // not be drawn again.
  void update(WindowState& state, const Session& session, const TimingTrace& trace, std::uint64_t shown);

 private:
  void watch_idle(WindowState& state, const Session& session, std::int64_t now);
  void update_rates(WindowState& state, const Session& session, std::int64_t now);
  void update_timings(WindowState& state, const TimingTrace& trace);
  void update_histories(WindowState& state, const TimingTrace& trace);
  void update_pace(WindowState& state, const Session& session, std::int64_t now);
  void update_memory(WindowState& state, const Session& session, std::int64_t now);

  std::int64_t last_ns_ = 0;
  std::uint64_t last_processed_ = 0;
  RateWindow rates_;
  StreamSettings paced_;  // settings for the rate window
  std::int64_t rates_from_ns_ = 0;
  RingCounts sampled_;  // at the last sample of the occupancy
  ClockHistory occupancy_{BetweenValues::last_value};
  ClockHistory ready_{BetweenValues::nothing}, shown_{BetweenValues::nothing};
  std::uint64_t ready_seen_ = 0, shown_seen_ = 0;
  PaceWatch pace_;
  bool idle_ = false;
  std::int64_t looked_ns_ = 0;   // last check of the stream
  std::int64_t plot_ns_ = 0;     // clock of the plots: running time of the stream
  std::int64_t memory_ns_ = 0;   // last check of memory
  std::uint64_t memory_of_ = 0;  // configuration of that check
};

// Returns the most slots certainly in use at once between two samples of a ring, including the later one.
int busiest_between(const RingCounts& before, const RingCounts& now);

// Updates the state of the run and the fault banner, from the state of the session's threads.
struct RunFacts {
  bool on_gpu = false;
  bool device_lost = false;  // no further operation works on it
  bool frozen = false;
};
void update_run_state(WindowState& state, const Session& session, const RunFacts& facts);

}  // namespace echoloop
