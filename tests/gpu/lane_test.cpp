// Lanes in use: frames in flight, plans that change between frames, images that come back from a mailbox, threads.
#include <limits>
#include <set>
#include <thread>
#include <utility>

#include "core/error.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::lane_test {
namespace {

class Lanes : public GpuTest {};

TEST(GpuBackend, SaysWhyThereIsNone) {
  std::string why_not = "unset";
  const auto backend = make_cuda_backend(why_not);
  EXPECT_EQ(why_not.empty(), backend != nullptr) << why_not;
  EXPECT_EQ(why_not.find('\n'), std::string::npos);
  if (backend == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
  EXPECT_EQ(backend->name(), "CUDA");
  EXPECT_FALSE(backend->device().empty());
}

// Plans that differ in every way that touches another table or buffer.
std::vector<std::shared_ptr<const Plan>> make_plans(const Case& c) {
  const AcquisitionPtr a = make_acquisition(c);
  const ImagingParams base = make_params(c, *a);
  std::vector<ImagingParams> wanted(6, base);
  wanted[1].formation.f_number = 0.0;
  wanted[2].formation.grid_nx = 61;
  wanted[3].formation.band_low_hz = 4.2e6;
  wanted[4].formation.recipe = Recipe::course;
  wanted[5].formation.sound_speed_m_s = 1480.0;
  wanted[5].formation.apodization = Apodization::hann;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (const ImagingParams& p : wanted) plans.push_back(make_plan(a, p, plans.empty() ? nullptr : plans.back()));
  return plans;
}

const Case kCase{.name = "lanes", .type = SampleType::int16, .sampling_hz = 20e6};

TEST_F(Lanes, FramesInFlightWithChangingPlansEqualFramesAlone) {
  const auto plans = make_plans(kCase);
  std::vector<std::vector<std::byte>> frames;
  for (unsigned seed = 0; seed < 5; ++seed) frames.push_back(make_frame(kCase, *plans[0]->acquisition, seed));
  constexpr std::size_t kLanes = 3;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < static_cast<int>(kLanes); ++i) lanes.push_back(gpu().make_lane(i, StreamMode::overlap));
  const auto plan_of = [&](std::size_t n) { return n < 12 ? plans[n % 2] : plans[n % plans.size()]; };
  const auto check = [&](std::size_t n) {
    const auto got = host_image(*lanes[n % kLanes]);
    EXPECT_EQ(got, run_picture(gpu(), plan_of(n), frames[n % frames.size()])) << "frame " << n;
  };
  constexpr std::size_t kFrames = 36;
  for (std::size_t n = 0; n < kFrames; ++n) {
    if (n >= kLanes) check(n - kLanes);
    start_frame(*lanes[n % kLanes], plan_of(n), frames[n % frames.size()], n);
  }
  for (std::size_t n = kFrames - kLanes; n < kFrames; ++n) check(n);
}

TEST_F(Lanes, SerialEqualsOverlap) {
  const auto plans = make_plans(kCase);
  const auto frame = make_frame(kCase, *plans[0]->acquisition);
  for (const auto& plan : plans) {
    EXPECT_EQ(run_picture(gpu(), plan, frame, StreamMode::serial), run_picture(gpu(), plan, frame));
  }
}

TEST_F(Lanes, WorksOnAnotherThread) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  std::vector<float> there;
  std::thread([&] {
    start_frame(*lane, plan, frame);
    there = host_image(*lane);
  }).join();
  EXPECT_EQ(there, run_picture(gpu(), plan, frame));
}

TEST_F(Lanes, CompressAgainMovesTheLevel) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  start_frame(*lane, plan, frame);
  std::vector<float> want = host_image(*lane);
  for (float& v : want) v -= 23.0f;
  lane->compress(23.0);
  lane->finish(HostCopy::made);
  EXPECT_LE(largest_difference_db(host_image(*lane), want, -60.0), 1e-3);
  TimingTrace trace;
  lane->append_spans(trace);
  for (const Span& span : trace.spans()) EXPECT_LE(span.start_ns, span.end_ns);
}

TEST_F(Lanes, FrameTooShortIsRefused) {
  const auto plan = make_case_plan(kCase);
  auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  lane->set_plan(plan);
  EXPECT_THROW(lane->upload({.stamp = {}, .samples = std::span(frame).first(frame.size() - 2)}), Error);
  start_frame(*lane, plan, frame);  // and the lane is as good as before
  EXPECT_EQ(host_image(*lane), run_picture(gpu(), plan, frame));
}

