// The badges of a stream that is slower than its source: when they come, what they say, when they go.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/stats_collector.h"

namespace echoloop::pace_watch_test {
namespace {

// A source of which `made_hz` frames a second come, waiting for the rest of the time, sampled as the window does.
struct Rig {
  double rate_hz = 50.0, frame_rate_hz = 50.0, made_hz = 50.0, waits = 0.0;
  bool runs = true, live = false;
  double time_s = 100.0, sequence = 7.0, waited_s = 0.0;
  PaceWatch watch = {};

  StreamPace after(double seconds) {
    StreamPace pace;
    for (double end_s = time_s + seconds; time_s < end_s - 1e-9;) {
      constexpr double kStep_s = 0.25;
      time_s += kStep_s;
      sequence += made_hz * kStep_s;
      waited_s += waits * kStep_s;
      pace = watch.update({.now_ns = std::llround(time_s * 1e9),
                           .next_sequence = static_cast<std::uint64_t>(sequence),
                           .waited_ns = std::llround(waited_s * 1e9),
                           .rate_hz = rate_hz,
                           .frame_rate_hz = frame_rate_hz,
                           .runs = runs,
                           .live = live});
    }
    return pace;
  }
};

TEST(PaceWatch, SaysNothingOfAStreamInTime) {
  for (const double rate_hz : {1.0, 5.0, 50.0, 400.0}) {
    Rig rig{.rate_hz = rate_hz, .frame_rate_hz = rate_hz, .made_hz = rate_hz};
    const StreamPace pace = rig.after(10.0);
    EXPECT_EQ(pace.held_back, HeldBack::no) << rate_hz;
    EXPECT_FALSE(pace.slower) << rate_hz;
  }
}

TEST(PaceWatch, ASourceThatWaitsIsHeldBackAfterTwoSeconds) {
  Rig rig{.made_hz = 23.0, .waits = 0.54};
  EXPECT_EQ(rig.after(2.0).held_back, HeldBack::no);
  const StreamPace pace = rig.after(0.5);
  EXPECT_EQ(pace.held_back, HeldBack::by_processing);
  EXPECT_NEAR(pace.made_hz, 23.0, 0.5);
  EXPECT_EQ(pace.rate_hz, 50.0);
  EXPECT_TRUE(pace.slower);
  EXPECT_NEAR(pace.speed, 0.46, 0.01);
  rig.made_hz = 50.0;
  rig.waits = 0.0;
  EXPECT_EQ(rig.after(3.0).held_back, HeldBack::no) << "it goes when its cause has gone";
}

TEST(PaceWatch, ASourceThatIsSlowByItselfIsNotHeldBack) {
  Rig rig{.made_hz = 30.0};
  EXPECT_EQ(rig.after(4.0).held_back, HeldBack::by_source);
}

TEST(PaceWatch, SlowMotionByTheRateIsSlowerAndNotHeldBack) {
  Rig rig{.rate_hz = 50.0, .frame_rate_hz = 3000.0, .made_hz = 50.0};
  const StreamPace pace = rig.after(4.0);
  EXPECT_EQ(pace.held_back, HeldBack::no);
  EXPECT_TRUE(pace.slower);
  EXPECT_NEAR(pace.speed, 50.0 / 3000.0, 1e-3);
}

TEST(PaceWatch, WithoutARateThereIsNothingToBeSlowerThan) {
  Rig unknown{.frame_rate_hz = 0.0, .made_hz = 50.0};
  EXPECT_FALSE(unknown.after(4.0).slower);
  Rig unpaced{.rate_hz = std::numeric_limits<double>::infinity(), .made_hz = 20.0, .waits = 0.9};
  const StreamPace pace = unpaced.after(4.0);
  EXPECT_EQ(pace.held_back, HeldBack::no);
  EXPECT_TRUE(pace.slower);
}

TEST(PaceWatch, AScannerIsHeldBackAgainstItsDescribedRateAndHasNoPlayingSpeed) {
  constexpr double kAsItComes = std::numeric_limits<double>::infinity();
  Rig rig{.rate_hz = kAsItComes, .made_hz = 23.0, .waits = 0.54, .live = true};
  const StreamPace pace = rig.after(4.0);
  EXPECT_EQ(pace.held_back, HeldBack::by_processing);
  EXPECT_EQ(pace.rate_hz, 50.0);
  EXPECT_NEAR(pace.made_hz, 23.0, 0.5);
  EXPECT_FALSE(pace.slower);
  Rig slow{.rate_hz = kAsItComes, .made_hz = 30.0, .live = true};
  EXPECT_EQ(slow.after(4.0).held_back, HeldBack::no) << "nothing holds it back";
  EXPECT_FALSE(slow.after(4.0).slower);
  Rig unknown{.rate_hz = kAsItComes, .frame_rate_hz = 0.0, .made_hz = 23.0, .waits = 0.54, .live = true};
  EXPECT_EQ(unknown.after(4.0).held_back, HeldBack::no);
}

TEST(PaceWatch, APauseAndAnotherRateBeginAnew) {
  Rig rig{.made_hz = 23.0, .waits = 0.54};
  EXPECT_EQ(rig.after(4.0).held_back, HeldBack::by_processing);
  rig.runs = false;
  rig.made_hz = 0.0;
  EXPECT_EQ(rig.after(0.25).held_back, HeldBack::no);
  EXPECT_EQ(rig.after(60.0).held_back, HeldBack::no);
  rig.runs = true;
  rig.made_hz = 50.0;
  EXPECT_EQ(rig.after(5.0).held_back, HeldBack::no) << "the pause does not count";
  rig.rate_hz = 25.0;
  rig.made_hz = 25.0;
  EXPECT_EQ(rig.after(1.5).held_back, HeldBack::no);
}

// Plots of the last ten seconds: by the clock, however often and however irregularly somebody looks.

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
}  // namespace echoloop::pace_watch_test
