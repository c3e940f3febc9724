// What decides a stream's rate, from made-up spans: copy, processing, period, and the two predictions. And the files
// that the spans are written to.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/timing_trace.h"

namespace echoloop::stream_timing_test {
namespace {

constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kBoot = 9'000'000'000'000'000;

Span span_of(std::uint64_t frame, Stage stage, std::int64_t start_us, std::int64_t length_us) {
  return {.frame = frame,
          .stage = stage,
          .lane = static_cast<std::uint8_t>(frame % 2),
          .start_ns = kBoot + start_us * kUs,
          .end_ns = kBoot + (start_us + length_us) * kUs};
}

// A frame whose copy takes 300 us; its kernels 100 + 200 + 50 + 50 us, with 100 us between the first two.
void add_frame(std::vector<Span>& spans, std::uint64_t frame, std::int64_t begin_us) {
  spans.push_back(span_of(frame, Stage::produce, begin_us - 5000, 900));
  spans.push_back(span_of(frame, Stage::upload, begin_us, 300));
  spans.push_back(span_of(frame, Stage::condition, begin_us + 310, 100));
  spans.push_back(span_of(frame, Stage::beamform, begin_us + 510, 200));
  spans.push_back(span_of(frame, Stage::envelope, begin_us + 710, 50));
  spans.push_back(span_of(frame, Stage::compress, begin_us + 760, 50));
  spans.push_back(span_of(frame, Stage::present, begin_us + 2000, 700));
}

TEST(StreamTiming, OneFrameAfterTheOther) {
  std::vector<Span> spans;
  for (std::uint64_t n = 0; n < 11; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 820);
  const StreamTiming timing = stream_timing(spans);
  EXPECT_NEAR(timing.t_t_ms, 0.3, 1e-9);
  EXPECT_NEAR(timing.t_p_ms, 0.5, 1e-9);  // from 310 to 810 us, pauses included
  EXPECT_NEAR(timing.period_ms, 0.82, 1e-9);
  EXPECT_EQ(timing.frames, 11U);
  EXPECT_NEAR(timing.serial_ms(), 0.8, 1e-9);
  EXPECT_NEAR(timing.overlap_ms(), 0.5, 1e-9);
}

TEST(StreamTiming, TheLargerOneDecidesWhenTheyOverlap) {
  EXPECT_EQ((StreamTiming{.t_t_ms = 3.0, .t_p_ms = 2.0}).overlap_ms(), 3.0);
  EXPECT_EQ((StreamTiming{.t_t_ms = 2.0, .t_p_ms = 3.0}).overlap_ms(), 3.0);
  EXPECT_EQ((StreamTiming{.t_t_ms = 2.0, .t_p_ms = 3.0}).serial_ms(), 5.0);
}

TEST(StreamTiming, MediansForgetAnOutlierThePeriodDoesNot) {
  std::vector<Span> spans;
  for (std::uint64_t n = 0; n < 11; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 1000 + (n > 5 ? 4000 : 0));
  for (Span& span : spans) {
    if (span.frame == 5 && span.stage == Stage::upload) span.start_ns -= 900 * kUs;
  }
  const StreamTiming timing = stream_timing(spans);
  EXPECT_NEAR(timing.t_t_ms, 0.3, 1e-9);
  EXPECT_NEAR(timing.period_ms, 1.4, 1e-9);  // (10 x 1 ms + 4 ms) / 10
}

TEST(StreamTiming, ATimeWithoutFramesIsNotPartOfThePeriod) {
  std::vector<Span> spans;
  for (std::uint64_t n = 0; n < 5; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 1000);
  for (std::uint64_t n = 5; n < 9; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 2000 + 100'000'000);
  EXPECT_GT(stream_timing(spans).period_ms, 10'000.0);
  const StreamTiming resumed = stream_timing(spans, kBoot + 50'000'000 * kUs);
  EXPECT_NEAR(resumed.period_ms, 2.0, 1e-9);
  EXPECT_EQ(resumed.frames, 4U);
  EXPECT_EQ(stream_timing(spans, kBoot + 200'000'000 * kUs).frames, 0U);
}

TEST(StreamTiming, FramesWithAHalfMissingDoNotCount) {
  std::vector<Span> spans;
  for (std::uint64_t n = 0; n < 5; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 1000);
  spans.erase(spans.begin(), spans.begin() + 3);          // frame 0's copy was overwritten in the trace
  spans.push_back(span_of(5, Stage::upload, 5000, 300));  // frame 5 is still in its lane
  spans.push_back(span_of(5, Stage::condition, 5310, 100));
  EXPECT_EQ(stream_timing(spans).frames, 4U);
  EXPECT_NEAR(stream_timing(spans).period_ms, 1.0, 1e-9);
}

TEST(StreamTiming, NothingIsKnownFromOneFrame) {
  std::vector<Span> spans;
  EXPECT_EQ(stream_timing(spans).frames, 0U);
  add_frame(spans, 3, 0);
  EXPECT_EQ(stream_timing(spans).frames, 0U);
  EXPECT_EQ(stream_timing(spans).period_ms, 0.0);
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(TimingFiles, CsvHoldsEverySpanFromZero) {
  TimingTrace trace;
  std::vector<Span> spans;
  for (std::uint64_t n = 7; n < 10; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * 1000);
  for (const Span& span : spans) trace.add(span);
  const std::string csv = trace.csv();
  EXPECT_EQ(csv.back(), '\n');
  const auto rows = rows_of(csv);
  ASSERT_EQ(rows.size(), 1 + spans.size());
  EXPECT_EQ(rows[0], (std::vector<std::string>{"frame", "stage", "lane", "start_ns", "end_ns"}));
  const std::int64_t origin = spans.front().start_ns;  // frame 7's production comes first
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const std::vector<std::string> expected = {std::to_string(span.frame), std::string(row_of(span.stage).key),
                                               std::to_string(span.lane), std::to_string(span.start_ns - origin),
                                               std::to_string(span.end_ns - origin)};
    EXPECT_EQ(rows[i + 1], expected);
  }
}

TEST(TimingFiles, EveryStageAndExtremeNumbersSurvive) {
  TimingTrace trace;
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  for (int s = 0; s < kStageCount; ++s) {
    trace.add({.frame = kLast,
               .stage = static_cast<Stage>(s),
               .lane = 255,
               .start_ns = kBoot,
               .end_ns = kBoot + 3'600'000'000'000});
  }
  const auto rows = rows_of(trace.csv());
  ASSERT_EQ(rows.size(), 1U + kStageCount);
  const nlohmann::json json = nlohmann::json::parse(trace.chrome_json());
  std::set<std::string> names;
  std::set<int> threads, named;
  for (const nlohmann::json& event : json.at("traceEvents")) {
    if (event.at("ph") == "M") named.insert(event.at("tid").get<int>());
    if (event.at("ph") != "X") continue;
    names.insert(event.at("name"));
    threads.insert(event.at("tid").get<int>());
    EXPECT_EQ(event.at("args").at("frame"), kLast);
    EXPECT_EQ(event.at("dur"), 3.6e9);  // an hour, in microseconds
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kStageCount));
  for (const int thread : threads) EXPECT_TRUE(named.contains(thread)) << "a row without a name";
  for (std::size_t s = 0; s < kStageCount; ++s) {
    EXPECT_EQ(rows[s + 1][0], std::to_string(kLast));
    EXPECT_EQ(rows[s + 1][1], kStages[s].key);
  }
}

// Events of one row may be inside one another, but not overlap.
TEST(TimingFiles, KernelsSideBySideGetARowALane) {
  for (const std::int64_t step_us : {820, 200}) {
    TimingTrace trace;
    std::vector<Span> spans;
    for (std::uint64_t n = 0; n < 4; ++n) add_frame(spans, n, static_cast<std::int64_t>(n) * step_us);
    for (const Span& span : spans) trace.add(span);
    std::set<int> kernels;
    std::set<std::string> names;
    const nlohmann::json json = nlohmann::json::parse(trace.chrome_json());
    for (const nlohmann::json& event : json.at("traceEvents")) {
      if (event.at("name") == "beamform") kernels.insert(event.at("tid").get<int>());
      if (event.at("ph") == "M") names.insert(event.at("args").at("name"));
    }
    EXPECT_EQ(kernels.size(), step_us == 820 ? 1U : 2U);
    EXPECT_EQ(names.contains("kernels, lane 2"), step_us == 200);
  }
}

// What --help, the manual and the window's message say of long streams.
TEST(TimingFiles, HoldTheNewest16384Spans) {
  TimingTrace trace;
  for (std::uint64_t n = 0; n < 16384 + 5; ++n) {
    trace.add({.frame = n, .stage = Stage::produce, .lane = 0, .start_ns = kBoot, .end_ns = kBoot + 1});
  }
  const auto rows = rows_of(trace.csv());
  ASSERT_EQ(rows.size(), 1U + 16384U);
  EXPECT_EQ(rows[1][0], "5");
  EXPECT_EQ(rows.back()[0], std::to_string(16384 + 4));
}

TEST(TimingFiles, AnEmptyTraceIsAHeaderAlone) { EXPECT_EQ(TimingTrace().csv(), "frame,stage,lane,start_ns,end_ns\n"); }

TEST(TimingTrace, LatenciesReadyAndShownAreApart) {
  TimingTrace trace;
  trace.add_latency(Latency::ready, 0, 1'000'000);
  trace.add_latency(Latency::shown, 0, 20'000'000);
  trace.add_latency(Latency::shown, 0, 30'000'000);
  std::uint64_t ready = 0, shown = 0;
  EXPECT_EQ(trace.new_latencies_ms(Latency::ready, ready), (std::vector<double>{1.0}));
  EXPECT_EQ(trace.new_latencies_ms(Latency::shown, shown), (std::vector<double>{20.0, 30.0}));
  EXPECT_EQ(trace.summarize_latency(Latency::shown).max_ms, 30.0);
}

TEST(Summarize, OneInAThousand) {
  std::vector<double> values;
  for (int i = 1; i <= 2000; ++i) values.push_back(i);
  EXPECT_EQ(summarize(values).p999_ms, 1998.0);
}

}  // namespace
}  // namespace echoloop::stream_timing_test
