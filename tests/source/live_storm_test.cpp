// A sender that does everything at once, in an order that a seed decides: frames, gaps, losses, duplicates, pauses,
// stalls, kills, other descriptions; and a stream whose policy and slots change. Both sums hold at every snapshot. By
// hand, for longer: ECHO_LIVE_SNAPSHOTS=100000 that differ.
#include <gtest/gtest.h>

#include <random>

#include "source/live_rig.h"
#include "support/take_time.h"

namespace echoloop::live_storm_test {
namespace {

using testing::LiveRig;
using testing::number_from_environment;
using testing::ScriptedSender;
using testing::small_scan;

class StormySender {
 public:
  StormySender(const LiveRig& rig, unsigned seed) : rig_(rig), random_(seed) {}

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (sender_ == nullptr && !connect()) continue;
      step();
    }
  }

 private:
  bool connect() {
    auto sender = rig_.connect();
    scan_ = static_cast<int>(random_() % 2);
    const bool begun = sender->connected() && sender->begin(small_scan(8 << scan_));
    if (begun) sender_ = std::move(sender);
    lost_ = random_() % 100;
    next_ = random_() % 1000;
    return begun;
  }
  void step() {
    const auto what = static_cast<unsigned>(random_() % 1000);
    if (what < 20) {  // a gap, some of it known
      const std::uint64_t gap = 1 + random_() % 5;
      next_ += gap;
      lost_ += random_() % (gap + 1);
    } else if (what < 30) {
      next_ -= std::min<std::uint64_t>(next_, 1 + random_() % 3);
    } else if (what < 33) {
      scan_ = 1 - scan_;
      if (!sender_->describe(sender_->generation + 1, small_scan(8 << scan_))) sender_.reset();
    } else if (what < 35) {
      sender_.reset();
      return;
    } else if (what < 45) {
      std::this_thread::yield();
    } else if (what < 46) {  // stalled, with all blocks
      testing::take_time(std::chrono::milliseconds(random_() % 20));
    }
    if (sender_ == nullptr || !sender_->soon_frame(next_, {.lost = lost_})) {
      sender_.reset();
      return;
    }
    ++next_;
  }

  const LiveRig& rig_;
  std::minstd_rand random_;
  std::unique_ptr<ScriptedSender> sender_;
  int scan_ = 0;
  std::uint64_t next_ = 0, lost_ = 0;
};

TEST(LiveStorm, BothSumsHoldAtEverySnapshot) {
  LiveRig rig;
  {
    const auto first = rig.start();
    rig.expect_frame(*first, 0, 1);
  }
  StormySender storm(rig, 20);
  std::jthread sending([&](const std::stop_token& stop) { storm.run(stop); });
  std::minstd_rand random(7);
  std::uint64_t produced = 0, ended = 0;
  const int snapshots = number_from_environment("ECHO_LIVE_SNAPSHOTS", 5000);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60) +  // slow machines
                     snapshots * std::chrono::milliseconds(10);
  int k = 0;
  while (k < snapshots && std::chrono::steady_clock::now() < limit) {
    const RingCounts c = rig.ring->counts();
    k += c.produced != produced || c.processed + c.dropped + c.refused != ended ? 1 : 0;
    ended = c.processed + c.dropped + c.refused;
    ASSERT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight) << k;
    ASSERT_EQ(c.next_sequence - c.first_sequence, c.produced - c.duplicates + c.sequence_gaps) << k;
    ASSERT_GE(c.sequence_gaps, c.lost_at_sender + c.stale) << k;
    ASSERT_GE(c.produced, produced);
    produced = c.produced;
    if (auto lease = rig.ring->begin_read(std::chrono::nanoseconds(0))) {
      lease->release();
      rig.ring->count_processed();
    }
    const auto policy = static_cast<RingPolicy>(random() % 4);
    if (random() % 500 == 0) rig.ring->set_policy(policy);
    if (rig.producer->state() != ProducerState::running || random() % 5000 == 0) {
      rig.stream(policy, 2 + static_cast<int>(random() % 7), rig.end_stream());
    }
  }
  sending.request_stop();
  rig.stop();  // the sender's wait for a credit ends with the server
  rig.waiting.reset();
  rig.source.reset();
  sending.join();
  EXPECT_EQ(k, snapshots);
}

}  // namespace
}  // namespace echoloop::live_storm_test
