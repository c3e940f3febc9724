// Percentiles by nearest rank, a ring that forgets the oldest, and a trace that a JSON parser reads.
#include "core/timing_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace echoloop::timing_trace_test {
namespace {

Span span_of(std::uint64_t frame, Stage stage, std::int64_t start_ns, std::int64_t length_ns) {
  return {.frame = frame, .stage = stage, .lane = 1, .start_ns = start_ns, .end_ns = start_ns + length_ns};
}

TEST(Summarize, NearestRank) {
  std::vector<double> values;
  for (int i = 200; i >= 1; --i) values.push_back(i);
  const StageSummary s = summarize(values);
  EXPECT_EQ(s.p50_ms, 100.0);
  EXPECT_EQ(s.p95_ms, 190.0);
  EXPECT_EQ(s.p99_ms, 198.0);
  EXPECT_EQ(s.max_ms, 200.0);
  EXPECT_EQ(s.count, 200U);
}

TEST(Summarize, FewValuesAndNone) {
  std::vector<double> one = {3.0};
  EXPECT_EQ(summarize(one).p50_ms, 3.0);
  EXPECT_EQ(summarize(one).p99_ms, 3.0);
  std::vector<double> none;
  EXPECT_EQ(summarize(none).count, 0U);
  EXPECT_EQ(summarize(none).max_ms, 0.0);
}

TEST(TimingTrace, StagesAreSummedUpApart) {
  TimingTrace trace;
  for (int i = 1; i <= 10; ++i) {
    trace.add(span_of(0, Stage::beamform, 1000, i * 1'000'000));
    trace.add(span_of(0, Stage::upload, 1000, 2'000'000));
    trace.add_latency(Latency::ready, 0, i * 1'000'000);
  }
  const auto stages = trace.summarize_stages();
  EXPECT_DOUBLE_EQ(stages[static_cast<std::size_t>(Stage::beamform)].p50_ms, 5.0);
  EXPECT_DOUBLE_EQ(stages[static_cast<std::size_t>(Stage::beamform)].max_ms, 10.0);
  EXPECT_DOUBLE_EQ(stages[static_cast<std::size_t>(Stage::upload)].p95_ms, 2.0);
  EXPECT_EQ(stages[static_cast<std::size_t>(Stage::present)].count, 0U);
  EXPECT_DOUBLE_EQ(trace.summarize_latency(Latency::ready).p50_ms, 5.0);
}

TEST(TimingTrace, ForgetsTheOldestFirst) {
  TimingTrace trace(8);
  for (std::uint64_t frame = 0; frame < 20; ++frame) {
    trace.add(span_of(frame, Stage::upload, 0, 1));
    trace.add_latency(Latency::ready, 0, static_cast<std::int64_t>(frame) * 1'000'000);
  }
  const std::vector<Span> spans = trace.spans();
  ASSERT_EQ(spans.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(spans[i].frame, 12 + i);
  std::uint64_t seen = 0;
  const std::vector<double> latencies_ms = trace.new_latencies_ms(Latency::ready, seen);
  ASSERT_EQ(latencies_ms.size(), 8U);
  EXPECT_EQ(latencies_ms.front(), 12.0);
  EXPECT_EQ(latencies_ms.back(), 19.0);
  trace.clear();
  EXPECT_TRUE(trace.spans().empty());
  seen = 0;
  EXPECT_TRUE(trace.new_latencies_ms(Latency::ready, seen).empty());
}

TEST(TimingTrace, ChromeTraceIsJsonWithTimesInMicroseconds) {
  TimingTrace trace;
  constexpr std::int64_t kBoot = 9'000'000'000'000'000;  // steady clocks are large: nothing may be lost to rounding
  trace.add(span_of(41, Stage::beamform, kBoot + 2'000'500, 1'500'000));
  trace.add(span_of(41, Stage::upload, kBoot, 250'000));
  const nlohmann::json json = nlohmann::json::parse(trace.chrome_json());
  std::vector<nlohmann::json> spans;
  std::size_t names = 0;
  for (const nlohmann::json& event : json.at("traceEvents")) {
    if (event.at("ph") == "X") spans.push_back(event);
    names += event.at("ph") == "M" ? 1U : 0U;
  }
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(names, 6U) << "each row has a name";
  EXPECT_EQ(spans[0].at("name"), "beamform");
  EXPECT_DOUBLE_EQ(spans[0].at("ts").get<double>(), 2000.5);
  EXPECT_DOUBLE_EQ(spans[0].at("dur").get<double>(), 1500.0);
  EXPECT_EQ(spans[0].at("args").at("frame"), 41);
  EXPECT_EQ(spans[0].at("args").at("lane"), 1);
  EXPECT_DOUBLE_EQ(spans[1].at("ts").get<double>(), 0.0);
  EXPECT_NE(spans[0].at("tid"), spans[1].at("tid")) << "copies and kernels have a row each";
}

TEST(TimingTrace, AnEmptyTraceIsJsonToo) { EXPECT_TRUE(nlohmann::json::accept(TimingTrace().chrome_json())); }

// Percentiles of the last 10 s and since the start, of as many frames as there may be.

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
  std::uint64_t seen = 0;
  EXPECT_EQ(trace.new_latencies_ms(Latency::shown, seen), (std::vector<double>{4.0, 6.0}));
  EXPECT_EQ(trace.summarize_latency(Latency::shown).max_ms, 6.0);
  EXPECT_EQ(trace.recent_latency(Latency::shown).count, 1U);
}

}  // namespace
}  // namespace echoloop::timing_trace_test
