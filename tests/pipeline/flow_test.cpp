// Flow beside the stream: images come every few frames and say what they are made of, the B-mode images stay as
// they are, missing frames begin an ensemble again, what cannot be is refused and the stream goes on.
#include <gtest/gtest.h>

#include "backend/flow_engine.h"
#include "support/ensembles.h"
#include "support/one_line.h"
#include "support/streaming.h"

namespace echoloop::flow_test {
namespace {

using namespace testing;

ImagingParams flow_params(const Acquisition& a) {
  ImagingParams p = small_picture(a);
  p.color_flow.mode = FlowMode::power;
  p.color_flow.frames = 16;
  p.color_flow.step = 4;
  return p;
}

AcquisitionPtr flow_acquisition() {
  Acquisition a = linear_acquisition();
  a.frame_rate_hz = 1000.0;
  return std::make_shared<const Acquisition>(std::move(a));
}

// Drives an engine by hand: an image is finished before the next frame comes.
class Engines : public ::testing::Test {
 protected:
  Engines() : engine_(make_cpu_backend(2)->make_device<FlowAnalysis>(), pictures_) {}

  void take(const std::shared_ptr<const Plan>& plan, std::uint64_t index, bool settle = true) {
    const std::size_t n = plan->das->tables->grid.pixels();
    while (frames_.size() <= index) {
      const auto values = noise(2 * n, static_cast<unsigned>(frames_.size()));
      std::vector<Complex> frame(n);
      for (std::size_t i = 0; i < n; ++i) frame[i] = {values[2 * i], values[2 * i + 1]};
      frames_.push_back(std::move(frame));
    }
    const FrameStamp stamp{
        .sequence = index, .source_index = index, .acquired_ns = now_ns(), .time_s = 1e-3 * static_cast<double>(index)};
    engine_.take({plan, {.values = frames_[index].data(), .count = n}, stamp, 30.0});
    if (settle) engine_.drain();
  }

  Mailbox<FlowImage> pictures_;
  FlowEngine engine_;
  std::vector<std::vector<Complex>> frames_;
};

TEST_F(Engines, APictureEveryFewFrames) {
  const auto a = flow_acquisition();
  const auto plan = make_plan(a, flow_params(*a));
  std::vector<std::uint64_t> newest;
  for (std::uint64_t i = 0; i < 30; ++i) {
    take(plan, i);
    if (pictures_.take()) newest.push_back(pictures_.front().stamp.source_index);
  }
  EXPECT_EQ(newest, (std::vector<std::uint64_t>{15, 19, 23, 27}));
  const FlowImage& image = pictures_.front();
  EXPECT_EQ(image.number, 4U);
  EXPECT_EQ(image.frames, 16);
  EXPECT_EQ(image.prf_hz, 1000.0);
  EXPECT_EQ(image.reference_db, 30.0);
  EXPECT_EQ(image.grid, plan->das->tables->grid);
  EXPECT_EQ(image.power_db.size(), image.grid.pixels());
  EXPECT_EQ(image.velocity_m_s.size(), image.grid.pixels());
  EXPECT_TRUE(image.low_rank_db.empty());
  EXPECT_EQ(image.singular_values.size(), 16U);
  EXPECT_EQ(image.temporal_vectors.size(), 256U);
  EXPECT_GE(image.ready_ns, image.stamp.acquired_ns);
  EXPECT_EQ(engine_.counts().pictures, 4U);
  EXPECT_EQ(engine_.counts().restarts, 0U);
}

TEST_F(Engines, AMissingFrameBeginsTheEnsembleAgain) {
  const auto a = flow_acquisition();
  const auto plan = make_plan(a, flow_params(*a));
  for (std::uint64_t i = 0; i < 15; ++i) take(plan, i);
  for (std::uint64_t i = 16; i < 31; ++i) take(plan, i);
  EXPECT_EQ(engine_.counts().pictures, 0U);
  EXPECT_EQ(engine_.counts().restarts, 1U);
  take(plan, 31);
  EXPECT_EQ(engine_.counts().pictures, 1U);
}

TEST_F(Engines, OtherPixelsBeginTheEnsembleAgainOtherFiltersDoNot) {
  const auto a = flow_acquisition();
  ImagingParams p = flow_params(*a);
  auto plan = make_plan(a, p);
  for (std::uint64_t i = 0; i < 16; ++i) take(plan, i);
  p.color_flow.wall_filter = WallFilter::fir;
  p.display.gain_db = 6.0;
  plan = make_plan(a, p, plan);
  for (std::uint64_t i = 16; i < 20; ++i) take(plan, i);
  EXPECT_EQ(engine_.counts().pictures, 2U);
  ASSERT_TRUE(pictures_.take());
  EXPECT_TRUE(pictures_.front().singular_values.empty());
  p.formation.f_number = 3.0;
  plan = make_plan(a, p, plan);
  for (std::uint64_t i = 20; i < 35; ++i) take(plan, i);
  EXPECT_EQ(engine_.counts().pictures, 2U);
  take(plan, 35);
  EXPECT_EQ(engine_.counts().pictures, 3U);
}

TEST_F(Engines, WhoeverComesTooFastIsNotHeldUp) {
  const auto a = flow_acquisition();
  const auto plan = make_plan(a, flow_params(*a));
  for (std::uint64_t i = 0; i < 2000; ++i) take(plan, i, false);
  engine_.drain();
  const FlowCounts counts = engine_.counts();
  EXPECT_GE(counts.pictures, 1U);
  EXPECT_LE(counts.pictures, 497U);
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().number, counts.pictures);
}

// The whole stream: flow on or off, the B-mode image is the same.
TEST(FlowStream, TheBModePictureStaysAsItIs) {
  const auto a = flow_acquisition();
  const auto source = noise_source(a, 20);
  const ImagingParams with = flow_params(*a);
  ImagingParams without = with;
  without.color_flow.mode = FlowMode::off;
  const std::vector<Picture> before = process({.source = source, .params = without, .frames = 20});
  Mailbox<FlowImage> flows;
  AnalysisCounts counts;
  const std::vector<Picture> after = process(
      {.source = source, .params = with, .frames = 20, .analyses = AnalysisMailboxes::only(flows), .counts = &counts});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].db, before[i].db) << i;
  ASSERT_TRUE(flows.take());
  EXPECT_GE(flows.front().stamp.source_index, 15U);
  EXPECT_GE(std::get<FlowCounts>(counts).pictures, 1U);
}

