// The seam that a scanner needs of the producer: frames that come when they come, with numbers, losses and memory of
// their own, of an acquisition that may change.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "source/producer.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/ring_rig.h"

namespace echoloop::live_source_test {
namespace {

using namespace std::chrono_literals;

// Frames are pushed by the test; each holds its number in every byte, in memory that takes the slot's place.
class Scanner final : public Source {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "scanner"; }

  std::optional<Arrival> next(const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    if (!pushed_.wait(lock, stop, [this] { return over_ || !arrivals_.empty(); })) {
      throw Error("scanner", "stopped", "a frame");
    }
    if (arrivals_.empty()) return std::nullopt;
    current_ = arrivals_.front();
    arrivals_.pop_front();
    return current_;
  }
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& /*stop*/) override {
    slot = testing::slot_memory(acquisition_->frame_bytes());
    std::ranges::fill(slot.bytes, static_cast<std::byte>(current_.stamp.sequence));
    ++fetched;
    return slot.bytes;
  }

  void push(const Arrival& arrival) {
    const std::scoped_lock lock(mutex_);
    arrivals_.push_back(arrival);
    pushed_.notify_all();
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    pushed_.notify_all();
  }

  std::atomic<int> fetched{0};

 private:
  std::mutex mutex_;
  std::condition_variable_any pushed_;
  std::deque<Arrival> arrivals_;  // under mutex_
  bool over_ = false;             // under mutex_
  Arrival current_;               // producer thread
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(1, 2));
};

struct Rig {
  explicit Rig(int slots = 8, RingPolicy policy = RingPolicy::block, const ProducerOptions& options = {})
      : ring(testing::slot_memories(slots, scanner.acquisition()->frame_bytes()), policy),
        producer(scanner, ring, trace, options) {}
  ~Rig() { ring.close(); }

  void push(std::uint64_t sequence, std::uint64_t lost = 0) {
    scanner.push({.stamp = {.sequence = sequence, .source_index = sequence, .gap = {.lost = lost}}});
  }
  // The next frame's number, which all of its bytes are; nothing after 20 s.
  std::optional<std::uint64_t> read() {
    auto lease = ring.begin_read(20s);
    if (!lease) return std::nullopt;
    const RfFrame frame = lease->frame();
    for (const std::byte value : frame.samples) EXPECT_EQ(value, static_cast<std::byte>(frame.stamp.sequence));
    lease->release();
    ring.count_processed();
    return frame.stamp.sequence;
  }
  void wait_for_end() {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (producer.state() == ProducerState::running && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
  }

  Scanner scanner;
  TimingTrace trace{64};
  FrameRing ring;
  Producer producer;
};

const ProducerOptions kAsTheyCome{.rate_hz = kRateMax, .loop = false};

TEST(LiveSource, FramesKeepTheirNumbersAndLossesAreCounted) {
  Rig rig(8, RingPolicy::block, kAsTheyCome);
  rig.push(40);
  rig.push(41);
  rig.push(44, 2);
  EXPECT_EQ(rig.read(), 40U);
  EXPECT_EQ(rig.read(), 41U);
  EXPECT_EQ(rig.read(), 44U);
  rig.scanner.end();
  rig.wait_for_end();
  EXPECT_EQ(rig.producer.state(), ProducerState::ended);
  EXPECT_EQ(rig.ring.counts().lost_at_sender, 2U);
  EXPECT_EQ(rig.ring.counts().missing(), 0U);
  EXPECT_EQ(rig.producer.next_sequence(), 45U);
  EXPECT_EQ(rig.ring.counts().processed, 3U);
}

TEST(LiveSource, StopEndsTheWaitForAFrameThatDoesNotCome) {
  Rig rig(8, RingPolicy::block, kAsTheyCome);
  rig.push(0);
  EXPECT_EQ(rig.read(), 0U);
  rig.producer.stop();
  rig.wait_for_end();
  EXPECT_EQ(rig.producer.state(), ProducerState::ended);
  EXPECT_EQ(rig.producer.report(), "");
}

TEST(LiveSource, AFrameThatIsDroppedIsNotFetched) {
  Rig rig(2, RingPolicy::drop_newest, kAsTheyCome);
  for (std::uint64_t i = 0; i < 10; ++i) rig.push(i);
  rig.scanner.end();
  rig.wait_for_end();
  EXPECT_EQ(rig.ring.counts().dropped, 8U);
  EXPECT_EQ(rig.scanner.fetched, 2);
  EXPECT_EQ(rig.read(), 0U);
  EXPECT_EQ(rig.read(), 1U);
}

TEST(LiveSource, AnotherAcquisitionEndsTheStreamBeforeItsFirstFrame) {
  Rig rig(8, RingPolicy::block, kAsTheyCome);
  rig.push(0);
  rig.scanner.push(
      {.stamp = {.sequence = 1, .source_index = 1}, .acquisition = testing::share(testing::linear_acquisition(2, 2))});
  EXPECT_EQ(rig.read(), 0U);
  rig.wait_for_end();
  EXPECT_EQ(rig.producer.state(), ProducerState::changed);
  EXPECT_TRUE(testing::contains(rig.producer.report(), "changed at frame 1"));
  EXPECT_EQ(rig.producer.next_sequence(), 1U) << "the frame comes again in the next stream";
  EXPECT_EQ(rig.scanner.fetched, 1);
  EXPECT_EQ(rig.ring.counts().produced, 1U);
}

}  // namespace
}  // namespace echoloop::live_source_test
