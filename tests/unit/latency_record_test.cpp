// Percentiles of the last 10 s and since the start, of as many frames as there may be.
#include "core/latency_record.h"

#include <gtest/gtest.h>

#include <random>

#include "core/timing_trace.h"

namespace echoloop::latency_record_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(LatencyRecord, RecentIsOfTheTimeBeforeTheNewest) {
  LatencyRecord record(1000);
  for (int i = 0; i < 100; ++i) record.add(i * kSecond, i < 90 ? 69'000.0 : 5.0);  // a frame a second
  EXPECT_EQ(record.recent(9 * kSecond).count, 10U);
  EXPECT_EQ(record.recent(9 * kSecond).max_ms, 5.0);
  EXPECT_EQ(record.recent(10 * kSecond).max_ms, 69'000.0);
  EXPECT_EQ(record.since_start().p50_ms, 69'000.0);
  EXPECT_EQ(record.since_start().count, 100U);
}

TEST(LatencyRecord, SinceTheStartForgetsNothing) {
  LatencyRecord record(64);
  std::mt19937 random(1);
  std::lognormal_distribution<double> draw(1.0, 0.7);
  std::vector<double> all;
  for (int i = 0; i < 20'000; ++i) {
    all.push_back(draw(random));
    record.add(i, all.back());
  }
  const StageSummary exact = summarize(all);
  const StageSummary s = record.since_start();
  EXPECT_EQ(s.count, 20'000U);
  EXPECT_EQ(s.max_ms, exact.max_ms);
  EXPECT_NEAR(s.p50_ms, exact.p50_ms, 0.004 * exact.p50_ms);
  EXPECT_NEAR(s.p95_ms, exact.p95_ms, 0.004 * exact.p95_ms);
  EXPECT_NEAR(s.p99_ms, exact.p99_ms, 0.004 * exact.p99_ms);
  record.clear();
  EXPECT_EQ(record.since_start().count, 0U);
  EXPECT_EQ(record.recent(kSecond).count, 0U);
}

TEST(LatencyRecord, AnyLatencyHasItsPlace) {
  LatencyRecord record(2);
  for (const double ms : {0.0, 1e-9, 1.0, 1e12, 3.0}) record.add(0, ms);
  EXPECT_EQ(record.since_start().max_ms, 1e12);
  EXPECT_EQ(record.since_start().count, 5U);
  EXPECT_EQ(record.last_ms(9), (std::vector<double>{1e12, 3.0}));
}

TEST(TimingTrace, TimeFrozenIsNoLatency) {
  TimingTrace trace;
  trace.add_latency(Latency::shown, 10 * kSecond, 10 * kSecond + 4'000'000);
  trace.count_latencies_from(kNoLatencies);  // frozen
  trace.add_latency(Latency::shown, 11 * kSecond, 12 * kSecond);
  trace.count_latencies_from(80 * kSecond);                           // live again
  trace.add_latency(Latency::shown, 11 * kSecond, 80 * kSecond + 1);  // waited all the time
  trace.add_latency(Latency::shown, 80 * kSecond, 80 * kSecond + 6'000'000);
  EXPECT_EQ(trace.latencies_ms(Latency::shown), (std::vector<double>{4.0, 6.0}));
  EXPECT_EQ(trace.summarize_latency(Latency::shown).max_ms, 6.0);
  EXPECT_EQ(trace.recent_latency(Latency::shown).count, 1U);
}

}  // namespace
}  // namespace echoloop::latency_record_test
