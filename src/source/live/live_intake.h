// Between a sender's connection (live_server.h) and the stream: descriptions, blocks and the frames that have come,
// each with the number and the time that the stream gives it. The thread at the sockets puts in, the producer takes
// out; one lock guards the book-keeping, and samples are written and read outside it.
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
#include "source/live/live_scan.h"
#include "source/source.h"
#include "transport/frame_arena.h"

namespace echoloop {

// Numbers of frames as a sender counts them, and as the stream does. A sender may begin again from any number: that is
// a new epoch, whose numbers follow those of the one before. Which of the numbers left out were lost at the sender is
// in its frame words. All numbers count modulo 2^64. Pure.

struct NumberedFrame {
  enum class Kind { follows, duplicate, new_epoch };
  Kind kind = Kind::follows;
  std::uint64_t sequence = 0;  // of the stream
  FrameGap gap;
};

class LiveAccount {
 public:
  // A sender has connected: its next frame begins an epoch.
  void begin_epoch() { begun_ = false; }
  // The next frame that came; `lost_so_far` as its word says.
  NumberedFrame add(std::uint64_t sequence, std::uint64_t lost_so_far);
  // One that came, and is not put into the stream: it was made with an earlier description. Counted with the next frame
  // that follows, as what is missing is.
  void add_stale(std::uint64_t sequence);

  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t lost() const { return all_lost_; }        // at the sender, in all epochs
  [[nodiscard]] std::uint64_t missing() const { return all_missing_; }  // likewise
  [[nodiscard]] std::uint64_t stale() const { return all_stale_; }      // likewise
  [[nodiscard]] std::uint64_t next() const { return next_ + offset_; }  // number that the stream expects

  // A number further ahead than this, or further back than that, is not a gap or a duplicate, but begins an epoch.
  static constexpr std::uint64_t kFarthestAhead = std::uint64_t{1} << 32, kFarthestBack = 1024;

 private:
  NumberedFrame begin(std::uint64_t sequence, std::uint64_t lost_so_far);

  bool begun_ = false;
  std::uint64_t epochs_ = 0;
  std::uint64_t first_ = 0;   // of the epoch, as the sender counts
  std::uint64_t next_ = 0;    // expected, as the sender counts
  std::uint64_t offset_ = 0;  // of the stream's number over the sender's, modulo 2^64
  std::uint64_t lost_ = 0;    // the sender's count at the last frame
  std::uint64_t stale_ = 0;   // since the last frame
  std::uint64_t duplicates_ = 0, all_lost_ = 0, all_missing_ = 0, all_stale_ = 0;
};

// Number of frames that a sender may be ahead of a stream that makes it wait: those of the last 0.1 to 0.2 s, so that
// the newest image and another description are not later than that. Without a clock: each call gets the time in ns. Not
// thread-safe.

class LiveAllowance {
 public:
  static constexpr std::size_t kFewest = 2;

  void count_frame(std::int64_t now_ns) {  // that the stream has taken
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
  std::size_t now_ = 0, before_ = 0;  // frames in this one, and in that before
};

// Acquisition time of a scanner's frames: from its own clock where the description says how fast that ticks, else from
// the host's stamps. Starts at 0 and never goes back: a clock that jumps, or another sender, continues where the last
// frame was. Pure.

class LiveClock {
 public:
  void begin_epoch() { begun_ = false; }
  // `ticks` of a clock of `ticks_per_s`; `now_ns`: the host's clock, for the time between two epochs.
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

  // Thread at the sockets (live_turn.h):
  void sender_came(LiveTransport transport, std::string name);
  void sender_gone();
  // The same scan as before (the same text) keeps blocks and acquisition.
  void describe(LiveScanPtr scan, std::uint32_t generation);
  [[nodiscard]] LiveScanPtr scan() const;
  // The stream runs, or is being made, with an earlier description, and no frame of that one waits.
  [[nodiscard]] bool described_again() const;
  [[nodiscard]] bool is_alone() const;  // no sender that has described its frames is here, and no frame waits
  // Blocks to fill now, as soon as they are worth a message; none while the stream does not run, or runs with an
  // earlier description.
  [[nodiscard]] std::vector<LiveCredit> credits();
  [[nodiscard]] bool owes_credits() const;  // there are some
  // A frame word's block. Empty, and why, when the word cannot be true: the stream goes on without it.
  struct Taken {
    std::optional<FrameMemory> memory;
    std::string fault;
  };
  [[nodiscard]] Taken take(const FrameWord& word);
  // The frame is complete in `memory`; `clock_offset_ns` is added to its stamp. The stream sees it with announce():
  // once for all frames of a round, and after the last use of the lock, which the woken thread then finds free.
  void put(const FrameWord& word, FrameMemory memory, std::int64_t clock_offset_ns);
  void announce();
  void drop(FrameMemory memory);  // a frame that was not completed
  // What the sender is to know: the policy, the line of a stream that has stopped (empty: it runs), what came.
  struct ForSender {
    RingPolicy policy = RingPolicy::block;
    bool paused = false;
    std::string stopped;
    std::uint64_t received = 0, duplicates = 0, lost = 0, missing = 0, stale = 0;  // frames
  };
  [[nodiscard]] ForSender for_sender() const;
  // Before the threads start: `wake` ends the wait of the thread at the sockets; `serve` reads them on the producer
  // thread until `done` or `stop`, or until only the server thread can go on.
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
  void resume();  // after a stop without the frames that came before
  // Any thread:
  void refused(const std::string& line);
  void set_policy(RingPolicy policy);
  void set_taking(Taking taking);
  [[nodiscard]] FrameMemory allocate(std::size_t bytes) { return arena_->allocate(bytes); }
  [[nodiscard]] LiveStatus status() const;  // the part that is known here

 private:
  struct Queued {
    FrameStamp stamp;
    FrameMemory memory;
    LiveScanPtr scan;
    bool dropped = false;  // it came before resume(); there is no memory
  };

  // Of the producer thread.
  struct OnProducer {
    Queued current;
    bool fetched = false;            // current.memory is what the stream has
    AcquisitionPtr acquisition;      // that the stream runs with
    std::int64_t checked_ns = 0;     // when a frame was looked through for clipping
    bool asked_for_credits = false;  // of the thread at the sockets, which has not come to it yet; under mutex_
  };

  // With `lock`, until `holds()`; false when `stop` is requested first.
  template <class Holds>
  bool wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, const Holds& holds);
  void serve(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void name_frames(std::uint64_t first);
  [[nodiscard]] double frame_time_s(const FrameWord& word, std::int64_t now_ns);
  void give_back(FrameMemory memory);
  void drop_queue();
  void check(std::span<std::byte> samples);
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
  LiveScanPtr scan_;      // the last one that was accepted
  LiveScanPtr streamed_;  // that the stream runs with
  std::uint32_t generation_ = 0;
  bool issues_credits_ = false;  // a stream runs, and has blocks
  struct {
    bool described = false;  // it has described its frames
    bool inlined = false;    // samples come over the socket: they are received beside the producer's work
  } sender_;                 // that is here
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
