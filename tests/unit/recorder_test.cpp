// What a killed program may lose, with a disk and a clock in the test's hands: no frame is acquired by a source that
// can wait while one that is older than Recorder::kUnsafeNs is not in the flushed file.
#include "history/recorder.h"

#include <condition_variable>

#include "history/hdf5_recording.h"
#include "support/history_rig.h"
#include "support/numbered_frames.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"
#include "support/uff_file.h"

namespace echoloop::recorder_test {
namespace {

using namespace testing;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLimit = Recorder::kUnsafeNs;
const Acquisition kAcquisition = testing::integer_acquisition(4, 64);

std::unique_ptr<FrameFile> uff_file(const std::filesystem::path& path) {
  return std::make_unique<Hdf5Writer>(path, testing::share(kAcquisition), RecordingAbout{.version = "test"});
}

// Lets a thread pass so many times.
class Turnstile {
 public:
  void allow(int times) {
    {
      const std::scoped_lock lock(mutex_);
      left_ += times;
    }
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [this] { return left_ > 0; });
    --waiting_;
    --left_;
  }
  [[nodiscard]] bool somebody_waits() const {
    const std::scoped_lock lock(mutex_);
    return waiting_ > 0;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int left_ = 0;
  int waiting_ = 0;
};

constexpr int kAlways = 1'000'000;

struct Rig {
  Rig() {
    recorder.set_policy(RingPolicy::block);
    recorder.begin({.frame_bytes = kAcquisition.frame_bytes(),
                    .kind = HostMemory::pageable,
                    .allocate = [](std::size_t bytes) { return slot_memory(bytes); },
                    .lend = nullptr});
  }
  ~Rig() {
    writes.allow(kAlways);
    flushes.allow(kAlways);
    recorder.finish();
  }
  void start() { recorder.start(uff_file(folder / "a.uff"), kAcquisition.frame_bytes()); }
  // A frame that was acquired so long ago has been processed.
  void put(std::int64_t age_ns = 0) {
    FrameMemory memory = slot_memory(kAcquisition.frame_bytes());
    testing::number_frame(memory.bytes, next);
    const FrameStamp stamp{.sequence = next, .source_index = next, .acquired_ns = clock_ns - age_ns};
    ++next;
    (void)recorder.offer({.stamp = stamp, .samples = memory.bytes}, memory);
  }
  // At this moment, with so many frames in the ring, the oldest of them acquired then.
  [[nodiscard]] bool ready(std::int64_t now_ns, int in_ring = 0, std::int64_t oldest_ns = 0) const {
    return recorder.ready({.now_ns = now_ns, .oldest_ns = oldest_ns, .frames = in_ring});
  }
  void expect_room_until(std::int64_t last_ns) const {
    EXPECT_TRUE(ready(last_ns));
    EXPECT_FALSE(ready(last_ns + 1));
  }

