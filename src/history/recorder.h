// Records the stream that runs, every frame that is processed, in order: it stands between the ring and the history and
// holds the frames' memory until its own thread has written them. Nothing is copied: memory that the history does not
// want is kept here and the ring gets other memory for it. Frames that lie in a mapped file are the exception: the
// library cannot continue after a write that fails halfway, and a file may be lost at any time.
//
// What a killed program leaves. A frame is safe once it is written and the file flushed after it (the system's own
// cache outlives the program). A source that can wait (block) does, so that frames that are not safe, those in the ring
// too, were acquired within kUnsafeNs: ready() looks at the clock alone, whatever keeps the disk or this thread
// busy. Sources that cannot wait fill the queue, and RecorderStatus says how far the file was behind.
//
// A full queue follows the ring's policy, and nothing is lost silently:
//   block, error              no frame is acquired (ready()): the source waits, or the stream stops with a report
//   drop-oldest, drop-newest  the oldest waiting frame, or the new one, is not recorded, and counted
// A disk that fails or is full ends the recording; what was written is ended properly, the stream goes on.
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
  std::size_t queue_bytes = std::size_t{1} << 30;  // of frames that wait; as many more as the ring has slots may come
  // For tests: a slow disk, or one that fails by throwing Error; another clock than the stamps'. [recorder's thread]
  std::function<void(const RfFrame&)> before_write = {};
  std::function<void()> before_flush = {};
  std::function<void(std::uint64_t frames)> flushed = {};  // so many are safe now
  std::function<std::int64_t()> clock_ns = now_ns;         // any thread
};

enum class RecorderState { idle, recording, finishing, ended };

struct RecorderStatus {
  RecorderState state = RecorderState::idle;
  std::filesystem::path path;
  std::uint64_t frames = 0;  // in the file
  std::uint64_t not_recorded = 0;
  std::uint64_t bytes = 0;     // of samples in the file
  double seconds = 0.0;        // since the beginning, at most until the end
  std::size_t waiting = 0;     // frames in the queue
  double most_behind_s = 0.0;  // the longest time from a frame's acquisition until it was safe
  std::string problem;         // why it ended before stop(); empty = it did not
};

class Recorder final : public FrameSink {
 public:
  // `next` is offered each frame as well, as if the recorder were not there; null: there is none.
  explicit Recorder(FrameSink* next, RecorderOptions options = {}) : next_(next), options_(std::move(options)) {}
  ~Recorder() override { finish(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Writes frames of `frame_bytes` to `file`, on a thread for it. Before the stream's first frame, or while it runs.
  // Between start() and the end that status() shows there is no other start(). [UI or main thread]
  void start(std::unique_ptr<FrameFile> file, std::size_t frame_bytes);
  void stop();    // no further frame; what waits will be written. Returns at once [UI or main thread]
  void finish();  // stop(), and waits until the file is ended [UI or main thread]

  // As RfHistory's: a stream begins, with frames of the acquisition that is recorded; it ends.
  void begin(HistoryFeed feed) override;
  void end() override;
  void set_policy(RingPolicy policy) override { policy_ = policy; }

  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;  // processing thread
  [[nodiscard]] bool ready(const RingLoad& ring) const override;
  [[nodiscard]] RecorderStatus status() const;  // any thread

  // Where the source can wait, a killed program loses the frames of so long before its end, and no older ones.
  static constexpr std::int64_t kUnsafeNs = 400'000'000;

 private:
  struct Waiting {
    RfFrame frame;
    FrameMemory memory;       // keeps the frame
    bool taken_over = false;  // the memory is ours, and can be used for another frame
  };

  // Read without the lock, for ready().
  struct Estimates {
    std::atomic<std::size_t> waiting_bytes{0};     // with the frame that is being written
    std::atomic<std::int64_t> unsafe_since_ns{0};  // the oldest frame that is not safe was acquired; 0: there is none
    std::atomic<std::int64_t> will_wait_ns{0};     // how long a frame that came now would wait in the queue
    std::atomic<std::int64_t> keep_ns{0};          // how long frames took of late from acquisition to offer()
  };
  struct Times {
    std::int64_t unflushed_since_ns = 0;  // when the oldest frame that no flush has made safe was acquired; 0: none
    std::int64_t flushed_ns = 0;          // when the last flush was
    std::int64_t kept_ns = 0;             // when the last frame came
    std::int64_t write_ns = 0;            // how long writing a frame took of late
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
  std::atomic<bool> counting_{false};   // frames that come are recorded, or counted as not recorded
  std::atomic<bool> recording_{false};  // they are recorded
  Estimates estimates_;
  std::unique_ptr<FrameFile> writer_;  // of start(), then the recorder's thread has it
  std::thread thread_;
  std::vector<std::byte> copy_;  // of a frame that may be lost; the recorder's thread has it
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below under mutex_.
  HistoryFeed feed_;
  std::shared_ptr<const void> lender_;  // keeps frames that are lent in place; null: frames lie in slots
  bool stopping_ = false;
  std::deque<Waiting> queue_;
  std::vector<FrameMemory> spare_;
  Times times_;
  RecorderStatus status_;
};

}  // namespace echoloop
