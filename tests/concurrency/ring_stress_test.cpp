// The ring between two threads that never rest and observers that never stop looking: counts are exact at every moment.
// And parameters set while frames are processed: none is torn.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "support/fake_backend.h"
#include "support/numbered_frames.h"
#include "support/ring_rig.h"
#include "support/streaming.h"

namespace echoloop::ring_stress_test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kFrames = 50'000;
#else
constexpr std::uint64_t kFrames = 200'000;
#endif

// Samples the counts from a thread of its own for as long as it lives.
class CountsObserver {
 public:
  explicit CountsObserver(const FrameRing& ring) {
    thread_ = std::thread([this, &ring] {
      RingCounts before{};
      while (!stop_) {
        const RingCounts c = ring.counts();
        if (c.produced != c.processed + c.dropped + c.refused + c.in_flight) ++wrong_;
        if (c.produced < before.produced || c.processed < before.processed) ++wrong_;
        if (c.slots_ready + c.slots_reading + c.slots_writing > c.slots) ++wrong_;
        before = c;
        ++samples_;
        std::this_thread::yield();
      }
    });
  }
  ~CountsObserver() {
    stop_ = true;
    thread_.join();
    EXPECT_EQ(wrong_, 0);
    EXPECT_GT(samples_, 0);
  }
  CountsObserver(const CountsObserver&) = delete;
  CountsObserver& operator=(const CountsObserver&) = delete;

 private:
  std::atomic<bool> stop_{false};
  int wrong_ = 0;
  int samples_ = 0;
  std::thread thread_;
};

// Reads until the ring is drained: every frame whole and later than the one before.
void read_all(FrameRing& ring, std::uint64_t& frames) {
  std::uint64_t next = 0;
  while (!ring.drained()) {
    auto lease = ring.begin_read(std::chrono::milliseconds(1));
    if (!lease) continue;
    const RfFrame& frame = lease->frame();
    ASSERT_TRUE(testing::is_whole(frame));
    ASSERT_GE(frame.stamp.sequence, next);
    next = frame.stamp.sequence + 1;
    if (frame.stamp.sequence % 7 == 0) std::this_thread::yield();
    lease->release();
    ring.count_processed();
    ++frames;
  }
}

TEST(RingStress, PoliciesSwitchedAtRandomWhileFramesFlow) {
  FrameRing ring(testing::slot_memories(3, 256), RingPolicy::block);
  std::uint64_t read = 0;
  std::thread reader([&] { read_all(ring, read); });
  std::atomic<bool> ended{false};
  std::thread switcher([&] {
    std::mt19937 engine(11);
    constexpr RingPolicy kPolicies[] = {RingPolicy::block, RingPolicy::drop_oldest, RingPolicy::drop_newest,
                                        RingPolicy::error};
    while (!ended) {
      ring.set_policy(kPolicies[engine() % 4]);
      if (engine() % 3 == 0) ring.wake();
      testing::take_time(std::chrono::microseconds(engine() % 300));
    }
  });
  std::uint64_t n = 0;
  {
    const CountsObserver observer(ring);
    for (; n < kFrames || ring.counts().processed < kFrames / 10; ++n) {
      auto lease = ring.begin_write(n);
      if (lease.outcome() != FrameRing::WriteLease::Outcome::slot) continue;
      testing::number_frame(lease.frame_memory().bytes, n);
      const std::span<const std::byte> samples = lease.frame_memory().bytes;
      lease.publish({.sequence = n, .source_index = n}, samples);
    }
    ended = true;
    switcher.join();
    ring.close();
    reader.join();
  }
  const RingCounts c = ring.counts();
  EXPECT_EQ(c.produced, n);
  EXPECT_EQ(c.in_flight, 0U);
  EXPECT_EQ(c.processed, read);
  EXPECT_EQ(c.copied, read);
  EXPECT_EQ(c.processed + c.dropped + c.refused, n);
  EXPECT_EQ(c.sequence_gaps + c.duplicates, 0U);
}

TEST(Parameters, FromTheUiThreadAtFullSpeedTearNothing) {
  const auto source = std::make_shared<testing::NumberedSource>();
  testing::FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace(64);
  ImagingParams base = testing::small_picture(*source->acquisition(), 4, 4);
  base.level.reference_db = 0.0;
  base.display.gain_db = 0.0;
  base.formation.sound_speed_m_s = 1400.0;
  std::atomic<int> torn{0};
  Session session(backend, source, images, trace,
                  {.stream = testing::unpaced(), .params = base, .on_image = [&](const Image& image) {
                     // Both were set together; a torn set of parameters would show one without the other.
                     if (image.params.display.gain_db * 100.0 + 1400.0 != image.params.formation.sound_speed_m_s)
                       ++torn;
                   }});
  for (int i = 0; session.counts().processed < kFrames / 20; ++i) {
    ImagingParams p = base;
    p.display.gain_db = i % 6;
    p.formation.sound_speed_m_s = 1400.0 + 100.0 * (i % 6);
    session.set_params(p);
    images.take();
  }
  session.stop();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(session.take_refusal(), "");
  EXPECT_EQ(session.counts().dropped, 0U);
}

}  // namespace
}  // namespace echoloop::ring_stress_test
