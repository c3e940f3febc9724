// The ring on one thread: each policy's counts, leases, closing, abandoning. Producers that wait are at the end.
#include "core/frame_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace echoloop {
namespace {

using namespace std::chrono_literals;
using Outcome = FrameRing::WriteLease::Outcome;

struct Rig {
  explicit Rig(int slots, RingPolicy policy, const RingCounts& counts = {})
      : memory(static_cast<std::size_t>(slots)), ring(spans(), policy, counts) {}

  std::vector<std::span<std::byte>> spans() {
    std::vector<std::span<std::byte>> all;
    for (auto& slot : memory) all.emplace_back(slot);
    return all;
  }
  // Publishes frame `number` if there is a slot for it.
  Outcome put(std::uint64_t number) {
    auto lease = ring.begin_write();
    const Outcome outcome = lease.outcome();
    if (outcome == Outcome::slot) lease.publish({.sequence = number}, lease.memory());
    return outcome;
  }
  // Sequence number of the next frame, processed at once; -1 when there is none.
  std::int64_t process() {
    auto lease = ring.begin_read(0ns);
    if (!lease) return -1;
    const auto number = static_cast<std::int64_t>(lease->frame().stamp.sequence);
    lease->release();
    ring.count_processed();
    return number;
  }
  void expect(std::uint64_t produced, std::uint64_t processed, std::uint64_t dropped, std::uint64_t refused) const {
    const RingCounts c = ring.counts();
    EXPECT_EQ(c.produced, produced);
    EXPECT_EQ(c.processed, processed);
    EXPECT_EQ(c.dropped, dropped);
    EXPECT_EQ(c.refused, refused);
    EXPECT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight);
  }

  std::vector<std::array<std::byte, 8>> memory;
  FrameRing ring;
};

TEST(FrameRing, FramesComeInOrderAndAreStampedAtPublication) {
  Rig rig(3, RingPolicy::block);
  for (std::uint64_t n = 0; n < 3; ++n) EXPECT_EQ(rig.put(n), Outcome::slot);
  auto lease = rig.ring.begin_read(0ns);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->frame().stamp.sequence, 0U);
  EXPECT_GT(lease->frame().stamp.acquired_ns, 0);
  EXPECT_EQ(lease->frame().samples.size(), 8U);
  EXPECT_EQ(rig.ring.counts().slots_reading, 1);
  EXPECT_EQ(rig.ring.counts().slots_ready, 2);
  lease->release();
  EXPECT_EQ(rig.ring.counts().copied, 1U);
  rig.ring.count_processed();
  EXPECT_EQ(rig.process(), 1);
  EXPECT_EQ(rig.process(), 2);
  EXPECT_EQ(rig.process(), -1);
  rig.expect(3, 3, 0, 0);
}

TEST(FrameRing, ErrorRefusesWhenEverySlotIsInUse) {
  Rig rig(2, RingPolicy::error);
  rig.put(0);
  rig.put(1);
  EXPECT_EQ(rig.put(2), Outcome::refused);
  rig.expect(3, 0, 0, 1);
  EXPECT_EQ(rig.process(), 0);
  EXPECT_EQ(rig.put(3), Outcome::slot);
  rig.expect(4, 1, 0, 1);
}

TEST(FrameRing, DropNewestKeepsWhatIsThere) {
  Rig rig(2, RingPolicy::drop_newest);
  for (std::uint64_t n = 0; n < 5; ++n) EXPECT_EQ(rig.put(n), n < 2 ? Outcome::slot : Outcome::dropped);
  rig.expect(5, 0, 3, 0);
  EXPECT_EQ(rig.process(), 0);
  EXPECT_EQ(rig.process(), 1);
  rig.expect(5, 2, 3, 0);
}

TEST(FrameRing, DropOldestKeepsTheNewestInOrder) {
  Rig rig(2, RingPolicy::drop_oldest);
  for (std::uint64_t n = 0; n < 5; ++n) EXPECT_EQ(rig.put(n), Outcome::slot);
  rig.expect(5, 0, 3, 0);
  EXPECT_EQ(rig.process(), 3);
  EXPECT_EQ(rig.process(), 4);
  rig.expect(5, 2, 3, 0);
}