// Noise has no direction: the power behind no filter is that of the image, on the same scale.
TEST(FlowStream, PowerWithoutAFilterIsThePicturesOwn) {
  const auto a = flow_acquisition();
  const std::vector<std::byte> frame = to_bytes(noise(a->frame_values(), 3));
  const auto source = std::make_shared<FrameList>(a, std::vector<std::vector<std::byte>>(16, frame));
  ImagingParams p = flow_params(*a);
  p.color_flow.wall_filter = WallFilter::none;
  p.level.reference_db = 7.0;
  const auto backend = make_cpu_backend(2);
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  TimingTrace trace;
  Session session(*backend, source, images, trace,
                  {.stream = unpaced(), .params = p, .max_frames = 16, .analyses = AnalysisMailboxes::only(flows)});
  wait_until([&] { return session.done(); });
  session.stop();
  ASSERT_TRUE(images.take());
  ASSERT_TRUE(flows.take());
  const std::span<const float> picture = images.front().host();
  for (std::size_t i = 0; i < picture.size(); ++i) {
    ASSERT_NEAR(flows.front().power_db[i], picture[i], 2e-3f) << i;
    ASSERT_NEAR(flows.front().velocity_m_s[i], 0.0f, 1e-6f) << i;
  }
}

TEST(FlowStream, WhatHasNoMeaningIsRefused) {
  Acquisition a = linear_acquisition();
  a.frame_rate_hz = 0.0;
  ImagingParams p = small_picture(a);
  p.color_flow.mode = FlowMode::velocity;
  expect_refusal([&] { check_params(a, p); }, "flow_prf_hz");
  p.color_flow.prf_hz = 2000.0;
  EXPECT_NO_THROW(check_params(a, p));
  p.formation.recipe = Recipe::course;
  expect_refusal([&] { check_params(a, p); }, "recipe=analytic");
  p.formation.recipe = Recipe::analytic;
  p.color_flow.svd_low = 9;
  p.color_flow.svd_high = 8;
  expect_refusal([&] { check_params(a, p); }, "svd_low");
}

}  // namespace
}  // namespace echoloop::flow_test
