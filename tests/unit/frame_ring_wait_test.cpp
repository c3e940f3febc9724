// The ring's two waits: a producer that waits for a slot, a reader that waits for a frame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "core/units.h"
#include "support/ring_rig.h"
#include "support/streaming.h"

namespace echoloop::frame_ring_wait_test {
namespace {

using namespace std::chrono_literals;
using Outcome = FrameRing::WriteLease::Outcome;
using Rig = testing::RingRig;
using Clock = std::chrono::steady_clock;

TEST(FrameRing, AReaderWaitsNoLongerThanItWanted) {
  Rig rig(2, RingPolicy::block);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(rig.ring.begin_read(20ms));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

// Runs begin_write() on a full ring in another thread, waits until it blocks for a while, lets `release` end the wait.
template <class Release>
Outcome outcome_of_blocked_write(Rig& rig, Release&& release) {
  std::atomic<Outcome> outcome{Outcome::slot};
  std::atomic<bool> ended{false};
  std::thread producer([&] {
    outcome = rig.put(99);
    ended = true;
  });
  while (!ended && rig.ring.counts().producer_waited_ns < 30'000'000) std::this_thread::yield();
  EXPECT_FALSE(ended) << "the producer did not wait";
  release();
  producer.join();
  return outcome;
}

TEST(FrameRing, ABlockedProducerGetsTheFirstFreeSlot) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  rig.put(1);
  EXPECT_EQ(outcome_of_blocked_write(rig, [&] { EXPECT_EQ(rig.process(), 0); }), Outcome::slot);
  rig.expect(3, 1, 0, 0);
  EXPECT_GT(rig.ring.counts().producer_waited_ns, 10'000'000);
}

TEST(FrameRing, ABlockedProducerFollowsAChangeOfPolicy) {
  const std::pair<RingPolicy, Outcome> cases[] = {{RingPolicy::error, Outcome::refused},
                                                  {RingPolicy::drop_newest, Outcome::dropped},
                                                  {RingPolicy::drop_oldest, Outcome::slot}};
  for (const auto& [policy, expected] : cases) {
    Rig rig(2, RingPolicy::block);
    rig.put(0);
    rig.put(1);
    EXPECT_EQ(outcome_of_blocked_write(rig, [&] { rig.ring.set_policy(policy); }), expected);
    const RingCounts c = rig.ring.counts();
    EXPECT_EQ(c.produced, 3U);
    EXPECT_EQ(c.dropped + c.refused, 1U);
    EXPECT_EQ(c.in_flight, 2U);
  }
}

TEST(FrameRing, ABlockedProducerIsFreedByClosing) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  rig.put(1);
  EXPECT_EQ(outcome_of_blocked_write(rig, [&] { rig.ring.close(); }), Outcome::closed);
  rig.expect(2, 0, 0, 0);
}

// Has room when it is told so, and keeps what it was asked.
class PickyKeeper final : public FrameKeeper {
 public:
  FrameMemory offer(const RfFrame& /*frame*/, FrameMemory memory) override { return memory; }
  [[nodiscard]] bool ready(const RingLoad& ring) const override {
    frames = ring.frames;
    age_ns = ring.frames > 0 ? ring.now_ns - ring.oldest_ns : -1;
    return room;
  }
  std::atomic<bool> room{true};
  mutable std::atomic<int> frames{-1};
  mutable std::atomic<std::int64_t> age_ns{-1};
};

TEST(FrameRing, AFrameIsAcquiredWhenTheKeeperHasRoomNotBefore) {
  PickyKeeper keeper;
  Rig rig(4, RingPolicy::block, {}, &keeper);
  rig.put(0);
  EXPECT_EQ(keeper.frames, 0);
  keeper.room = false;
  std::int64_t room_ns = 0;
  EXPECT_EQ(outcome_of_blocked_write(rig,
                                     [&] {
                                       rig.expect(1, 0, 0, 0);  // not yet
                                       EXPECT_EQ(keeper.frames, 1);
                                       EXPECT_GE(keeper.age_ns, 20'000'000);
                                       room_ns = now_ns();
                                       keeper.room = true;
                                     }),
            Outcome::slot);
  rig.expect(2, 0, 0, 0);
  EXPECT_GT(rig.ring.counts().producer_waited_ns, 10'000'000);
  EXPECT_EQ(rig.process(), 0);
  const auto lease = rig.ring.begin_read(0ns);
  ASSERT_TRUE(lease);
  EXPECT_GE(lease->frame().stamp.acquired_ns, room_ns);
}

TEST(FrameRing, AKeeperWithoutRoomIsNotWaitedForByTheOtherPolicies) {
  for (const RingPolicy policy : {RingPolicy::drop_oldest, RingPolicy::drop_newest}) {
    PickyKeeper keeper;
    keeper.room = false;
    Rig rig(2, policy, {}, &keeper);
    EXPECT_EQ(rig.put(0), Outcome::slot);
  }
  PickyKeeper keeper;
  keeper.room = false;
  Rig rig(2, RingPolicy::error, {}, &keeper);
  EXPECT_EQ(rig.put(0), Outcome::refused);
  EXPECT_TRUE(rig.ring.refusal()->keeper_full);
}

TEST(FrameRing, AProducerThatWaitsForTheKeeperIsFreedByClosing) {
  PickyKeeper keeper;
  keeper.room = false;
  Rig rig(2, RingPolicy::block, {}, &keeper);
  EXPECT_EQ(outcome_of_blocked_write(rig, [&] { rig.ring.close(); }), Outcome::slot);  // the frame is not lost
  rig.expect(1, 0, 0, 0);
}

TEST(FrameRing, ABlockedProducersWaitCountsWhileItGoesOn) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  rig.put(1);
  std::int64_t during_ns = 0;
  (void)outcome_of_blocked_write(rig, [&] {
    during_ns = rig.ring.counts().producer_waited_ns;
    testing::wait_until([&] { return rig.ring.counts().producer_waited_ns - during_ns >= 20'000'000; });
    rig.process();
  });
  EXPECT_GT(during_ns, 10'000'000);
  const std::int64_t after_ns = rig.ring.counts().producer_waited_ns;
  EXPECT_GE(after_ns, during_ns);
  testing::wait_until([later = now_ns() + 1'000'000] { return now_ns() > later; });
  EXPECT_EQ(rig.ring.counts().producer_waited_ns, after_ns) << "nobody waits any more";
}

