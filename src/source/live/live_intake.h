// Link between a sender's connection (LiveServer) and the stream: descriptions, blocks and received frames, each with
// its number and time in the stream. The thread at the sockets puts in, the producer reads; one lock guards the
// book-keeping, and samples are written and read outside it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/frame.h"
#include "core/stream_settings.h"
#include "source/live/live_protocol.h"
#include "source/source.h"
#include "transport/frame_arena.h"

namespace echoloop {

// Maps a sender's frame numbers to those of the stream. A sender may restart at any number: a new epoch, whose numbers
// follow the previous one's. Its frame words have the count of frames lost at the sender. All numbers count modulo
// 2^64. Pure.
struct NumberedFrame {
  enum class Kind { follows, duplicate, new_epoch };
  Kind kind = Kind::follows;
  std::uint64_t sequence = 0;  // of the stream
  FrameGap gap;
};

class LiveAccount {
 public:
  // Begins an epoch with the next frame: a sender has connected.
  void begin_epoch() { begun_ = false; }
  // Adds the next received frame; `lost_so_far` as in its word.
  NumberedFrame add(std::uint64_t sequence, std::uint64_t lost_so_far);
  // Adds a received frame that is not put into the stream, as it has an earlier description. Counted as missing with
  // the next frame.
  void add_stale(std::uint64_t sequence);

  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t lost() const { return all_lost_; }        // at the sender, in all epochs
  [[nodiscard]] std::uint64_t missing() const { return all_missing_; }  // at the sender, in all epochs
  [[nodiscard]] std::uint64_t stale() const { return all_stale_; }      // at the sender, in all epochs
  [[nodiscard]] std::uint64_t next() const { return next_ + offset_; }  // number expected by the stream

  // A number further ahead or back begins an epoch, and is no gap or duplicate.
  static constexpr std::uint64_t kFarthestAhead = std::uint64_t{1} << 32, kFarthestBack = 1024;

 private:
  NumberedFrame begin(std::uint64_t sequence, std::uint64_t lost_so_far);

  bool begun_ = false;
  std::uint64_t epochs_ = 0;
  std::uint64_t first_ = 0;   // of the epoch, in the sender's numbers
  std::uint64_t next_ = 0;    // expected, in the sender's numbers
  std::uint64_t offset_ = 0;  // stream's number minus the sender's, modulo 2^64
  std::uint64_t lost_ = 0;    // sender's count at the last frame
  std::uint64_t stale_ = 0;   // since the last frame
  std::uint64_t duplicates_ = 0, all_lost_ = 0, all_missing_ = 0, all_stale_ = 0;
};

// Number of frames that a sender may be ahead of a stream that makes it wait: those of the last 0.1 to 0.2 s, a limit
// of the delay of the newest image and of another description. Without a clock: each call gets the time in ns. Not
// thread-safe.
class LiveAllowance {
 public:
  static constexpr std::size_t kFewest = 2;

  void count_frame(std::int64_t now_ns) {  // accepted by the stream
    if (now_ns - begin_ns_ >= kWindow_ns) {
      before_ = now_ns - begin_ns_ < 2 * kWindow_ns ? now_ : 0;
      now_ = 0;
      begin_ns_ = now_ns;
    }
    ++now_;
  }
  [[nodiscard]] std::size_t frames() const { return std::max({kFewest, before_, now_}); }

 private:
  static constexpr std::int64_t kWindow_ns = 100'000'000;

  std::int64_t begin_ns_ = 0;         // of the window
  std::size_t now_ = 0, before_ = 0;  // frames in this window and the previous one
};

// Acquisition time of a scanner's frames: from its own clock if the description has its rate, else from the host's
// stamps. Starts at 0 and never decreases: after a jump of the clock, or with another sender, it continues from the
// last frame. Pure.
class LiveClock {
 public:
  void begin_epoch() { begun_ = false; }
  // `ticks` of a clock of `ticks_per_s`; `now_ns`: host clock, for the time between epochs.
  double time_s(std::uint64_t ticks, double ticks_per_s, std::int64_t now_ns);

 private:
  static constexpr double kLongest_s = 3600.0;  // between two frames; more is a jump of the clock

  bool begun_ = false;
  std::uint64_t last_ticks_ = 0;
  std::int64_t last_ns_ = 0;  // 0: no frame yet
  double last_s_ = 0.0;
};

class LiveIntake {
 public:
  explicit LiveIntake(std::shared_ptr<FrameArena> arena) : arena_(std::move(arena)), blocks_(arena_) {}

