// How far a sender may be ahead of a stream that makes it wait, with a clock of the test's own; and that it is no more.
#include "source/live/live_allowance.h"

#include <gtest/gtest.h>

#include "source/live_rig.h"

namespace echoloop::live_allowance_test {
namespace {

using testing::LiveRig;
using testing::small_scan;

std::size_t after_a_second_of(double rate_hz) {
  LiveAllowance allowance;
  const std::int64_t start_ns = 5'000'000'000;
  for (double s = 0.0; s < 1.0; s += 1.0 / rate_hz) {
    allowance.count_frame(start_ns + static_cast<std::int64_t>(s * 1e9));
  }
  return allowance.frames();
}

TEST(LiveAllowance, IsTheFramesOfAFifthOfASecond) {
  EXPECT_EQ(LiveAllowance().frames(), LiveAllowance::kFewest);
  EXPECT_EQ(after_a_second_of(2.0), LiveAllowance::kFewest);
  for (const double rate_hz : {50.0, 500.0, 5000.0, 50000.0}) {
    EXPECT_NEAR(static_cast<double>(after_a_second_of(rate_hz)), 0.2 * rate_hz, 2.0 + 0.001 * rate_hz) << rate_hz;
  }
}

TEST(LiveAllowance, GrowsWithEachFrameAndForgetsWhatWasLongAgo) {
  LiveAllowance allowance;
  for (int k = 0; k < 100; ++k) allowance.count_frame(1'000'000'000 + 1000 * k);
  EXPECT_EQ(allowance.frames(), 200U);
  allowance.count_frame(9'000'000'000);
  EXPECT_EQ(allowance.frames(), LiveAllowance::kFewest);
}

// Nothing is read: as many frames as slots and the allowance, of 256 blocks. With another policy the sender has them
// all.
TEST(LiveAllowance, ASenderIsNotFarAheadOfAStreamThatWaits) {
  for (const RingPolicy policy : {RingPolicy::block, RingPolicy::drop_newest}) {
    LiveRig rig;
    const auto sender = rig.start(small_scan(), policy);
    ASSERT_TRUE(sender->frame(0, 1));
    ASSERT_TRUE(rig.wait_until([&] { return rig.ring->counts().slots_ready > 0; }));
    std::uint64_t next = 1;
    for (int quiet = 0; quiet < 20 && next < 200; ++quiet) {  // nothing comes for a tenth of a second
      while (next < 200 && !sender->credits.empty()) {
        ASSERT_TRUE(sender->frame(next++, 1));
        quiet = 0;
      }
      ASSERT_TRUE(sender->soon_frame(next, {}));  // reads what comes
    }
    if (policy == RingPolicy::block) {
      EXPECT_LT(next, 64U);
    } else {
      EXPECT_GE(next, 200U);
    }
  }
}

}  // namespace
}  // namespace echoloop::live_allowance_test
