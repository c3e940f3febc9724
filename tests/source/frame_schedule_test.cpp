// When frames are due: rate, pace, bursts, jitter, stalls and what comes late, by a given clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/stream_settings.h"
#include "source/producer.h"

namespace echoloop::frame_schedule_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

struct Timing {
  double rate_hz = kRateMax, pace_ms = 0.0;
  Injection inject = {};
};

// Times of n frames in ms from the first, each taken as soon as it is due; `late(i)`: ms that frame i is taken later.
std::vector<double> times_ms(const Timing& timing, int n, const std::function<int(int)>& late = nullptr) {
  FrameSchedule schedule;
  const std::int64_t begin = 1'000'000 * kMs;
  std::int64_t now = begin;
  std::vector<double> times;
  schedule.restart(now);
  for (int i = 0; i < n; ++i) {
    now = std::max(now, schedule.due()) + (late ? late(i) : 0) * kMs;
    schedule.take(timing.rate_hz, timing.inject, now);
    schedule.rest(timing.pace_ms, now);
    times.push_back(static_cast<double>(now - begin) * 1e-6);
  }
  return times;
}

TEST(FrameSchedule, KeepsItsRate) {
  const std::vector<double> t = times_ms({.rate_hz = 500.0}, 201);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_DOUBLE_EQ(t[i], 2.0 * static_cast<double>(i));
}

TEST(FrameSchedule, UnpacedEveryFrameIsDueAtOnce) { EXPECT_EQ(times_ms({}, 50).back(), 0.0); }

TEST(FrameSchedule, TheSlowestRateIsATimeThatTheClockReaches) {
  const std::vector<double> t = times_ms({.rate_hz = 1e-300}, 3);
  EXPECT_DOUBLE_EQ(t[1], 1e11);
  EXPECT_DOUBLE_EQ(t[2], 2e11);
}

TEST(FrameSchedule, PaceSlowsARateThatIsFasterOnly) {
  EXPECT_DOUBLE_EQ(times_ms({.rate_hz = 1000.0, .pace_ms = 4.0}, 41)[40], 160.0);
  EXPECT_DOUBLE_EQ(times_ms({.rate_hz = 100.0, .pace_ms = 4.0}, 41)[40], 400.0);
  EXPECT_DOUBLE_EQ(times_ms({.pace_ms = 4.0}, 41)[40], 160.0);
}

TEST(FrameSchedule, BurstsComeAtOnceAndKeepTheMeanRate) {
  const std::vector<double> t = times_ms({.rate_hz = 400.0, .inject = {.burst_frames = 20}}, 201);
  for (std::size_t i = 1; i < t.size(); ++i) EXPECT_DOUBLE_EQ(t[i], 50.0 * static_cast<double>((i + 19) / 20)) << i;
}

TEST(FrameSchedule, JitterMovesFramesButNotTheMeanRate) {
  const std::vector<double> t = times_ms({.rate_hz = 200.0, .inject = {.jitter_ms = 4.0}}, 2001);
  double shortest = 1e9, longest = 0.0, mean = 0.0;
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double late = t[i] - 5.0 * static_cast<double>(i);
    EXPECT_GE(late, 0.0);
    EXPECT_LE(late, 4.0);
    mean += late / 2000.0;
    shortest = std::min(shortest, t[i] - t[i - 1]);
    longest = std::max(longest, t[i] - t[i - 1]);
  }
  EXPECT_NEAR(mean, 2.0, 0.15);  // uniform: 4 / sqrt(12 * 2000) = 0.026
  EXPECT_LT(shortest, 1.5);      // 5 ms, less or more up to 4
  EXPECT_GT(longest, 8.5);
}

// Frames that come late by chance are not a schedule that cannot be kept.
TEST(FrameSchedule, JitterLongerThanManyPeriodsKeepsTheMeanRateToo) {
  const std::vector<double> t = times_ms({.rate_hz = 200.0, .inject = {.jitter_ms = 300.0}}, 401);
  EXPECT_GE(t[400], 2000.0);
  EXPECT_LE(t[400], 2300.0);
}

TEST(FrameSchedule, ALateFrameIsMadeUpForATenthOfASecondIsNot) {
  const auto once = [](int ms) { return [ms](int i) { return i == 10 ? ms : 0; }; };
  EXPECT_DOUBLE_EQ(times_ms({.rate_hz = 200.0}, 101, once(90)).back(), 500.0);
  EXPECT_DOUBLE_EQ(times_ms({.rate_hz = 200.0}, 101, once(110)).back(), 610.0);
}

TEST(FrameSchedule, AfterAStallItGoesOnWithoutMakingUpForIt) {
  const std::vector<double> t = times_ms({.rate_hz = 200.0, .inject = {.stall_ms = 200.0, .stall_every_s = 0.3}}, 401);
  int stalls = 0;
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double step = t[i] - t[i - 1];
    if (step > 100.0) {
      ++stalls;
      EXPECT_DOUBLE_EQ(step, 200.0);
    } else {
      EXPECT_DOUBLE_EQ(step, 5.0);
    }
  }
  EXPECT_EQ(stalls, 5);
}

TEST(FrameSchedule, AChangeDoesNotWaitOutTheOldPeriodOrRest) {
  FrameSchedule schedule;
  schedule.restart(0);
  schedule.take(1e-6, {}, 0);
  schedule.rest(1e9, 0);
  EXPECT_EQ(schedule.due(), 1'000'000'000 * kMs);
  schedule.change(100.0, 1.0, 5 * kMs);
  EXPECT_EQ(schedule.due(), 15 * kMs);
  schedule.change(kRateMax, 4.0, 6 * kMs);
  EXPECT_EQ(schedule.due(), 6 * kMs);
  schedule.change(1.0, 0.0, 7 * kMs);
  EXPECT_EQ(schedule.due(), 6 * kMs) << "a slower one does not move the frame that is due";
}

}  // namespace
}  // namespace echoloop::frame_schedule_test
