// Flow on the GPU against the CPU: decomposition, sliding, every wall filter, low-rank images, persistence, and whole
// ensembles of beamformed frames.
#include <cmath>
#include <thread>

#include "backend/flow_engine.h"
#include "gpu/gpu_support.h"
#include "support/ensembles.h"

namespace echoloop::gpu_test::flow_test {
namespace {

using namespace testing;

constexpr int kFrames = 48;
constexpr int kSlots = 60;
constexpr std::size_t kPixels = 5003;  // no whole blocks

// Frames in device memory, as a lane leaves them: a CUDA lane would beamform them, here they are copied.
class FlowParity : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    ensemble_ = tissue_and_blood(kPixels, kFrames + 20);
    on_cpu_ = cpu().make_device<FlowAnalysis>();
    on_gpu_ = gpu().make_device<FlowAnalysis>();
    for (FlowDevice* device : {on_cpu_.get(), on_gpu_.get()}) {
      device->begin_thread();
      device->reserve(kSlots, kPixels);
    }
    for (int t = 0; t < kFrames; ++t) store(t);
  }

  void store(int t) {
    on_cpu_->store(t % kSlots, ensemble_.frame(t));
    on_gpu_->store(t % kSlots, ensemble_.frame(t));  // unified addressing: host memory will do
  }

  void expect_same(std::span<const int> slots, const FlowFinish& finish) {
    FlowImage want, got;
    on_cpu_->apply(slots, finish, want);
    on_gpu_->apply(slots, finish, got);
    ASSERT_EQ(got.power_db.size(), want.power_db.size());
    ASSERT_EQ(got.low_rank_db.size(), want.low_rank_db.size());
    const float loudest = *std::max_element(want.power_db.begin(), want.power_db.end());
    for (std::size_t i = 0; i < want.power_db.size(); ++i) {
      if (want.power_db[i] < loudest - 60.0f) continue;
      ASSERT_NEAR(got.power_db[i], want.power_db[i], 0.01f) << i;
      const float turn = 2.0f * static_cast<float>(finish.scale_m_s) * 3.14159265f;
      const float off = std::remainder(got.velocity_m_s[i] - want.velocity_m_s[i], turn);
      ASSERT_NEAR(off, 0.0f, 2e-3f * static_cast<float>(finish.scale_m_s)) << i;
      if (finish.low_rank && want.low_rank_db[i] > loudest - 60.0f) {
        ASSERT_NEAR(got.low_rank_db[i], want.low_rank_db[i], 0.01f) << i;
      }
    }
  }

  Ensemble ensemble_;
  std::unique_ptr<FlowDevice> on_cpu_, on_gpu_;
};

TEST_F(FlowParity, SingularValuesAndReconstructions) {
  const auto slots = slots_from(0, kFrames, kSlots);
  const Decomposition want = on_cpu_->decompose(slots, 0);
  const Decomposition got = on_gpu_->decompose(slots, 0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(kFrames); ++k) {
    EXPECT_NEAR(got.singular_values[k], want.singular_values[k], 2e-3 * want.singular_values[k]) << k;
  }
  const std::vector<Complex> all(ensemble_.x.begin(), ensemble_.x.begin() + kFrames * static_cast<long>(kPixels));
  for (const int rank : {1, 2, 20, 24, 25, 47}) {
    on_gpu_->keep_components(got, {.first = 1, .last = rank});
    const double tail = reconstruction_error(got.singular_values, {.first = 1, .last = rank});
    EXPECT_NEAR(relative_difference(on_gpu_->filtered(slots), all), tail, 1e-3 * tail) << rank;
  }
  on_gpu_->keep_components(got, {.first = 1, .last = kFrames});
  EXPECT_LT(relative_difference(on_gpu_->filtered(slots), all), 1e-6);
}

TEST_F(FlowParity, ComponentsAroundTheRing) {
  auto slots = slots_from(0, kFrames, kSlots);
  on_cpu_->decompose(slots, 0);
  on_gpu_->decompose(slots, 0);
  for (int end = kFrames + 5; end <= kFrames + 20; end += 5) {
    for (int t = end - 5; t < end; ++t) store(t);
    slots = slots_from(end - kFrames, kFrames, kSlots);
    const Decomposition want = on_cpu_->decompose(slots, kFrames - 5);
    const Decomposition got = on_gpu_->decompose(slots, kFrames - 5);
    for (std::size_t k = 0; k < static_cast<std::size_t>(kFrames); ++k) {
      EXPECT_NEAR(got.singular_values[k], want.singular_values[k], 2e-3 * want.singular_values[k]) << end << " " << k;
    }
    // Tissue and blood are apart from the noise; within the noise components may turn into each other.
    for (const ComponentRange range : {ComponentRange{2, 2}, ComponentRange{2, kFrames}, ComponentRange{1, 2}}) {
      on_cpu_->keep_components(want, range);
      on_gpu_->keep_components(got, range);
      expect_same(slots, {.reference_db = 10.0, .scale_m_s = 0.02, .low_rank = true});
    }
  }
}