// The number was asked for, but the frame never came: whoever goes on with it brings no duplicate.
TEST(FrameRing, AWriteThatClosingEndedLeavesItsNumberFree) {
  Rig rig(2, RingPolicy::block);
  for (const std::uint64_t n : {97U, 98U}) rig.put(n);
  EXPECT_EQ(outcome_of_blocked_write(rig, [&] { rig.ring.close(); }), Outcome::closed);
  EXPECT_EQ(rig.ring.counts().next_sequence, 99U);
  Rig next(2, RingPolicy::block, rig.ring.counts());
  EXPECT_EQ(next.put(99), Outcome::slot);
  EXPECT_EQ(next.ring.counts().duplicates, 0U);
  EXPECT_EQ(next.ring.counts().sequence_gaps, 0U);
}

TEST(FrameRing, WakeEndsAReadersWait) {
  Rig rig(2, RingPolicy::block);
  std::atomic<pid_t> id{0};
  std::thread reader([&] {
    const auto begin = Clock::now();
    id = ::gettid();
    EXPECT_FALSE(rig.ring.begin_read(10s));
    EXPECT_LT(Clock::now() - begin, 5s);
  });
  testing::wait_until([&] { return id != 0 && testing::is_waiting(id); });
  rig.ring.wake();
  reader.join();
}

TEST(FrameRing, WakeBeforeTheWaitEndsTheNextOneOnly) {
  Rig rig(2, RingPolicy::block);
  rig.ring.wake();
  auto begin = Clock::now();
  EXPECT_FALSE(rig.ring.begin_read(5s));
  EXPECT_LT(Clock::now() - begin, 2s);
  begin = Clock::now();
  EXPECT_FALSE(rig.ring.begin_read(30ms));
  EXPECT_GE(Clock::now() - begin, 30ms);
}

}  // namespace
}  // namespace echoloop::frame_ring_wait_test
