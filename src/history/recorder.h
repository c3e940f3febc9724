// Records every processed frame of the running stream, in order: a sink between the ring and the history that holds the
// frames' memory until its own thread has written them. Nothing is copied: memory that the history does not need is
// kept here and the ring gets other memory for it. Except frames in a mapped file: the library cannot continue after a
// write that fails halfway, and a file may be lost at any time.
//
// Crash safety. A frame is safe once it is written and the file flushed after it (the system's own cache outlives the
// program). A source that can wait (block) does, so that unsafe frames, also those in the ring, were acquired within
// kUnsafeNs: ready() uses the clock alone, whatever delays the disk or this thread. Sources that cannot wait fill the
// queue, and RecorderStatus reports how far the file was behind.
//
// A full queue follows the ring's policy, and no loss is silent:
//   block, error              no frame is acquired (ready()): the source waits, or the stream stops with a report
//   drop-oldest, drop-newest  the oldest waiting frame, or the new one, is not recorded, and counted
// A failing or full disk ends the recording; the file is completed and the stream continues.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/units.h"
#include "history/file_sinks.h"

namespace echoloop {

struct RecorderOptions {
  std::size_t queue_bytes = std::size_t{1} << 30;  // of waiting frames; exceeded by at most the ring's slots
  // For tests: slow or failing (throwing Error) disk; replacement of the stamps' clock. [recorder's thread]
  std::function<void(const RfFrame&)> before_write = {};
  std::function<void()> before_flush = {};
  std::function<void(std::uint64_t frames)> flushed = {};  // number of safe frames
  std::function<std::int64_t()> clock_ns = now_ns;         // any thread
};

enum class RecorderState { idle, recording, finishing, ended };

struct RecorderStatus {
  RecorderState state = RecorderState::idle;
  std::filesystem::path path;
  std::uint64_t frames = 0;  // in the file
  std::uint64_t not_recorded = 0;
  std::uint64_t bytes = 0;     // of samples in the file
  double seconds = 0.0;        // since the start, at most until the end
  std::size_t waiting = 0;     // frames in the queue
  double most_behind_s = 0.0;  // longest time from a frame's acquisition until it was safe
  std::string problem;         // reason of an end before stop(); empty = none
};

class Recorder final : public FrameSink {
 public:
  // `next` is offered each frame as if the recorder were absent; null: none.
  explicit Recorder(FrameSink* next, RecorderOptions options = {}) : next_(next), options_(std::move(options)) {}
  ~Recorder() override { finish(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Writes frames of `frame_bytes` to `file`, on a new thread. Before the stream's first frame, or while it runs.
  // start() must not be called again before status() shows the end. [UI or main thread]
  void start(std::unique_ptr<FrameFile> file, std::size_t frame_bytes);
  void stop();    // ends the recording after the waiting frames; returns at once [UI or main thread]
  void finish();  // stop(), then waits until the file is complete [UI or main thread]

  // Same as RfHistory's: begins a stream, with frames of the recorded acquisition; ends it.
  void begin(HistoryFeed feed) override;
  void end() override;
  void set_policy(RingPolicy policy) override { policy_ = policy; }

  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;  // processing thread
  [[nodiscard]] bool ready(const RingLoad& ring) const override;
  [[nodiscard]] RecorderStatus status() const;  // any thread

  // Age limit of unsafe frames if the source can wait: a crash loses no older ones.
  static constexpr std::int64_t kUnsafeNs = 400'000'000;

 private:
  struct Waiting {
    RfFrame frame;
    FrameMemory memory;       // keeps the frame
    bool taken_over = false;  // owned here, reusable for another frame
  };

  // Read without the lock, by ready().
  struct Estimates {
    std::atomic<std::size_t> waiting_bytes{0};     // including the frame being written
    std::atomic<std::int64_t> unsafe_since_ns{0};  // acquisition of the oldest unsafe frame; 0: none
    std::atomic<std::int64_t> will_wait_ns{0};     // queueing time of a frame that comes now
    std::atomic<std::int64_t> keep_ns{0};          // recent time of frames from acquisition to offer()
  };
  struct Times {
    std::int64_t unflushed_since_ns = 0;  // acquisition of the oldest frame not yet flushed; 0: none
    std::int64_t flushed_ns = 0;          // time of the last flush
    std::int64_t kept_ns = 0;             // arrival of the last frame
    std::int64_t write_ns = 0;            // recent writing time per frame
    std::int64_t began_ns = 0, ended_ns = 0;
  };

  void run();
  [[nodiscard]] std::span<const std::byte> stable(std::span<const std::byte> samples);
  void write_all(FrameFile& writer);
  void write(FrameFile& writer, Waiting item);
  void flush(FrameFile& writer);
  void count_safe();
  [[nodiscard]] bool flush_is_due() const;
  [[nodiscard]] std::chrono::nanoseconds until_flush() const;
  void settle(Waiting& item, std::uint64_t RecorderStatus::*count);
  void end_file(FrameFile& writer);
  void fail(const std::string& why);
  void put(Waiting item);
  void drop_front();
  void update_estimates();
  [[nodiscard]] FrameMemory other_memory(std::size_t bytes);

  FrameSink* next_;
  const RecorderOptions options_;
  std::atomic<RingPolicy> policy_{RingPolicy::block};
  std::atomic<bool> counting_{false};   // incoming frames are recorded, or counted as not recorded
  std::atomic<bool> recording_{false};  // they are recorded
  Estimates estimates_;
  std::unique_ptr<FrameFile> writer_;  // of start(); then owned by the recorder's thread
  std::thread thread_;
  std::vector<std::byte> copy_;  // of a frame that may be lost; recorder's thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below under mutex_.
  HistoryFeed feed_;
  std::shared_ptr<const void> lender_;  // keeps frames lent in place; null: frames are in slots
  bool stopping_ = false;
  std::deque<Waiting> queue_;
  std::vector<FrameMemory> spare_;
  Times times_;
  RecorderStatus status_;
};

}  // namespace echoloop
