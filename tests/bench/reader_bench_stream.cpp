#include "reader_bench_stream.h"

#include <sched.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "source/source.h"
#include "support/waiting.h"

namespace echoloop {
namespace {

// Keeps the compiler from removing the reads.
volatile std::uint64_t touched = 0;

void touch(std::span<const std::byte> frame) {  // reads every cache line, as a consumer
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < frame.size(); k += 64) sum += static_cast<std::uint64_t>(frame[k]);
  touched = sum;
}

// Returns the processor seconds used by this process and `reader`.
double computing_s(pid_t reader) {
  const auto read_s = [](clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  clockid_t clock{};
  const bool has_reader = reader != 0 && ::clock_getcpuclockid(reader, &clock) == 0;
  return read_s(CLOCK_PROCESS_CPUTIME_ID) + (has_reader ? read_s(clock) : 0.0);
}

// Keeps a thread (0: this one) or a process on one processor during its lifetime. With the scheduler's choice, reader
// and consumer of frames share a processor by chance; then a frame stays in its cache and all is twice as fast. In the
// program both are busy, each on a processor of its own.
class StaysOn {
 public:
  StaysOn(pid_t who, std::size_t processor) : who_(who) {
    ::sched_getaffinity(who_, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    ::sched_setaffinity(who_, sizeof only, &only);
  }
  ~StaysOn() { ::sched_setaffinity(who_, sizeof before_, &before_); }
  StaysOn(const StaysOn&) = delete;
  StaysOn& operator=(const StaysOn&) = delete;

 private:
  pid_t who_;
  cpu_set_t before_{};
};

}  // namespace

Stream::Stream(Recording recording, std::size_t history_bytes, pid_t reader)
    : source_(make_replay(std::move(recording))), history_(history_bytes), reader_(reader) {
  const std::size_t frame_bytes = source_->acquisition()->frame_bytes();
  const auto allocate = [this](std::size_t bytes) { return source_->allocate(bytes); };
  HistoryFeed feed{.frame_bytes = frame_bytes, .kind = HostMemory::pageable, .allocate = allocate, .lend = nullptr};
  std::vector<FrameMemory> slots(8);
  if (source_->zero_copy()) {
    feed.lend = [](std::uint64_t) { return KeptFrame{}; };
  } else {
    for (FrameMemory& slot : slots) slot = allocate(frame_bytes);
    source_->read_ahead_in(allocate);
  }
  history_.begin(std::move(feed));
  ring_ = std::make_unique<FrameRing>(std::move(slots), RingPolicy::block, RingCounts{}, &history_);
  fill_history();
}

// Plays until the history is full.
void Stream::fill_history() {
  std::size_t bytes = 0;
  do {
    bytes = history_.extent().bytes;
    play(64);
  } while (testing::holds_within(std::chrono::seconds(1), [&] { return history_.extent().bytes > bytes; }));
}

// Contents of caches and read-ahead from the last turn are consumed before the clock starts.
Turn Stream::play(std::uint64_t n_frames) {
  const std::uint64_t before = 12 + (std::size_t{17} << 20) / source_->acquisition()->frame_bytes();
  std::optional<StaysOn> reading;
  if (reader_ != 0) reading.emplace(reader_, 1);
  std::jthread producer([&] {
    std::optional<StaysOn> reading_here;
    if (reader_ == 0) reading_here.emplace(0, 1);
    for (std::uint64_t k = 0; k < before + n_frames; ++k, ++next_) {
      FrameRing::WriteLease lease = ring_->begin_write(next_);
      const std::uint64_t index = next_ % frame_count();
      const std::span<const std::byte> samples = source_->at(index, lease.frame_memory());
      lease.publish({.sequence = next_, .source_index = index, .acquired_ns = 0, .time_s = 0.0}, samples);
    }
  });
  const StaysOn taking(0, 0);
  std::chrono::steady_clock::time_point begin;
  double begin_s = 0.0;
  for (std::uint64_t k = 0; k < before + n_frames; ++k) {
    if (k == before) begin = std::chrono::steady_clock::now(), begin_s = computing_s(reader_);
    const auto lease = ring_->begin_read(std::chrono::hours(1));
    touch(lease->frame().samples);
  }
  const double n = static_cast<double>(n_frames), computed_s = computing_s(reader_) - begin_s;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {.frames_per_second = n / took.count(), .computing_us = 1e6 * computed_s / n};
}

}  // namespace echoloop
