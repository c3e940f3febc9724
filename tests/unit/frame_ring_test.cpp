// The ring on one thread: each policy's counts, leases, closing, abandoning.
#include "core/frame_ring.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/ring_rig.h"

namespace echoloop::frame_ring_test {
namespace {

using namespace std::chrono_literals;
using Outcome = FrameRing::WriteLease::Outcome;
using Rig = testing::RingRig;

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

TEST(FrameRing, AnAbandonedLeaseCountsNothing) {
  Rig rig(2, RingPolicy::block);
  {
    auto lease = rig.ring.begin_write(0);
    EXPECT_EQ(rig.ring.counts().slots_writing, 1);
  }
  rig.expect(0, 0, 0, 0);
  EXPECT_EQ(rig.ring.counts().slots_writing, 0);
  EXPECT_EQ(rig.put(0), Outcome::slot);
  EXPECT_EQ(rig.put(1), Outcome::slot);
  EXPECT_EQ(rig.ring.counts().duplicates, 0U) << "frame 0 came once";
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

}  // namespace
}  // namespace echoloop::frame_ring_test