  // Thread at the sockets (LiveTurn):
  void sender_came(LiveTransport transport, std::string name);
  void sender_gone();
  // Keeps blocks and acquisition if the scan (its text) is unchanged.
  void describe(LiveScanPtr scan, std::uint32_t generation);
  [[nodiscard]] LiveScanPtr scan() const;
  // Returns true if the stream runs or is being made with an earlier description, and no frame of that one waits.
  [[nodiscard]] bool described_again() const;
  [[nodiscard]] bool is_alone() const;  // no sender with a description is connected, and no frame waits
  // Returns blocks to fill, once they are worth a message; none while no stream runs, or one with an earlier
  // description.
  [[nodiscard]] std::vector<LiveCredit> credits();
  [[nodiscard]] bool owes_credits() const;  // credits() has some
  // Block of a frame word; without it, the reason why the word is invalid: the stream continues without the frame.
  struct Taken {
    std::optional<FrameMemory> memory;
    std::string fault;
  };
  [[nodiscard]] Taken take(const FrameWord& word);
  // Adds the complete frame in `memory`; `clock_offset_ns` is added to its stamp. announce() shows it to the stream:
  // once for all frames of a round, after the last use of the lock, so that the woken thread finds it free.
  void put(const FrameWord& word, FrameMemory memory, std::int64_t clock_offset_ns);
  void announce();
  void drop(FrameMemory memory);  // of an incomplete frame
  // State to send to the sender: policy, message of a stopped stream (empty: it runs), counts.
  struct ForSender {
    RingPolicy policy = RingPolicy::block;
    bool paused = false;
    std::string stopped;
    std::uint64_t received = 0, duplicates = 0, lost = 0, missing = 0, stale = 0;  // frames
  };
  [[nodiscard]] ForSender for_sender() const;
  // Before the threads start: `wake` ends the wait of the thread at the sockets; `serve` reads them on the producer
  // thread until `done` or `stop`, or until only the server thread can continue.
  using Serve = std::function<void(const std::stop_token& stop, const std::function<bool()>& done)>;
  void set_server(std::function<void()> wake, Serve serve);

  // Producer thread, as Source:
  std::optional<Arrival> next(const std::stop_token& stop);
  std::span<const std::byte> fetch(FrameMemory& slot);
  // Between streams:
  [[nodiscard]] AcquisitionPtr wait_for_scan(const std::stop_token& stop);  // throws Error when stopped
  [[nodiscard]] const AcquisitionPtr& acquisition() const { return producer_.acquisition; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double device_hz() const;  // 0: none
  void make_blocks(const std::function<FrameMemory(std::size_t)>& allocate);
  void resume();  // after a stop, without the earlier frames
  // Any thread:
  void refused(const std::string& line);
  void set_policy(RingPolicy policy);
  void set_taking(Taking taking);
  void note_invalid(const SampleFaultCount& invalid);  // of one frame, as a backend counted them
  [[nodiscard]] FrameMemory allocate(std::size_t bytes) { return arena_->allocate(bytes); }
  [[nodiscard]] LiveStatus status() const;  // the part known here

 private:
  struct Queued {
    FrameStamp stamp;
    FrameMemory memory;
    LiveScanPtr scan;
    bool dropped = false;  // came before resume(); has no memory
  };

  // State of the producer thread.
  struct OnProducer {
    Queued current;
    bool fetched = false;            // the stream has current.memory
    AcquisitionPtr acquisition;      // of the running stream
    std::int64_t checked_ns = 0;     // time of the last check
    std::size_t checked_next = 0;    // transmit that the next one begins with
    bool asked_for_credits = false;  // by the thread at the sockets, not yet answered; under mutex_
  };

  // Waits with `lock` until `holds()`; returns false if `stop` is requested first.
  template <class Holds>
  bool wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, const Holds& holds);
  void serve(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void name_frames(std::uint64_t first);
  [[nodiscard]] double frame_time_s(const FrameWord& word, std::int64_t now_ns);
  void give_back(FrameMemory memory);
  void drop_queue();
  void check(std::span<const std::byte> samples);
  [[nodiscard]] std::size_t credits_due() const;
  [[nodiscard]] bool has_news() const { return !queue_.empty() || changed(); }
  [[nodiscard]] bool changed() const { return scan_ != nullptr && streamed_ != scan_; }

  const std::shared_ptr<FrameArena> arena_;
  std::function<void()> wake_;
  Serve serve_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  // All below under mutex_.
  LiveBlocks blocks_;
  LiveScanPtr scan_;      // last accepted one
  LiveScanPtr streamed_;  // of the running stream
  std::uint32_t generation_ = 0;
  bool issues_credits_ = false;  // a stream runs and has blocks
  struct {
    bool described = false;  // it has described its frames
    bool inlined = false;    // samples come over the socket: received in parallel to the producer's work
  } sender_;                 // the connected one
  LiveAllowance allowance_;
  LiveAccount account_;
  LiveClock clock_;
  std::deque<Queued> queue_;
  RingPolicy policy_ = RingPolicy::block;
  bool paused_ = false;
  std::string stopped_;
  LiveStatus status_;
  OnProducer producer_;
};

}  // namespace echoloop
