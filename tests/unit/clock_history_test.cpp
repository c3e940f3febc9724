// Plots of the last ten seconds: by the clock, however often and however irregularly somebody looks.
#include "app/clock_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/stats_collector.h"

namespace echoloop::clock_history_test {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kBegin_ns = 5'000 * kSecond_ns;

std::int64_t at_s(double seconds) { return kBegin_ns + std::llround(seconds * 1e9); }

std::size_t known(const std::vector<float>& values) {
  std::size_t n = 0;
  for (const float value : values) n += std::isnan(value) ? 0 : 1;
  return n;
}

TEST(ClockHistory, AYoungStreamStandsAtTheRight) {
  ClockHistory history(BetweenValues::nothing);
  EXPECT_EQ(known(history.values(at_s(0))), 0U);
  for (int i = 0; i < 200; ++i) history.add(at_s(0.01 * i), i);
  const std::vector<float> values = history.values(at_s(1.99));
  ASSERT_EQ(values.size(), ClockHistory::kBins);
  EXPECT_EQ(known(values), 40U);  // two seconds of ten
  for (std::size_t i = 0; i < 160; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
  EXPECT_EQ(values.back(), 199.0F);
  EXPECT_EQ(values[160], 4.0F);  // the largest of the first 50 ms
}

TEST(ClockHistory, WhatIsOlderThanTenSecondsIsGone) {
  ClockHistory history(BetweenValues::nothing);
  history.add(at_s(0), 7);
  EXPECT_EQ(history.values(at_s(9.97)).front(), 7.0F);
  EXPECT_EQ(known(history.values(at_s(10.01))), 0U);
  history.add(at_s(1000), 3);
  EXPECT_EQ(known(history.values(at_s(1000))), 1U);
}

TEST(ClockHistory, ABurstStaysAndAStateLasts) {
  ClockHistory history(BetweenValues::last_value);
  history.add(at_s(0), 2);
  history.add(at_s(1), 8);  // for a moment only
  history.add(at_s(1), 2);
  const std::vector<float> values = history.values(at_s(3));
  EXPECT_EQ(known(values), 61U);
  int bursts = 0;
  for (const float value : values) bursts += value == 8.0F ? 1 : 0;
  EXPECT_EQ(bursts, 1);
  EXPECT_EQ(values[139], 2.0F);
  EXPECT_EQ(values.back(), 2.0F);
}

TEST(Occupancy, TellsOfWhatHappenedBetweenTwoLooks) {
  RingCounts before;
  before.slots = 8;
  before.slots_peak = 3;
  before.slots_ready = 1;
  RingCounts now = before;
  EXPECT_EQ(busiest_between(before, now), 1);
  now.slots_peak = 6;
  EXPECT_EQ(busiest_between(before, now), 6);
  now.producer_waited_ns = 1;  // it waits for a slot only when none is free
  EXPECT_EQ(busiest_between(before, now), 8);
  now = before;
  now.dropped = 1;
  EXPECT_EQ(busiest_between(before, now), 8);
  now = before;
  now.refused = 1;
  EXPECT_EQ(busiest_between(before, now), 8);
  now.slots = 2;  // another ring
  EXPECT_EQ(busiest_between(before, now), 1);
}

}  // namespace
}  // namespace echoloop::clock_history_test
