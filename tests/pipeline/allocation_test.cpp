// After warm-up no thread of the stream allocates: 200 frames of the CPU pipeline without a single malloc.
#include <gtest/gtest.h>

#include <vector>

#include "pipeline/allocation_counter.h"
#include "support/streaming.h"

namespace echoloop::allocation_test {
namespace {

struct Case {
  const char* name;
  Recipe recipe;
  int nz;
  Median median = Median::off;  // on: all other filters and the average too
};

class Allocations : public ::testing::TestWithParam<Case> {};

TEST(AllocationCounter, SeesAnAllocation) {
  if (!testing::can_count_allocations()) GTEST_SKIP() << "a sanitizer has replaced malloc";
  testing::name_this_thread("the test");
  testing::start_counting_allocations();
  { const std::vector<int> values(1000); }
  EXPECT_EQ(testing::stop_counting_allocations(), "1 by the test");
}

TEST_P(Allocations, NonePerFrameAfterWarmUp) {
  if (!testing::can_count_allocations()) GTEST_SKIP() << "a sanitizer has replaced malloc";
  constexpr std::uint64_t kWarmUp = 300;  // the history has all its memory by then
  constexpr std::uint64_t kFrames = 200;
  const AcquisitionPtr acquisition = testing::share(testing::linear_acquisition(16, 256, {-5.0, 0.0, 5.0}));
  ImagingParams params = testing::small_picture(*acquisition, 33, GetParam().nz);
  params.formation.recipe = GetParam().recipe;
  params.refine.median = GetParam().median;
  if (params.refine.median != Median::off) {
    params.refine.persistence_s = 0.1;
    params.refine.smooth_axial_m = params.refine.smooth_lateral_m = 0.5e-3;
    params.refine.speckle_reduction = 0.5;
    params.refine.edge_enhancement = 0.5;
  }
  const auto source = testing::noise_source(acquisition, 4);
  source->before = [](std::uint64_t) { testing::name_this_thread("the producer"); };
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  RfHistory history(16 * acquisition->frame_bytes());
  std::string allocations = "the frames did not come";
  std::uint64_t frames = 0;
  Session session(*backend, source, images, trace,
                  {.stream = testing::unpaced(),
                   .params = params,
                   .max_frames = kWarmUp + kFrames + 1,
                   .host_copy = HostCopy::made,
                   .on_image =
                       [&](const Image&) {
                         ++frames;
                         if (frames == 1) testing::name_this_thread("the processing thread");
                         if (frames == kWarmUp) testing::start_counting_allocations();
                         if (frames == kWarmUp + kFrames) allocations = testing::stop_counting_allocations();
                       },
                   .sinks = {&history}});
  testing::wait_until([&] {
    images.take();
    return session.done();
  });
  session.stop();
  EXPECT_GE(history.extent().frames, 12U) << "nothing went round";
  EXPECT_EQ(allocations, "") << "in " << kFrames << " frames";
}

// 45 and 60 rows: KissFFT has butterflies for 2, 3, 4 and 5. 49, 97: it has none for 7 and 97.
INSTANTIATE_TEST_SUITE_P(Cases, Allocations,
                         ::testing::Values(Case{"analytic", Recipe::analytic, 48},
                                           Case{"analytic_odd", Recipe::analytic, 97},
                                           Case{"refined", Recipe::analytic, 48, Median::five},
                                           Case{"course", Recipe::course, 60}, Case{"course_odd", Recipe::course, 45},
                                           Case{"course_sevens", Recipe::course, 49},
                                           Case{"course_prime", Recipe::course, 97}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::allocation_test
