// Levels counted into bins.
#include "core/results/level_histogram.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace echoloop::level_histogram_test {
namespace {

TEST(LevelHistogram, EveryPixelIsCountedOnce) {
  const float nothing = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const std::vector<float> db = {-80.0F, -79.5F,  -79.0F,  -0.5F,  0.0F,     3.0F,
                                 -80.5F, -600.0F, nothing, -40.2F, infinite, -infinite};
  LevelHistogram h{.first_db = -80.0, .step_db = 1.0};
  for (int again = 0; again < 2; ++again) {
    count_levels(db, 80, h);
    ASSERT_EQ(h.counts.size(), 80U);
    EXPECT_EQ(h.counts[0], 2U);
    EXPECT_EQ(h.counts[1], 1U);
    EXPECT_EQ(h.counts[39], 1U);
    EXPECT_EQ(h.counts[79], 1U);
    EXPECT_EQ(h.above, 3U);
    EXPECT_EQ(h.below, 3U);
    EXPECT_EQ(h.without, 1U);
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), std::uint64_t{0}) + h.above + h.below + h.without,
              db.size());
  }
}

}  // namespace
}  // namespace echoloop::level_histogram_test
