// What the ring knows of its frames beside the policy: numbers left out and repeated, the report of a refusal, memory
// handed to a keeper, the most slots in use.
#include <gtest/gtest.h>

#include <cstring>

#include "core/units.h"
#include "support/ring_rig.h"

namespace echoloop::frame_ring_account_test {
namespace {

using namespace std::chrono_literals;
using Outcome = FrameRing::WriteLease::Outcome;
using Rig = testing::RingRig;

class EachPolicy : public ::testing::TestWithParam<RingPolicy> {};

// Two slots and nobody reads: most frames are dropped or refused, and none of that is a gap.
TEST_P(EachPolicy, NumbersAreCountedWhateverBecomesOfTheFrame) {
  Rig rig(2, GetParam());
  for (const std::uint64_t n : {5U, 6U, 9U, 9U, 10U, 10U, 15U}) {
    rig.put(n);
    if (GetParam() == RingPolicy::block) rig.process();
  }
  const RingCounts c = rig.ring.counts();
  EXPECT_EQ(c.sequence_gaps, 2U + 4U);  // 7, 8 and 11 to 14; whatever came before 5 is not missed
  EXPECT_EQ(c.duplicates, 2U);          // 9 and 10
  EXPECT_EQ(c.next_sequence, 16U);
  EXPECT_EQ(c.produced, 7U);
  EXPECT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight);
}

TEST_P(EachPolicy, DroppedAndRefusedFramesAreNoGaps) {
  Rig rig(2, GetParam());
  for (std::uint64_t n = 0; n < 20; ++n) {
    rig.put(n);
    if (GetParam() == RingPolicy::block || n % 5 == 4) rig.process();
  }
  EXPECT_EQ(rig.ring.counts().sequence_gaps, 0U);
  EXPECT_EQ(rig.ring.counts().duplicates, 0U);
}

INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy,
                         ::testing::Values(RingPolicy::block, RingPolicy::error, RingPolicy::drop_oldest,
                                           RingPolicy::drop_newest));

TEST_P(EachPolicy, WhatIsNotBeingReadIsDroppedAndCounted) {
  Rig rig(4, GetParam());
  for (std::uint64_t n = 0; n < 4; ++n) rig.put(n);
  auto reading = rig.ring.begin_read(0ns);
  rig.ring.drop_ready();
  rig.expect(4, 0, 3, 0);
  EXPECT_EQ(rig.process(), -1);
  EXPECT_EQ(rig.put(4), Outcome::slot) << "the slots are free";
  reading->release();
  rig.ring.count_processed();
  EXPECT_EQ(rig.process(), 4);
  rig.expect(5, 2, 3, 0);
}

TEST(FrameRing, AnEarlierNumberIsADuplicateAndNoGapBackwards) {
  Rig rig(8, RingPolicy::block);
  for (const std::uint64_t n : {3U, 4U, 5U, 3U, 4U, 6U}) rig.put(n);
  EXPECT_EQ(rig.ring.counts().duplicates, 2U);
  EXPECT_EQ(rig.ring.counts().sequence_gaps, 0U);
}

TEST(FrameRing, NumbersCountModulo2To64) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  Rig rig(8, RingPolicy::block);
  for (const std::uint64_t n : {kLast - 49, kLast - 48, std::uint64_t{50}, std::uint64_t{51}, kLast - 48}) rig.put(n);
  const RingCounts c = rig.ring.counts();
  EXPECT_EQ(c.sequence_gaps, 98U);
  EXPECT_EQ(c.missing(), 98U);
  EXPECT_EQ(c.duplicates, 1U);
  EXPECT_EQ(c.next_sequence, 52U);
  EXPECT_EQ(c.next_sequence - c.first_sequence, c.produced - c.duplicates + c.missing());
}

TEST(FrameRing, NumbersGoOnFromAnEarlierRing) {
  Rig first(4, RingPolicy::block);
  for (const std::uint64_t n : {0U, 1U, 3U, 3U}) first.put(n);
  Rig second(4, RingPolicy::block, first.ring.counts());
  for (const std::uint64_t n : {6U, 7U}) second.put(n);  // 4 and 5 are missing between the two
  EXPECT_EQ(second.ring.counts().sequence_gaps, 1U + 2U);
  EXPECT_EQ(second.ring.counts().duplicates, 1U);
}

TEST(FrameRing, ARefusalTellsWhatWasInTheWay) {
  Rig rig(3, RingPolicy::error);
  const std::int64_t before_ns = now_ns();
  rig.put(40);
  const std::int64_t published_ns = now_ns();
  for (const std::uint64_t n : {41U, 42U}) rig.put(n);
  EXPECT_FALSE(rig.ring.refusal().has_value());
  auto oldest = rig.ring.begin_read(0ns);  // 40 is being copied
  const std::int64_t least_ns = now_ns() - published_ns;
  EXPECT_EQ(rig.put(43), Outcome::refused);
  const std::int64_t most_ns = now_ns() - before_ns;
  const auto refusal = rig.ring.refusal();
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->sequence, 43U);
  EXPECT_EQ(refusal->slot, 0);
  EXPECT_TRUE(refusal->copying);
  EXPECT_EQ(refusal->holds, 40U);
  EXPECT_GE(refusal->age_ns, least_ns);
  EXPECT_LE(refusal->age_ns, most_ns);
  EXPECT_EQ(refusal->counts.slots, 3);
  EXPECT_EQ(refusal->counts.slots_ready, 2);
  EXPECT_EQ(refusal->counts.slots_reading, 1);
  EXPECT_EQ(refusal->counts.produced, 4U);
  EXPECT_EQ(refusal->counts.refused, 1U);
  EXPECT_EQ(refusal->counts.in_flight, 3U);
}

