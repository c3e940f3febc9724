// Number of frames that a sender may be ahead of a stream that makes it wait, with times given by the test.
#include <gtest/gtest.h>

#include "source/live/live_intake.h"

namespace echoloop::live_allowance_test {
namespace {

std::size_t after_a_second_of(double rate_hz) {
  LiveAllowance allowance;
  const std::int64_t start_ns = 5'000'000'000;
  for (double s = 0.0; s < 1.0; s += 1.0 / rate_hz) {
    allowance.count_frame(start_ns + static_cast<std::int64_t>(s * 1e9));
  }
  return allowance.frames();
}

TEST(LiveAllowance, IsTheFramesOfATenthOfASecond) {
  EXPECT_EQ(LiveAllowance().frames(), LiveAllowance::kFewest);
  EXPECT_EQ(after_a_second_of(2.0), LiveAllowance::kFewest);
  for (const double rate_hz : {50.0, 500.0, 5000.0, 50000.0}) {
    EXPECT_NEAR(static_cast<double>(after_a_second_of(rate_hz)), 0.1 * rate_hz, 2.0 + 0.001 * rate_hz) << rate_hz;
  }
}

TEST(LiveAllowance, GrowsWithEachFrameAndForgetsEarlierWindows) {
  LiveAllowance allowance;
  for (int k = 0; k < 100; ++k) allowance.count_frame(1'000'000'000 + 1000 * k);
  EXPECT_EQ(allowance.frames(), 100U);
  allowance.count_frame(9'000'000'000);
  EXPECT_EQ(allowance.frames(), LiveAllowance::kFewest);
}

}  // namespace
}  // namespace echoloop::live_allowance_test