// In single and half precision and in the course's recipe, also of frames that are processed together.
TEST_F(Lanes, InvalidSamplesAreReadAsZeroAndCounted) {
  Case c = kCase;
  c.type = SampleType::float32;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float invalid[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 2e15F, -2e15F};
  for (const auto& [precision, recipe] :
       {std::pair{Precision::fp32, Recipe::analytic}, std::pair{Precision::fp16, Recipe::analytic},
        std::pair{Precision::fp32, Recipe::course}}) {
    const AcquisitionPtr a = make_acquisition(c);
    ImagingParams params = make_params(c, *a);
    params.formation.precision = precision;
    params.formation.recipe = recipe;
    const auto plan = make_plan(a, params, nullptr, gpu().multiprocessors());
    std::vector<std::byte> zeroed = make_frame(c, *a, 5), frame = zeroed;
    const auto n_elements = static_cast<std::size_t>(a->n_elements()), line = static_cast<std::size_t>(a->n_samples);
    std::vector<bool> elements(n_elements, false);
    std::size_t n = 0;
    const std::size_t last = a->transmits.size() * n_elements - 1;
    for (const std::size_t at : {std::size_t{0}, std::size_t{7}, 5 * line + 40, last * line + line - 1, last * line}) {
      reinterpret_cast<float*>(frame.data())[at] = invalid[n++];
      reinterpret_cast<float*>(zeroed.data())[at] = 0.0F;
      elements[at / line % n_elements] = true;
    }
    const auto lane = gpu().make_lane(0, StreamMode::overlap);
    for (int round = 0; round < 3; ++round) {  // counts begin anew with each frame
      start_frame(*lane, plan, frame, 0);
      const auto got = host_image(*lane);
      EXPECT_EQ(got, run_picture(gpu(), plan, zeroed)) << static_cast<int>(recipe);
      ASSERT_NE(lane->image().invalid, nullptr);
      EXPECT_EQ(lane->image().invalid->samples, 5U);
      EXPECT_EQ(lane->image().invalid->elements, elements);
      start_frame(*lane, plan, zeroed, 1);
      static_cast<void>(host_image(*lane));
      EXPECT_EQ(lane->image().invalid, nullptr);
    }
  }
}

TEST_F(Lanes, HostCopyOnlyWhenAsked) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  start_frame(*lane, plan, frame);
  EXPECT_EQ(host_image(*lane).size(), plan->grid.pixels());
  lane->compress(0.0);
  lane->finish(HostCopy::none);
  lane->wait();
  EXPECT_TRUE(lane->finished());
  EXPECT_NE(lane->image().device_db, nullptr);
  EXPECT_EQ(lane->image().host_db, nullptr) << "a host copy of another level";
}

// Of images of every height, with and without a copy of the image on the host, also when others followed.
TEST_F(Lanes, AKeptLineIsTheImagesColumn) {
  for (const int nz : {2, 47, 256, 1025}) {
    Case tall = kCase;
    tall.nz = nz;
    const auto plan = make_case_plan(tall);
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int i = 0; i < 3; ++i) lanes.push_back(gpu().make_lane(i, StreamMode::overlap));
    const auto column_of = [](std::size_t n) { return static_cast<int>(n * 5 % 33); };
    const auto check = [&](std::size_t n) {
      const auto want = run_picture(gpu(), plan, make_frame(tall, *plan->acquisition, static_cast<unsigned>(n)));
      Lane& lane = *lanes[n % lanes.size()];
      lane.wait();
      ASSERT_EQ(lane.line().size(), static_cast<std::size_t>(tall.nz));
      for (std::size_t iz = 0; iz < lane.line().size(); ++iz)
        ASSERT_EQ(lane.line()[iz], want[iz * 33 + static_cast<std::size_t>(column_of(n))]) << "frame " << n;
    };
    for (std::size_t n = 0; n < 12; ++n) {
      if (n >= lanes.size()) check(n - lanes.size());
      Lane& lane = *lanes[n % lanes.size()];
      const auto frame = make_frame(tall, *plan->acquisition, static_cast<unsigned>(n));
      lane.set_plan(plan);
      lane.upload({.stamp = {.sequence = n}, .samples = frame});
      lane.condition();
      lane.expect_reference(plan->params.level.reference_db);
      lane.beamform();
      lane.envelope();
      lane.compress(plan->params.level.reference_db);
      lane.keep_line(column_of(n));
      lane.finish(n % 2 == 0 ? HostCopy::made : HostCopy::none);
      lane.wait();  // `frame` is needed until here
    }
    for (std::size_t n = 9; n < 12; ++n) check(n);
  }
}

TEST_F(Lanes, ImagesSwappedThroughAMailboxKeepTheirMemory) {
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  std::vector<Image> mailbox(3);  // empty at first
  std::set<float*> seen;
  for (std::size_t n = 0; n < 20; ++n) {
    start_frame(*lane, plan, frame, n);
    EXPECT_EQ(host_image(*lane), want);
    EXPECT_EQ(lane->image().stamp.sequence, n);
    EXPECT_EQ(lane->image().grid, plan->grid);
    EXPECT_GE(lane->image().capacity, plan->grid.pixels());
    seen.insert(lane->image().device_db);
    std::swap(lane->image(), mailbox[n % mailbox.size()]);
  }
  EXPECT_LE(seen.size(), mailbox.size() + 1) << "memory was allocated again in the steady state";
}

TEST_F(Lanes, ImagesOfOtherSizesAndBackendsAreReplaced) {
  Case small = kCase;
  small.nx = 2;
  small.nz = 3;
  const auto small_plan = make_case_plan(small);
  const auto plan = make_case_plan(kCase);
  const auto frame = make_frame(kCase, *plan->acquisition);
  const auto want = run_picture(gpu(), plan, frame);

  std::vector<Image> found(3);
  std::string why_not;
  for (const auto& other :
       {make_cpu_backend(1), make_cuda_backend(why_not)}) {  // both are gone before the image is used
    const auto lane = other->make_lane(0, StreamMode::overlap);
    start_frame(*lane, plan, frame);
    lane->wait();
    std::swap(lane->image(), found[other->name() == "CPU" ? 0 : 1]);
  }
  const auto small_lane = gpu().make_lane(0, StreamMode::overlap);
  start_frame(*small_lane, small_plan, frame);
  small_lane->wait();
  std::swap(small_lane->image(), found[2]);

  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  for (Image& image : found) {
    std::swap(lane->image(), image);
    start_frame(*lane, plan, frame);
    EXPECT_EQ(host_image(*lane), want);
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::lane_test
