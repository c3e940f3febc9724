// The producer thread: asks the source for frame after frame at the wanted rate and puts them into the ring.
// It owns its write lease and nothing else. Everything in ProducerOptions but the first number may change while it
// runs. It is also where a restless source is made up (core/injection.h): jitter, bursts, stalls, doubled and missing
// numbers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/frame_ring.h"
#include "core/timing_trace.h"
#include "source/frame_schedule.h"
#include "source/source.h"

namespace echoloop {

// The rate of a source when the user asks for none: its own frame rate, as far as a screen can follow.
double default_rate_hz(const Acquisition& acquisition);

struct ProducerOptions {
  double rate_hz = 0.0;  // kRateMax or a positive rate
  bool loop = true;      // recordings: start again at the end
  bool paused = false;
  double pace_ms = 0.0;  // rest after each frame, at least
  Injection inject = {};
  std::uint64_t first_sequence = 0;  // to go on where an earlier stream of the same source ended
};

// changed: the next frame is of another acquisition, for which another stream has to be made.
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
  [[nodiscard]] std::string report() const;  // why it does not go on, one line; empty when ended; any thread

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