  TemporaryFolder folder;
  Turnstile writes, flushes;
  std::atomic<std::int64_t> clock_ns{1'000'000 * kMs};
  std::atomic<std::uint64_t> safe{0};
  std::uint64_t next = 0;
  Recorder recorder{nullptr,
                    {.before_write = [this](const RfFrame&) { writes.pass(); },
                     .before_flush = [this] { flushes.pass(); },
                     .flushed = [this](std::uint64_t frames) { safe = frames; },
                     .clock_ns = [this] { return clock_ns.load(); }}};
};

TEST(RecorderUnsafe, FramesThatWaitForTheDiskHoldTheSourceUp) {
  Rig rig;
  EXPECT_TRUE(rig.ready(rig.clock_ns));
  rig.start();
  const std::int64_t first = rig.clock_ns;
  EXPECT_TRUE(rig.ready(first + 100 * kLimit));  // nothing is at risk
  rig.put();
  wait_until([&] { return rig.writes.somebody_waits(); });
  rig.expect_room_until(first + kLimit);  // it is being written
  rig.clock_ns += 10 * kMs;
  rig.put();
  rig.expect_room_until(first + kLimit);  // the oldest counts
}

TEST(RecorderUnsafe, AFrameThatIsWrittenIsSafeAfterTheFlushOnly) {
  Rig rig;
  rig.start();
  const std::int64_t first = rig.clock_ns;
  rig.put();
  rig.writes.allow(1);
  wait_until([&] { return rig.recorder.status().frames == 1; });
  rig.expect_room_until(first + kLimit);
  rig.clock_ns = first + 300 * kMs;  // a flush is due
  wait_until([&] { return rig.flushes.somebody_waits(); });
  rig.expect_room_until(first + kLimit);
  const std::int64_t second = rig.clock_ns;
  rig.put();  // while the flush goes on
  EXPECT_FALSE(rig.ready(first + kLimit + 1));
  rig.flushes.allow(1);
  wait_until([&] { return rig.safe == 1; });
  wait_until([&] { return rig.ready(first + kLimit + 1); });
  rig.expect_room_until(second + kLimit);
  EXPECT_NEAR(rig.recorder.status().most_behind_s, 0.3, 1e-9);
}

TEST(RecorderUnsafe, FramesInTheRingCount) {
  Rig rig;
  rig.start();
  const std::int64_t now = rig.clock_ns;
  EXPECT_TRUE(rig.ready(now, 1, now - kLimit));
  EXPECT_FALSE(rig.ready(now, 1, now - kLimit - 1));
  rig.recorder.stop();
  EXPECT_TRUE(rig.ready(now, 1, now - kLimit - 1));
}

// Nothing is known yet of how fast the disk is: a slow one is assumed.
TEST(RecorderUnsafe, ABurstBeforeTheFirstWriteIsBounded) {
  Rig rig;
  rig.start();
  int frames = 0;
  while (rig.ready(rig.clock_ns) && frames < 100'000) {
    rig.put();  // all at the same moment
    ++frames;
  }
  EXPECT_GT(frames, 50);
  EXPECT_LT(frames, 1000);
}

TEST(RecorderUnsafe, TheSourceWaitsForSlowProcessingToo) {
  Rig rig;
  rig.writes.allow(kAlways);
  rig.flushes.allow(kAlways);
  rig.start();
  for (int i = 0; i < 20; ++i) {  // a frame a second comes from the ring
    rig.clock_ns += 1000 * kMs;
    rig.put(1000 * kMs);
  }
  wait_until([&] { return rig.ready(rig.clock_ns); });
  EXPECT_TRUE(rig.ready(rig.clock_ns, 1, rig.clock_ns));  // one may always wait, or there would be no stream
  EXPECT_FALSE(rig.ready(rig.clock_ns, 2, rig.clock_ns));
}

TEST(RecorderUnsafe, SourcesThatCannotWaitAreNotHeldUpAndItIsSaid) {
  for (const RingPolicy policy : {RingPolicy::error, RingPolicy::drop_oldest, RingPolicy::drop_newest}) {
    Rig rig;
    rig.recorder.set_policy(policy);
    rig.start();
    rig.put();
    rig.clock_ns += 3000 * kMs;
    EXPECT_TRUE(rig.ready(rig.clock_ns));
    rig.writes.allow(kAlways);
    rig.flushes.allow(kAlways);
    wait_until([&] { return rig.safe == 1; });
    rig.recorder.finish();
    EXPECT_NEAR(rig.recorder.status().most_behind_s, 3.0, 1e-9);
    EXPECT_EQ(rig.recorder.status().not_recorded, 0U);
  }
}

TEST(RecorderUnsafe, ADiskThatFailsHoldsNobodyUp) {
  std::atomic<std::int64_t> clock_ns{1000 * kMs};
  Recorder recorder(nullptr, {.before_write = [](const RfFrame&) { throw std::runtime_error("the disk is full"); },
                              .clock_ns = [&] { return clock_ns.load(); }});
  const TemporaryFolder folder;
  recorder.start(uff_file(folder / "a.uff"), kAcquisition.frame_bytes());
  recorder.begin({.frame_bytes = kAcquisition.frame_bytes(),
                  .kind = HostMemory::pageable,
                  .allocate = [](std::size_t bytes) { return slot_memory(bytes); },
                  .lend = nullptr});
  FrameMemory memory = slot_memory(kAcquisition.frame_bytes());
  (void)recorder.offer({.stamp = {.acquired_ns = clock_ns}, .samples = memory.bytes}, memory);
  wait_until([&] { return recorder.status().state == RecorderState::ended; });
  EXPECT_TRUE(recorder.ready({.now_ns = clock_ns + 100 * kLimit, .oldest_ns = clock_ns, .frames = 8}));
}

// While the disk hangs: what was safe before is in a file that opens, as a killed program would leave it.
TEST(RecorderUnsafe, WhatIsSafeIsInTheFile) {
  Rig rig;
  rig.writes.allow(3);
  rig.flushes.allow(1);
  rig.start();
  for (int i = 0; i < 3; ++i) rig.put();
  wait_until([&] { return rig.recorder.status().frames == 3; });
  rig.clock_ns += 200 * kMs;
  wait_until([&] { return rig.safe == 3; });
  rig.put();
  wait_until([&] { return rig.writes.somebody_waits(); });
  std::filesystem::copy(rig.folder / "a.uff.partial", rig.folder / "as_if_killed");
  const testing::UffFile file(rig.folder / "as_if_killed", testing::Opened::killed);
  ASSERT_TRUE(file.is_open());
  EXPECT_EQ(file.frames(), 3U);
}

}  // namespace
}  // namespace echoloop::recorder_test
