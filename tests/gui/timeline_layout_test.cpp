// The timeline without a window: where spans go, what is cut, zoom and drag; the verdict on the predictions.
#include <algorithm>

#include "gui/panels/panels.h"
#include "gui/stream_scene.h"

namespace echoloop::testing::timeline_layout_test {
namespace {

constexpr MapSizes kSizes{.x0 = 100, .x1 = 400};

TEST(TimelineLayout, FramesAreTheNewestFinishedOnes) {
  const SpanScript script;
  std::vector<Span> spans = script_spans(script);
  spans.push_back({99'999, Stage::upload, 0, kScriptBegin_ns + 70'000'000, kScriptBegin_ns + 70'100'000});
  const auto frames = last_frames(spans, 5);
  ASSERT_EQ(frames.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(frames[i].frame, script.first + 55 + i);
    EXPECT_EQ(frames[i].begin_ns, kScriptBegin_ns + static_cast<std::int64_t>(55 + i) * 1'000'000 - 50'000);
  }
  EXPECT_EQ(mean_period_ns(frames), 1'000'000);
  EXPECT_TRUE(last_frames({}, 5).empty());
  EXPECT_EQ(last_frames(spans, 500).size(), 60u);
}

TEST(TimelineLayout, ProductionFarAheadIsNotTheFramesBegin) {
  std::vector<Span> spans = script_spans({.produce_ms = 0.05});
  for (Span& s : spans) {
    if (s.stage == Stage::produce) s.start_ns -= 5'000'000;  // behind a queue
  }
  EXPECT_EQ(last_frames(spans, 2).back().begin_ns, kScriptBegin_ns + 59'000'000);
}

TEST(TimelineLayout, BusyStreamIsDrawnWhole) {
  const auto spans = script_spans({});
  const auto frames = last_frames(spans, 5);
  const TimeMap map = fit_map(spans, frames, 0, kSizes);
  EXPECT_EQ(map.shown_ns, 0);
  ASSERT_EQ(map.pieces.size(), 1u);
  EXPECT_NEAR(map.frame_x[1] - map.frame_x[0], 60.0, 0.01);  // 5 ms over 300 pixels
  EXPECT_EQ(map.time_at(100), frames[0].begin_ns);
  const auto rows = timeline_rows(2);
  ASSERT_EQ(rows.size(), 7u);
  for (const TimeBlock& b : timeline_blocks(spans, map, rows, 2)) {
    EXPECT_GE(b.x0, 100.0F);
    EXPECT_LE(b.x1, 400.0F);
    if (b.span.stage == Stage::upload && b.span.frame == frames[1].frame) {
      EXPECT_EQ(b.row, 1u);
      EXPECT_NEAR(b.x0, map.frame_x[1] + 3.0, 0.01);  // after 0.05 ms of production
      EXPECT_NEAR(b.x1 - b.x0, 0.24 * 60, 0.01);
    }
    if (b.span.stage == Stage::beamform) {
      EXPECT_EQ(b.row, 2u + b.span.lane);
    }
    if (b.span.stage != Stage::vsync) {
      EXPECT_GE(b.x1 - b.x0, 1.99F);
    }
  }
}

TEST(TimelineLayout, IdleTimeIsCutBelowATenth) {
  const SpanScript script{.period_ms = 20, .copy_ms = 0.1, .kernels_ms = 0.4};
  const auto spans = script_spans(script);
  const auto frames = last_frames(spans, 5);
  const TimeMap map = fit_map(spans, frames, 0, kSizes);
  EXPECT_EQ(map.shown_ns, 1'000'000);
  ASSERT_EQ(map.frame_x.size(), 5u);
  const float cell = (300.0F - 4 * 6) / 5;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(map.frame_x[i], 100 + static_cast<float>(i) * (cell + 6), 0.01);
  // Every piece at the same scale, none over another, in order of time.
  for (std::size_t i = 0; i < map.pieces.size(); ++i) {
    const TimePiece& p = map.pieces[i];
    EXPECT_NEAR(static_cast<double>(p.to_ns - p.from_ns), static_cast<double>(p.x1 - p.x0) * map.ns_per_px,
                2.0 * map.ns_per_px);
    if (i > 0) {
      EXPECT_GE(p.from_ns, map.pieces[i - 1].to_ns);
      EXPECT_GT(p.x0, map.pieces[i - 1].x1);
    }
  }
  // All work on these frames is there, also the image's way to the screen.
  const auto blocks = timeline_blocks(spans, map, timeline_rows(2), 2);
  for (const Span& span : spans) {
    if (span.start_ns < frames.front().begin_ns || span.stage == Stage::draw || span.stage == Stage::vsync) continue;
    const bool drawn = std::any_of(blocks.begin(), blocks.end(), [&](const TimeBlock& b) {
      return b.span.frame == span.frame && b.span.stage == span.stage;
    });
    EXPECT_TRUE(drawn) << row_of(span.stage).title << " " << span.frame;
  }
  // A little more work does not change the scale back and forth.
  EXPECT_EQ(fit_map(spans, frames, 2'000'000, kSizes).shown_ns, 2'000'000);
  EXPECT_EQ(fit_map(spans, frames, 500'000, kSizes).shown_ns, 1'000'000);
  EXPECT_EQ(fit_map(spans, frames, 10'000'000, kSizes).shown_ns, 1'000'000);
  // Work of more than a tenth is drawn whole.
  const auto busy = script_spans({.period_ms = 20, .copy_ms = 1.0, .kernels_ms = 1.5});
  EXPECT_EQ(fit_map(busy, last_frames(busy, 5), 0, kSizes).shown_ns, 0);
}

TEST(TimelineLayout, ZoomKeepsTheMomentUnderThePointer) {
  for (const SpanScript& script : {SpanScript{}, SpanScript{.period_ms = 20, .copy_ms = 0.1, .kernels_ms = 0.4}}) {
    const auto spans = script_spans(script);
    const auto frames = last_frames(spans, 5);
    TimelineState state;
    TimeMap map = timeline_map(spans, frames, state, kSizes);
    const float x = map.frame_x[2] + 5;
    const std::int64_t t = map.time_at(x);
    for (int i = 0; i < 6; ++i) {
      const double before = map.ns_per_px;
      state.zoom = zoom_about(map, frames, kSizes, x, 0.8);
      map = timeline_map(spans, frames, state, kSizes);
      EXPECT_NEAR(map.ns_per_px, 0.8 * before, 1e-6 * before);
      EXPECT_NEAR(static_cast<double>(map.time_at(x)), static_cast<double>(t), map.ns_per_px);
    }
    state.zoom = pan_by(map, frames, kSizes, x, 40);
    map = timeline_map(spans, frames, state, kSizes);
    EXPECT_NEAR(static_cast<double>(map.time_at(x + 40)), static_cast<double>(t), map.ns_per_px);
    // However far somebody drags, some of the frames stays in view.
    for (int i = 0; i < 100; ++i) {
      state.zoom = pan_by(map, frames, kSizes, 390, -280);
      map = timeline_map(spans, frames, state, kSizes);
    }
    EXPECT_LT(map.pieces[0].from_ns, frames.back().end_ns);
  }
}

TEST(TimelineVerdict, SaysWhichPredictionIsMet) {
  const auto verdict = [](double period, double budget = 0.0) {
    return timing_verdict({.t_t_ms = 1.0, .t_p_ms = 2.0, .period_ms = period, .frames = 100}, {.budget_ms = budget});
  };
  EXPECT_NE(verdict(2.04).find("matches overlap (+2.0 %)"), std::string::npos) << verdict(2.04);
  EXPECT_NE(verdict(2.97).find("matches serial"), std::string::npos);
  EXPECT_NE(verdict(2.5).find("50 %"), std::string::npos);
  EXPECT_NE(verdict(20, 20).find("limited by the source"), std::string::npos);
  EXPECT_NE(verdict(20).find("slower than predicted"), std::string::npos);
  EXPECT_NE(verdict(1.2).find("faster"), std::string::npos);
  EXPECT_NE(timing_verdict({}, {.budget_ms = 20}).find("No timings"), std::string::npos);
  const StreamTiming small{.t_t_ms = 0.001, .t_p_ms = 2.0, .period_ms = 2.0, .frames = 9};
  EXPECT_NE(timing_verdict(small, {}).find("serial and overlap agree"), std::string::npos);
}

TEST(TimelineVerdict, OnACpuProcessingWaitsOrIsWaitedFor) {
  const StreamTiming slow{.t_t_ms = 0.0, .t_p_ms = 43.0, .period_ms = 47.5, .frames = 100};
  const std::string held = timing_verdict(slow, {.budget_ms = 20, .source_share = 0.54, .on_cpu = true});
  EXPECT_NE(held.find("21.1 frames/s: limited by processing"), std::string::npos) << held;
  EXPECT_NE(held.find("the source waits 54 %"), std::string::npos) << held;
  const StreamTiming dropping{.t_t_ms = 0.0, .t_p_ms = 43.0, .period_ms = 44.0, .frames = 100};
  EXPECT_NE(timing_verdict(dropping, {.budget_ms = 20, .on_cpu = true}).find("limited by processing"),
            std::string::npos);
  const StreamTiming quick{.t_t_ms = 0.0, .t_p_ms = 5.0, .period_ms = 20.0, .frames = 100};
  const std::string paced = timing_verdict(quick, {.budget_ms = 20, .on_cpu = true});
  EXPECT_NE(paced.find("limited by the source"), std::string::npos) << paced;
  EXPECT_NE(paced.find("200 frames/s"), std::string::npos) << paced;
  // On a busy machine a few frames take far longer than the median; what is dropped tells who is slow.
  const StreamTiming busy{.t_t_ms = 0.0, .t_p_ms = 28.0, .period_ms = 82.0, .frames = 100};
  const std::string lost = timing_verdict(busy, {.budget_ms = 20, .dropped_share = 0.65, .on_cpu = true});
  EXPECT_NE(lost.find("limited by processing"), std::string::npos) << lost;
  EXPECT_NE(lost.find("65 % of the frames are dropped"), std::string::npos) << lost;
  const std::string rests = timing_verdict(slow, {.budget_ms = 20, .at_rest = true, .on_cpu = true});
  EXPECT_EQ(rests.find("limited by"), std::string::npos) << "the share of waits is that of the last second";
  EXPECT_NE(rests.find("before the pause"), std::string::npos) << rests;
}

}  // namespace
}  // namespace echoloop::testing::timeline_layout_test
