// Inside the pipeline of a real device: the channels read back from its lane sum to the pixel that it wrote, in both
// precisions, and are the CPU's.
#include <algorithm>
#include <cmath>

#include "backend/inspector.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::inspection_test {
namespace {

class InspectionOnTheGpu : public GpuTest, public ::testing::WithParamInterface<Precision> {};

std::shared_ptr<const Inspection> look(const std::shared_ptr<const Plan>& plan, const std::vector<std::byte>& samples,
                                       const Result& r, std::size_t pixel) {
  const Grid& grid = plan->course != nullptr ? plan->grid : plan->das->tables->grid;
  const auto nx = static_cast<std::size_t>(grid.nx);
  return inspect_pixel({.plan = *plan,
                        .frame = {.stamp = {}, .samples = samples},
                        .lines = r.conditioned,
                        .pixels = r.beamformed,
                        .envelope = r.envelope,
                        .at = grid.point(static_cast<int>(pixel % nx), static_cast<int>(pixel / nx))});
}

// The brightest pixel: there the sum is large against its terms' rounding.
std::size_t brightest(const Plan& plan, const Result& r) {
  const bool real = plan.course != nullptr;
  const std::size_t n = real ? r.beamformed.size() : r.beamformed.size() / 2;
  std::vector<float> level(n);
  for (std::size_t i = 0; i < n; ++i) {
    level[i] = real ? std::abs(r.beamformed[i]) : std::hypot(r.beamformed[2 * i], r.beamformed[2 * i + 1]);
  }
  return static_cast<std::size_t>(std::max_element(level.begin(), level.end()) - level.begin());
}

TEST_P(InspectionOnTheGpu, ChannelsSumToThePixel) {
  const double most = GetParam() == Precision::fp16 ? 5e-3 : 1e-4;
  std::vector<Case> cases = {{.name = "plane waves"},
                             {.name = "points", .apodization = Apodization::hann, .scene = Scene::points},
                             {.name = "int16", .type = SampleType::int16},
                             {.name = "IQ", .signal = SignalKind::iq}};
  if (GetParam() == Precision::fp32) cases.push_back({.name = "course", .recipe = Recipe::course});
  for (Case c : cases) {
    c.precision = GetParam();
    SCOPED_TRACE(c.name);
    const auto plan = make_case_plan(c);
    const auto samples = make_frame(c, *plan->acquisition);
    const Result on_gpu = run_frame(gpu(), plan, samples);
    const std::size_t pixel = brightest(*plan, on_gpu);
    const auto there = look(plan, samples, on_gpu, pixel);
    ASSERT_NE(there, nullptr);
    EXPECT_LE(there->level.error, most);
    const auto here = look(plan, samples, run_frame(cpu(), plan, samples), pixel);
    EXPECT_EQ(there->raw.values, here->raw.values);
    float peak = 0.0f;
    for (const InspectedChannel& channel : here->channels) peak = std::max(peak, std::abs(channel.value));
    for (std::size_t e = 0; e < here->channels.size(); ++e) {
      EXPECT_NEAR(there->channels[e].sample, here->channels[e].sample, 1e-3);
      // Half precision has a filter and a line rate of its own.
      if (GetParam() == Precision::fp32) {
        EXPECT_LE(std::abs(there->channels[e].value - here->channels[e].value), 1e-2f * peak) << "element " << e;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, InspectionOnTheGpu, ::testing::Values(Precision::fp32, Precision::fp16));

}  // namespace
}  // namespace echoloop::gpu_test::inspection_test
