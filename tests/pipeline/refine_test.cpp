// What is done to the formed image, through the whole pipeline: off is nothing at all, changes hold from the next
// frame on, the temporal average does not depend on lanes.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "backend/frame_processor.h"
#include "support/streaming.h"

namespace echoloop::refine_test {
namespace {

using namespace testing;

double linear(float db) { return std::pow(10.0, 0.05 * static_cast<double>(db)); }

ImagingParams held(const Acquisition& a) {
  ImagingParams p = small_picture(a);
  p.level.reference_db = 20.0;
  return p;
}

TEST(RefineStage, AnAverageIsThatOfTheFramesAmplitudes) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams p = held(*a);
  const std::vector<Picture> alone = process({.source = noise_source(a, 6), .params = p, .frames = 6});
  p.refine.persistence_s = 0.03;
  const double keep = std::exp(-0.02 / 0.03);  // 50 frames a second
  for (const int lanes : {1, 2, 3}) {
    StreamSettings stream = testing::unpaced();
    stream.lanes = lanes;
    const std::vector<Picture> together =
        process({.source = noise_source(a, 6), .params = p, .frames = 6, .stream = stream});
    ASSERT_EQ(together.size(), 6U);
    for (std::size_t i = 0; i < alone[0].db.size(); ++i) {
      double expected = linear(alone[0].db[i]);
      for (std::size_t f = 0; f < 6; ++f) {
        if (f > 0) expected = keep * expected + (1.0 - keep) * linear(alone[f].db[i]);
        ASSERT_NEAR(linear(together[f].db[i]) / expected, 1.0, 1e-4) << "frame " << f << ", " << lanes << " lanes";
      }
    }
  }
}

TEST(RefineStage, FiltersActAtTheNextFrameAndOffIsAsBefore) {
  const AcquisitionPtr a = share(linear_acquisition());
  const ImagingParams off = held(*a);
  std::vector<std::vector<std::byte>> frames(12, testing::to_bytes(testing::noise(a->frame_values(), 4)));
  const auto source = std::make_shared<testing::FrameList>(a, frames);
  const std::vector<ImagingParams> settings = [&] {
    std::vector<ImagingParams> all(6, off);
    all[0].refine.median = Median::three;
    all[1].refine.median = Median::five;
    all[2].refine.smooth_axial_m = 0.3e-3;
    all[3].refine.smooth_lateral_m = 0.3e-3;
    all[4].refine.speckle_reduction = 0.7;
    all[5].refine.edge_enhancement = 1.0;
    return all;
  }();
  const std::vector<float> plain = process({.source = source, .params = off})[0].db;
  for (const ImagingParams& on : settings) {
    const auto backend = make_cpu_backend(2);
    Mailbox<Image> images;
    TimingTrace trace;
    std::atomic<Session*> running{nullptr};
    std::vector<Picture> pictures;
    Session session(*backend, source, images, trace,
                    {.stream = testing::unpaced(),
                     .params = off,
                     .max_frames = 12,
                     .host_copy = HostCopy::made,
                     .on_image = [&](const Image& image) {
                       pictures.push_back(Picture::of(image));
                       testing::once_at_hand(running).set_params(pictures.size() < 6 ? on : off);
                     }});
    running = &session;
    testing::wait_until([&] { return session.done(); });
    session.stop();
    bool seen = false;
    for (const Picture& picture : pictures) {
      const bool filtered = !(picture.params == off);
      seen = seen || filtered;
      EXPECT_EQ(picture.db != plain, filtered) << "the picture and what it says about itself";
    }
    EXPECT_TRUE(seen);
    EXPECT_EQ(pictures.back().db, plain);
  }
}

TEST(RefineStage, ThePictureOfACourseIsRefinedToo) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams p = held(*a);
  p.formation.recipe = Recipe::course;
  const std::vector<Picture> plain = process({.source = noise_source(a, 3), .params = p, .frames = 3});
  p.refine.median = Median::three;
  p.refine.persistence_s = 0.1;
  const std::vector<Picture> refined = process({.source = noise_source(a, 3), .params = p, .frames = 3});
  EXPECT_NE(refined[2].db, plain[2].db);
}

TEST(RefineStage, HasASpanOfItsOwnOnlyWhenItRuns) {
  const AcquisitionPtr a = share(linear_acquisition());
  for (const Median median : {Median::off, Median::five}) {
    ImagingParams p = held(*a);
    p.refine.median = median;
    const auto backend = make_cpu_backend(1);
    const auto lane = backend->make_lane(0, StreamMode::serial);
    const auto frame = testing::to_bytes(testing::noise(a->frame_values(), 1));
    const auto plan = make_plan(a, p);
    form_frame(*lane, plan, {.stamp = {}, .samples = frame});
    make_image(*lane, *plan, {});
    TimingTrace trace;
    lane->append_spans(trace);
    const auto stages = trace.summarize_stages();
    EXPECT_EQ(stages[static_cast<std::size_t>(Stage::refine)].count, median == Median::off ? 0U : 1U);
  }
}

}  // namespace
}  // namespace echoloop::refine_test
