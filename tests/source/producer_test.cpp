// The producer's thread: pace, rate, what is injected, pauses and ends. A reader takes each frame at once and notes
// when it was published. Nothing here fails because a frame comes late.
#include "source/producer.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/units.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/ring_rig.h"
#include "support/waiting.h"

namespace echoloop::producer_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class TinySource final : public SeekableSource {
 public:
  explicit TinySource(std::uint64_t frames) : frames_(frames) {}
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "tiny"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return frames_; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override {
    if (index == waits_at) {  // for a frame that does not come
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait(lock, stop, [] { return false; });
      throw Error("tiny", "reading was stopped", "a complete read");
    }
    if (index == fails_at) throw Error("tiny", "it is over", "a longer one");
    return slot.bytes;
  }
  std::uint64_t fails_at = ~std::uint64_t{0}, waits_at = ~std::uint64_t{0};

 private:
  std::uint64_t frames_;
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(1, 2));
};

struct Rig {
  explicit Rig(const ProducerOptions& options, std::uint64_t frames = 0, int slots = 4,
               RingPolicy policy = RingPolicy::block)
      : source(frames),
        ring(testing::slot_memories(slots, source.acquisition()->frame_bytes()), policy),
        producer(source, ring, trace, options) {}
  ~Rig() { ring.close(); }

  // Reads frames until `enough` says so, at most for `limit`.
  void read_until(const std::function<bool()>& enough, std::chrono::nanoseconds limit) {
    const auto end = Clock::now() + limit;
    while (!enough() && Clock::now() < end) {
      auto lease = ring.begin_read(5ms);
      if (!lease) continue;
      stamps.push_back(lease->frame().stamp);
      lease->release();
      ring.count_processed();
    }
  }
  void read(std::size_t n) {
    read_until([&] { return stamps.size() >= n; }, 20s);
  }
  void read_for(std::chrono::nanoseconds time) {
    read_until([] { return false; }, time);
  }
  // Milliseconds from the first frame's publication to frame i's.
  [[nodiscard]] double at_ms(std::size_t i) const {
    return static_cast<double>(stamps[i].acquired_ns - stamps[0].acquired_ns) * 1e-6;
  }

  TinySource source;
  TimingTrace trace{256};
  FrameRing ring;
  std::vector<FrameStamp> stamps;
  Producer producer;
};

