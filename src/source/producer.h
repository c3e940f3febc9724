// Producer thread: requests frame after frame from the source at the set rate and puts them into the ring. Owns its
// write lease and nothing else. Everything in ProducerOptions but the first number may change while it runs. Also
// simulates a restless source (core/stream_settings.h): jitter, bursts, stalls, doubled and missing numbers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "core/frame_ring.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "source/source.h"

namespace echoloop {

// Times of a producer's frames: rate, pace, and injected faults (core/stream_settings.h). Times are arguments, without
// waits or a clock; nanoseconds.
class FrameSchedule {
 public:
  // `rate_hz`: kRateMax or a positive rate.
  void restart(std::int64_t now);                                        // the next frame is due now
  void change(double rate_hz, double pace_ms, std::int64_t now);         // a slower, earlier schedule is not completed
  void take(double rate_hz, const Injection& inject, std::int64_t now);  // schedules the frame after this one
  void rest(double pace_ms, std::int64_t now);                           // after a frame has been put

  [[nodiscard]] std::int64_t due() const;  // earliest time of the next frame

 private:
  std::int64_t schedule_ns_ = 0;  // time of the next frame, without jitter
  std::int64_t due_ns_ = 0;       // the same with jitter
  std::int64_t rested_ns_ = 0;    // end of the gap after the last frame
  std::int64_t stall_ns_ = 0;     // start of the next stall
  int left_in_burst_ = 0;
  std::minstd_rand random_;  // jitter; reproducible
};

// Returns the default rate of a source: its own frame rate, limited to what a screen can show.
double default_rate_hz(const Acquisition& acquisition);

struct ProducerOptions {
  double rate_hz = 0.0;  // kRateMax or a positive rate
  bool loop = true;      // recordings: restart at the end
  bool paused = false;
  double pace_ms = 0.0;  // minimum gap after each frame
  Injection inject = {};
  std::uint64_t first_sequence = 0;  // to continue an earlier stream of the same source
};

// changed: the next frame is of another acquisition, which needs another stream.
enum class ProducerState { running, ended, refused, failed, changed };

class Producer {
 public:
  Producer(Source& source, FrameRing& ring, TimingTrace& trace, const ProducerOptions& options);  // starts the thread
  ~Producer();  // stops and joins; the ring must be closed or have room, or the policy must not be block
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void set(const ProducerOptions& options);  // all but first_sequence; any thread
  void stop();                               // any thread; returns at once

  [[nodiscard]] ProducerState state() const { return state_; }                  // any thread
  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }  // any thread
  [[nodiscard]] std::string report() const;  // reason of the end, one line; empty when ended; any thread

 private:
  void run();
  bool wait_for_turn();
  bool may_begin_again();
  std::optional<Arrival> next_arrival();
  bool put_frames(const FrameStamp& stamp);
  ProducerState put_frame(const FrameStamp& stamp);
  void end(ProducerState state, const std::string& report);

  Source& source_;
  FrameRing& ring_;
  TimingTrace& trace_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ProducerOptions options_;       // under mutex_
  bool changed_options_ = false;  // under mutex_
  std::stop_source stop_;         // under mutex_, but for its token
  std::string report_;            // under mutex_
  // Producer thread:
  FrameSchedule schedule_;
  std::atomic<ProducerState> state_{ProducerState::running};
  std::atomic<std::uint64_t> next_sequence_;
  std::thread thread_;
};

}  // namespace echoloop