TEST(FrameRing, ARefusalNamesTheOldestSlotThatWaits) {
  Rig rig(2, RingPolicy::error);
  rig.put(0);
  rig.put(1);
  EXPECT_EQ(rig.process(), 0);
  for (const std::int64_t begin_ns = now_ns(); now_ns() == begin_ns;) {  // frame 2 is younger than frame 1
  }
  rig.put(2);  // into slot 0: the oldest frame is 1, in slot 1
  EXPECT_EQ(rig.put(3), Outcome::refused);
  const auto refusal = rig.ring.refusal();
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->slot, 1);
  EXPECT_EQ(refusal->holds, 1U);
  EXPECT_FALSE(refusal->copying);
  EXPECT_EQ(refusal->sequence, 3U);
}

TEST(FrameRing, TheRefusedFramesNumberIsUsed) {
  Rig rig(2, RingPolicy::error);
  for (std::uint64_t n = 0; n < 3; ++n) rig.put(n);  // 2 is refused
  Rig next(2, RingPolicy::error, rig.ring.counts());
  next.put(3);
  EXPECT_EQ(next.ring.counts().sequence_gaps, 0U);
  EXPECT_EQ(next.ring.counts().duplicates, 0U);
}

TEST(FrameRing, RemembersTheMostSlotsThatWereInUse) {
  Rig rig(5, RingPolicy::block);
  for (std::uint64_t n = 0; n < 3; ++n) rig.put(n);
  EXPECT_EQ(rig.ring.counts().slots_peak, 3);
  while (rig.process() >= 0) {
  }
  EXPECT_EQ(rig.ring.counts().slots_peak, 3);
  rig.put(3);
  auto reading = rig.ring.begin_read(0ns);
  for (std::uint64_t n = 4; n < 6; ++n) rig.put(n);
  auto writing = rig.ring.begin_write(6);  // 1 read, 2 ready, 1 written
  EXPECT_EQ(rig.ring.counts().slots_peak, 4);
}

// Keeps every second frame and gives other memory for it.
class SecondKeeper final : public FrameKeeper {
 public:
  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override {
    seen.push_back(frame.stamp.sequence);
    EXPECT_EQ(frame.samples.data(), memory.bytes.data()) << "the frame lies in the memory that is offered";
    if (seen.size() % 2 == 1) return memory;
    kept.push_back(memory);
    return testing::slot_memory(memory.bytes.size());
  }
  std::vector<std::uint64_t> seen;
  std::vector<FrameMemory> kept;
};

// Each frame's samples are its number.
void put_numbered(FrameRing& ring, std::uint64_t number) {
  auto lease = ring.begin_write(number);
  ASSERT_EQ(lease.outcome(), Outcome::slot);
  std::memcpy(lease.frame_memory().bytes.data(), &number, sizeof number);
  lease.publish({.sequence = number}, lease.frame_memory().bytes);
}

std::uint64_t number_in(std::span<const std::byte> samples) {
  std::uint64_t number = 0;
  std::memcpy(&number, samples.data(), sizeof number);
  return number;
}

TEST(FrameRing, TheKeeperSeesEachReadFrameOnceInOrderAndItsMemoryIsNotWrittenAgain) {
  SecondKeeper keeper;
  constexpr std::uint64_t kFrames = 20;
  {
    Rig rig(3, RingPolicy::block, {}, &keeper);
    for (std::uint64_t n = 0; n < kFrames; ++n) {
      put_numbered(rig.ring, n);
      auto lease = rig.ring.begin_read(0ns);
      ASSERT_TRUE(lease);
      EXPECT_EQ(number_in(lease->frame().samples), n);
      lease->release();
      lease->release();  // a second time is not a second frame
      rig.ring.count_processed();
    }
    rig.expect(kFrames, kFrames, 0, 0);
    EXPECT_EQ(rig.ring.counts().copied, kFrames);
  }
  ASSERT_EQ(keeper.seen.size(), kFrames);
  for (std::uint64_t n = 0; n < kFrames; ++n) EXPECT_EQ(keeper.seen[n], n);
  ASSERT_EQ(keeper.kept.size(), kFrames / 2);
  for (std::uint64_t i = 0; i < keeper.kept.size(); ++i) {
    EXPECT_EQ(number_in(keeper.kept[i].bytes), 2 * i + 1) << "the ring wrote into memory that it had given away";
  }
}

TEST(FrameRing, TheKeeperDoesNotSeeFramesThatNobodyRead) {
  SecondKeeper keeper;
  Rig rig(2, RingPolicy::drop_oldest, {}, &keeper);
  for (std::uint64_t n = 0; n < 6; ++n) put_numbered(rig.ring, n);
  while (rig.process() >= 0) {
  }
  EXPECT_EQ(keeper.seen, (std::vector<std::uint64_t>{4, 5}));
}

}  // namespace
}  // namespace echoloop::frame_ring_account_test