// A frame may come late on a busy machine, but never early. Rates as they are kept: frame_schedule_test.cpp.
TEST(Producer, ARecordingPlaysAtARateThatShowsIt) {
  Acquisition a = testing::linear_acquisition(1, 2);
  for (const auto& [recorded_hz, plays_hz] :
       {std::pair{0.0003, 0.2}, {0.5, 0.5}, {30.0, 30.0}, {10'000.0, 50.0}, {0.0, 50.0}}) {
    a.frame_rate_hz = recorded_hz;
    EXPECT_EQ(default_rate_hz(a), plays_hz) << recorded_hz;
  }
}

TEST(Producer, NoFrameComesBeforeItsTime) {
  const std::int64_t begin = now_ns();
  Rig rig({.rate_hz = 500.0});
  rig.read(101);
  ASSERT_EQ(rig.stamps.size(), 101U);
  for (std::size_t i = 0; i < 101; ++i) {
    EXPECT_GE(rig.stamps[i].acquired_ns, begin + 2'000'000 * static_cast<std::int64_t>(i));
    EXPECT_EQ(rig.stamps[i].sequence, i);
  }
}

TEST(Producer, TheSlowestRateThatAFileCanSayIsKept) {
  Rig rig({.rate_hz = 1e-300});
  rig.read(1);
  rig.read_for(50ms);
  EXPECT_EQ(rig.stamps.size(), 1U);
}

TEST(Producer, UnpacedItWaitsForNothing) {
  Rig rig({.rate_hz = kRateMax});
  rig.read(2000);
  EXPECT_EQ(rig.stamps.size(), 2000U);
}

TEST(Producer, PaceIsTheLeastRestAfterEachFrame) {
  Rig rig({.rate_hz = kRateMax, .pace_ms = 5.0});
  rig.read(41);
  ASSERT_EQ(rig.stamps.size(), 41U);
  for (std::size_t i = 1; i < 41; ++i) EXPECT_GE(rig.at_ms(i) - rig.at_ms(i - 1), 5.0) << i;
}

TEST(Producer, DuplicatesComeTwiceWithTheirNumber) {
  Rig rig({.rate_hz = kRateMax, .inject = {.duplicate_every = 5}});
  rig.read(120);
  ASSERT_EQ(rig.stamps.size(), 120U);
  std::size_t i = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    EXPECT_EQ(rig.stamps[i++].sequence, n);
    if (n % 5 == 4) {
      EXPECT_EQ(rig.stamps[i++].sequence, n);
    }
  }
  EXPECT_EQ(i, 120U);
  EXPECT_GE(rig.ring.counts().duplicates, 20U);
  EXPECT_EQ(rig.ring.counts().sequence_gaps, 0U);
}

TEST(Producer, MissingNumbersNeverComeAndAreGaps) {
  Rig rig({.rate_hz = kRateMax, .inject = {.missing_every = 4}});
  rig.read(90);
  ASSERT_EQ(rig.stamps.size(), 90U);
  std::size_t i = 0;
  for (std::uint64_t n = 0; n < 120; ++n) {
    if (n % 4 != 3) {
      EXPECT_EQ(rig.stamps[i++].sequence, n);
    }
  }
  rig.ring.close();
  const RingCounts c = rig.ring.counts();
  EXPECT_EQ(c.sequence_gaps, c.next_sequence - c.produced);
  EXPECT_GE(c.sequence_gaps, 29U);
  EXPECT_EQ(c.duplicates, 0U);
}

TEST(Producer, AChangedRateDoesNotWaitOutTheOldPeriod) {
  ProducerOptions options{.rate_hz = 1e-6};  // days
  Rig rig(options);
  rig.read(1);
  options.rate_hz = 100.0;
  rig.producer.set(options);
  rig.read(11);
  EXPECT_EQ(rig.stamps.size(), 11U);
}

TEST(Producer, AShorterPaceEndsTheOldRest) {
  ProducerOptions options{.rate_hz = kRateMax, .pace_ms = 1e9};
  Rig rig(options);
  rig.read(1);
  options.pace_ms = 1.0;
  rig.producer.set(options);
  rig.read(11);
  EXPECT_EQ(rig.stamps.size(), 11U);
}

TEST(Producer, InjectionTurnedOffWhileItRunsIsOver) {
  ProducerOptions options{.rate_hz = kRateMax, .inject = {.missing_every = 2}};
  Rig rig(options, 0, 2);
  rig.read(10);
  options.inject = {};
  rig.producer.set(options);
  rig.read(30);  // what was on its way
  const RingCounts before = rig.ring.counts();
  rig.read(200);
  EXPECT_GT(before.sequence_gaps, 0U);
  EXPECT_EQ(rig.ring.counts().sequence_gaps, before.sequence_gaps);
}

TEST(Producer, ARefusalEndsItAndItsReportNamesFrameAndSlot) {
  Rig rig({.rate_hz = kRateMax, .first_sequence = 100}, 0, 3, RingPolicy::error);
  testing::wait_until([&] { return rig.producer.state() != ProducerState::running; });
  EXPECT_EQ(rig.producer.state(), ProducerState::refused);
  const std::string report = rig.producer.report();
  for (const char* part : {"frame 103", "slot 1 of 3", "waiting", "frame 100", "ms old", "To continue"}) {
    EXPECT_TRUE(testing::contains(report, part)) << report << " does not say " << part;
  }
  EXPECT_FALSE(testing::contains(report, "\n"));
  EXPECT_EQ(rig.producer.next_sequence(), 104U) << "the refused frame has been: it does not come again";
}

TEST(Producer, AFrameThatCouldNotBeHadComesAgainAfterARestart) {
  Rig rig({.rate_hz = kRateMax, .first_sequence = 7}, 10, 4);
  rig.source.fails_at = 3;  // 13 of a circle of 10
  rig.read_until([&] { return rig.producer.state() != ProducerState::running; }, 20s);
  EXPECT_EQ(rig.producer.state(), ProducerState::failed);
  const std::uint64_t failed_at = rig.producer.next_sequence();
  EXPECT_EQ(failed_at % 10, 3U);
  EXPECT_EQ(rig.ring.counts().next_sequence, failed_at);
  EXPECT_EQ(rig.ring.counts().slots_writing, 0);
}

TEST(Producer, PausedItRestsAndGoesOnWhereItWas) {
  ProducerOptions options{.rate_hz = 2000.0};
  Rig rig(options);
  rig.read(20);
  options.paused = true;
  rig.producer.set(options);
  const std::uint64_t produced = rig.ring.counts().produced;
  rig.read_for(80ms);
  EXPECT_LE(rig.ring.counts().produced, produced + 1) << "the one that was on its way";
  options.paused = false;
  rig.producer.set(options);
  rig.read(rig.stamps.size() + 20);
  for (std::size_t i = 0; i < rig.stamps.size(); ++i) EXPECT_EQ(rig.stamps[i].sequence, i);
}

TEST(Producer, WithoutLoopItEndsAtTheRecordingsEndUntilTheLoopIsTurnedOn) {
  ProducerOptions options{.rate_hz = kRateMax, .loop = false};
  Rig rig(options, 6, 8);
  rig.read_until([&] { return rig.producer.state() == ProducerState::ended; }, 20s);
  rig.read(6);
  rig.read_for(20ms);
  EXPECT_EQ(rig.stamps.size(), 6U);
  options.loop = true;
  rig.producer.set(options);
  rig.read(20);
  ASSERT_EQ(rig.stamps.size(), 20U);
  EXPECT_EQ(rig.stamps[6].sequence, 6U);
  EXPECT_EQ(rig.stamps[6].source_index, 0U);
  EXPECT_EQ(rig.producer.state(), ProducerState::running);
}

TEST(Producer, StopEndsTheWaitForAFrame) {
  TinySource source(0);
  source.waits_at = 2;
  TimingTrace trace{256};
  FrameRing ring(testing::slot_memories(4, source.acquisition()->frame_bytes()), RingPolicy::block);
  Producer producer(source, ring, trace, {.rate_hz = kRateMax});
  const auto end = Clock::now() + 20s;
  while (producer.next_sequence() < 2 && Clock::now() < end) std::this_thread::yield();
  producer.stop();
  while (producer.state() == ProducerState::running && Clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(producer.state(), ProducerState::ended);
  EXPECT_EQ(producer.report(), "");  // no fault of the source
}

}  // namespace
}  // namespace echoloop::producer_test