TEST_F(FlowParity, WallFiltersAndPersistence) {
  const auto slots = slots_from(0, kFrames, kSlots);
  ImagingParams p;
  for (const WallFilter filter : {WallFilter::none, WallFilter::fir, WallFilter::polynomial}) {
    p.color_flow.wall_filter = filter;
    const std::vector<float> w = wall_matrix(p, kFrames);
    on_cpu_->set_matrix(w, kFrames);
    on_gpu_->set_matrix(w, kFrames);
    expect_same(slots, {.reference_db = 0.0, .scale_m_s = 1.0});
    expect_same(slots_from(0, kFrames, kSlots), {.reference_db = 0.0, .scale_m_s = 1.0, .keep = 0.7});
  }
}

// Two ensembles at a time: each is what it is alone, and the later image mixes in the earlier one.
TEST_F(FlowParity, ATwinWorksBesideOverTheSameFrames) {
  for (int t = kFrames; t < kFrames + 5; ++t) store(t);
  const auto first = slots_from(0, kFrames, kSlots);
  const auto second = slots_from(5, kFrames, kSlots);
  const Decomposition want_first = on_gpu_->decompose(first, 0);
  const Decomposition want_second = on_gpu_->decompose(second, 0);
  std::unique_ptr<FlowDevice> second_device = on_gpu_->clone();
  ASSERT_NE(second_device, nullptr);
  std::vector<double> of_first, of_second;
  const auto decompose_often = [](FlowDevice& device, std::span<const int> slots, std::vector<double>& values) {
    for (int i = 0; i < 20; ++i) {
      const Decomposition d = device.decompose(slots, 0);
      device.keep_components(d, {.first = 1, .last = 2});
      values.insert(values.end(), d.singular_values.begin(), d.singular_values.end());
    }
  };
  std::thread beside([&] {
    second_device->begin_thread();
    decompose_often(*second_device, second, of_second);
  });
  decompose_often(*on_gpu_, first, of_first);
  beside.join();
  for (std::size_t i = 0; i < of_first.size(); ++i) {
    const std::size_t k = i % static_cast<std::size_t>(kFrames);
    ASSERT_NEAR(of_first[i], want_first.singular_values[k], 1e-5 * want_first.singular_values[k]) << i;
    ASSERT_NEAR(of_second[i], want_second.singular_values[k], 1e-5 * want_second.singular_values[k]) << i;
  }
  on_cpu_->keep_components(on_cpu_->decompose(first, 0), {.first = 1, .last = 2});
  expect_same(first, {.reference_db = 0.0, .scale_m_s = 1.0});
  on_gpu_.swap(second_device);
  on_cpu_->keep_components(on_cpu_->decompose(second, 0), {.first = 1, .last = 2});
  expect_same(second, {.reference_db = 0.0, .scale_m_s = 1.0, .keep = 0.6});
}

// Lanes of both backends, their own pixels, engines as in the stream.
TEST_F(FlowParity, BeamformedFramesThroughTheEngine) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    Case c{.name = "flow", .n_el = 64, .n_tx = 1, .n_samples = 700, .nx = 40, .nz = 60, .type = SampleType::int16};
    c.precision = precision;
    const auto a = make_acquisition(c);
    ImagingParams params = make_params(c, *a);
    params.color_flow.mode = FlowMode::power;
    params.color_flow.prf_hz = 1000.0;
    params.color_flow.frames = 16;
    params.color_flow.wall_filter = WallFilter::polynomial;
    std::vector<FlowImage> images;
    for (Backend* backend : {&cpu(), &gpu()}) {
      const auto plan = make_plan(a, params, nullptr, backend->multiprocessors());
      Mailbox<FlowImage> pictures;
      {
        const auto lane = backend->make_lane(0, StreamMode::overlap);
        FlowEngine engine(backend->make_device<FlowAnalysis>(), pictures);
        for (unsigned t = 0; t < 16; ++t) {
          start_frame(*lane, plan, make_frame(c, *a, t + 1), t);
          engine.take({plan, lane->pixels(), {.sequence = t, .source_index = t, .time_s = 1e-3 * t}, 40.0});
          lane->wait();
        }
        engine.drain();
        EXPECT_EQ(engine.take_fault(), "");
      }
      ASSERT_TRUE(pictures.take());
      images.push_back(pictures.front());
    }
    const float tolerance_db = precision == Precision::fp16 ? 0.5f : 0.02f;
    const float loudest = *std::max_element(images[0].power_db.begin(), images[0].power_db.end());
    for (std::size_t i = 0; i < images[0].power_db.size(); ++i) {
      if (images[0].power_db[i] < loudest - 30.0f) continue;
      ASSERT_NEAR(images[1].power_db[i], images[0].power_db[i], tolerance_db) << i;
    }
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::flow_test