TEST(FrameRing, DropOldestNeverTakesAFrameBeingRead) {
  Rig rig(2, RingPolicy::drop_oldest);
  rig.put(0);
  rig.put(1);
  auto first = rig.ring.begin_read(0ns);
  auto second = rig.ring.begin_read(0ns);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(rig.put(2), Outcome::dropped);  // both are being read: the new one goes
  rig.expect(3, 0, 1, 0);
  EXPECT_EQ(first->frame().stamp.sequence, 0U);
}

TEST(FrameRing, GapsInTheSequenceAreCounted) {
  Rig rig(4, RingPolicy::block);
  for (const std::uint64_t n : {5U, 6U, 9U, 10U}) rig.put(n);
  while (rig.process() >= 0) {
  }
  EXPECT_EQ(rig.ring.counts().sequence_gaps, 2U);  // 7 and 8
}

TEST(FrameRing, AnAbandonedLeaseCountsNothing) {
  Rig rig(2, RingPolicy::block);
  {
    auto lease = rig.ring.begin_write();
    EXPECT_EQ(rig.ring.counts().slots_writing, 1);
  }
  rig.expect(0, 0, 0, 0);
  EXPECT_EQ(rig.ring.counts().slots_writing, 0);
  EXPECT_EQ(rig.put(0), Outcome::slot);
  EXPECT_EQ(rig.put(1), Outcome::slot);
}

TEST(FrameRing, LostFramesAreDropped) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  auto lease = rig.ring.begin_read(0ns);
  rig.ring.count_lost();
  lease->release();
  lease->release();  // a second time is harmless
  rig.expect(1, 0, 1, 0);
  EXPECT_EQ(rig.ring.counts().copied, 1U);
}

TEST(FrameRing, MovedLeasesReleaseOnce) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  rig.put(1);
  auto first = rig.ring.begin_read(0ns);
  auto second = rig.ring.begin_read(0ns);
  *first = std::move(*second);  // frame 0 goes back, frame 1 is held on
  EXPECT_EQ(rig.ring.counts().slots_reading, 1);
  EXPECT_EQ(first->frame().stamp.sequence, 1U);
  second.reset();
  EXPECT_EQ(rig.ring.counts().slots_reading, 1);
}

TEST(FrameRing, ClosedRingTakesNothingButGivesWhatItHas) {
  Rig rig(2, RingPolicy::block);
  rig.put(0);
  rig.ring.close();
  EXPECT_EQ(rig.put(1), Outcome::closed);
  EXPECT_FALSE(rig.ring.drained());
  EXPECT_EQ(rig.process(), 0);
  EXPECT_TRUE(rig.ring.drained());
  rig.expect(1, 1, 0, 0);
}

TEST(FrameRing, CountsGoOnFromAnEarlierRing) {
  RingCounts earlier;
  earlier.processed = 10;
  earlier.dropped = 2;
  earlier.produced = 15;
  earlier.in_flight = 3;    // its reader had a fault: nobody will read these
  earlier.slots_ready = 3;  // of the old ring: not taken over
  Rig rig(2, RingPolicy::block, earlier);
  rig.put(15);
  rig.expect(16, 10, 5, 0);
  EXPECT_EQ(rig.ring.counts().slots_ready, 1);
}

TEST(FrameRing, AReaderWaitsNoLongerThanItWanted) {
  Rig rig(2, RingPolicy::block);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(rig.ring.begin_read(20ms));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

// Runs begin_write() on a full ring in another thread, waits until it blocks, lets `release` end the wait.
template <class Release>
Outcome outcome_of_blocked_write(Rig& rig, Release&& release) {
  std::atomic<Outcome> outcome{Outcome::slot};
  std::atomic<bool> ended{false};
  std::thread producer([&] {
    outcome = rig.put(99);
    ended = true;
  });
  std::this_thread::sleep_for(30ms);
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

}  // namespace
}  // namespace echoloop
