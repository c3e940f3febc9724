// Producer, processing thread and observers at full speed, under thread sanitizer as well: no frame is ever torn,
// counts are exact at every moment, order holds. Frames carry their number in every sample and a checksum in the last
// one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>

#include "support/fake_backend.h"
#include "support/streaming.h"

namespace echoloop {
namespace {

using testing::FakeBackend;
using testing::wait_until;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kFrames = 2000;
#else
constexpr std::uint64_t kFrames = 20000;
#endif

std::uint32_t mixed(std::uint32_t v) { return (v ^ (v >> 15)) * 2654435761U; }

// Endless; every sample of frame n derives from n, the last one from all the others.
class StampedSource final : public Source {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "stamped frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  std::span<const std::byte> produce(std::uint64_t index, std::span<std::byte> slot) override {
    auto* words = reinterpret_cast<std::uint32_t*>(slot.data());
    const std::size_t n = acquisition_->frame_bytes() / sizeof(std::uint32_t);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) sum += words[i] = mixed(static_cast<std::uint32_t>(index + i));
    words[n - 1] = sum;
    return slot.first(acquisition_->frame_bytes());
  }

 private:
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(4, 128));
};

bool is_whole(const RfFrame& frame) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(frame.samples.data());
  const std::size_t n = frame.samples.size() / sizeof(std::uint32_t);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (words[i] != mixed(static_cast<std::uint32_t>(frame.stamp.source_index + i))) return false;
    sum += words[i];
  }
  return words[n - 1] == sum;
}

// A stream whose lanes check each frame twice: when it is uploaded, and again while its slot is still held.
struct Rig {
  Rig() {
    backend.on_upload = [this](const RfFrame& frame) { check(frame); };
    backend.on_beamform = [this](const RfFrame& frame) {
      if (slow && frame.stamp.sequence % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      check(frame);
    };
  }
  void check(const RfFrame& frame) {
    if (!is_whole(frame)) ++torn;
  }
  SessionOptions options(RingPolicy policy) {
    StreamSettings stream = testing::unpaced();
    stream.policy = policy;
    stream.slots = 3;
    ImagingParams params = testing::small_picture(*source->acquisition(), 4, 4);
    params.reference_db = 0.0;
    return {.stream = stream, .params = params, .on_image = [this](const Image& image) {
              if (any && image.stamp.sequence <= last) ++out_of_order;
              any = true;
              last = image.stamp.sequence;
            }};
  }

  std::shared_ptr<StampedSource> source = std::make_shared<StampedSource>();
  FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace{1024};
  std::atomic<bool> slow{true};
  std::atomic<int> torn{0};
  std::atomic<int> out_of_order{0};
  bool any = false;
  std::uint64_t last = 0;
};

// Samples the counts from a thread of its own for as long as it lives.
class CountsObserver {
 public:
  explicit CountsObserver(const Session& session) {
    thread_ = std::thread([this, &session] {
      RingCounts before{};
      while (!stop_) {
        const RingCounts c = session.counts();
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

class EachPolicy : public ::testing::TestWithParam<RingPolicy> {};

TEST_P(EachPolicy, ProducerFasterThanConsumer) {
  Rig rig;
  Session session(rig.backend, rig.source, rig.images, rig.trace, rig.options(GetParam()));
  {
    const CountsObserver observer(session);
    wait_until([&] {
      const RingCounts c = session.counts();
      return session.done() || (c.produced >= kFrames && c.processed >= kFrames / 50);
    });
  }
  session.stop();
  const RingCounts c = session.counts();
  testing::expect_counts_add_up(c);
  EXPECT_EQ(rig.torn, 0);
  EXPECT_EQ(rig.out_of_order, 0);
  EXPECT_EQ(session.fault(), "");
  EXPECT_GT(c.processed, 0U);
  switch (GetParam()) {
    case RingPolicy::block:
      EXPECT_EQ(c.dropped + c.refused + c.sequence_gaps, 0U);
      EXPECT_GT(c.producer_waited_ns, 0);
      break;
    case RingPolicy::error:
      EXPECT_EQ(c.refused, 1U);
      EXPECT_EQ(c.dropped, 0U);
      EXPECT_EQ(session.producer_state(), ProducerState::refused);
      break;
    case RingPolicy::drop_oldest:
    case RingPolicy::drop_newest:
      EXPECT_GT(c.dropped, 0U) << "the producer was not faster";
      EXPECT_EQ(c.refused, 0U);
      EXPECT_LE(c.sequence_gaps, c.dropped);
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy,
                         ::testing::Values(RingPolicy::block, RingPolicy::error, RingPolicy::drop_oldest,
                                           RingPolicy::drop_newest));

TEST(Policies, SwitchedAtRandomWhileRunning) {
  Rig rig;
  Session session(rig.backend, rig.source, rig.images, rig.trace, rig.options(RingPolicy::block));
  std::mt19937 engine(11);
  constexpr RingPolicy kPolicies[] = {RingPolicy::block, RingPolicy::drop_oldest, RingPolicy::drop_newest};
  {
    const CountsObserver observer(session);
    StreamSettings stream = session.stream();
    while (session.counts().produced < kFrames && !session.done()) {
      stream.policy = kPolicies[engine() % 3];
      session.set_stream(stream);
      rig.slow = engine() % 4 != 0;
      std::this_thread::sleep_for(std::chrono::microseconds(engine() % 500));
    }
  }
  session.stop();
  testing::expect_counts_add_up(session.counts());
  EXPECT_EQ(rig.torn, 0);
  EXPECT_EQ(rig.out_of_order, 0);
  EXPECT_EQ(session.fault(), "");
  EXPECT_GT(session.counts().processed, 0U);
}

TEST(Parameters, FromTheUiThreadAtFullSpeedTearNothing) {
  Rig rig;
  rig.slow = false;
  SessionOptions options = rig.options(RingPolicy::block);
  const ImagingParams base = options.params;
  std::atomic<int> torn_params{0};
  options.on_image = [&](const Image& image) {
    // Both were set together; a torn set of parameters would show one without the other.
    if (image.params.gain_db * 100.0 + 1400.0 != image.params.sound_speed_m_s) ++torn_params;
  };
  options.params.sound_speed_m_s = 1400.0;
  Session session(rig.backend, rig.source, rig.images, rig.trace, options);
  for (int i = 0; session.counts().processed < kFrames / 10; ++i) {
    ImagingParams p = base;
    p.gain_db = i % 6;
    p.sound_speed_m_s = 1400.0 + 100.0 * (i % 6);
    session.set_params(p);
    rig.images.take();
  }
  session.stop();
  EXPECT_EQ(torn_params, 0);
  EXPECT_EQ(session.take_refusal(), "");
  EXPECT_EQ(session.counts().dropped, 0U);
}

}  // namespace
}  // namespace echoloop
