// CPU against CUDA, stage by stage, analytic recipe: every kind of transmit, probe, sample and signal, odd sizes.
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::parity_test {
namespace {

// Relative L2. Contracted multiply-adds and other orders of sums leave 1e-7 to 3e-6; a wrong sign or index leaves 1.
constexpr double kStageTolerance = 2e-5;
// A pixel of a sector lies at a float of its own on each side: half a unit of the last place of 0.1 m is 4e-9 m, or
// 1e-4 radians of a wave of 0.3 mm.
constexpr double kSectorTolerance = 1e-4;
// A weight is a small difference of large sums where channels hardly agree.
constexpr double kWeightTolerance = 1e-4, kWeightTolerance_db = 0.1;

class Parity : public GpuTest, public ::testing::WithParamInterface<Case> {};
class Linearity : public GpuTest {};

// Pixels where one element may be in on one side and out on the other: the two compilers round the place in the
// aperture, or the place in the record, differently when it falls on the edge itself (a chance of about 1e-7 a pixel
// and element). A window that falls to zero at its rim has no such edge, but the record has one.
std::size_t edge_pixels(const Case& c) { return c.n_el < 10 ? 0 : 1 + static_cast<std::size_t>(c.nx * c.nz) / 5000; }

TEST_P(Parity, StagesAgree) {
  const Case& c = GetParam();
  const auto plan = make_case_plan(c);
  const auto samples = make_frame(c, *plan->acquisition);
  const Result want = run_frame(cpu(), plan, samples);
  const Result got = run_frame(gpu(), plan, samples);
  const std::size_t edge = edge_pixels(c);
  const DasTables& tables = *plan->das->tables;
  const double tolerance = tables.grid.polar() || !tables.columns.empty() ? kSectorTolerance : kStageTolerance;
  EXPECT_LE(relative_l2(got.conditioned, want.conditioned), kStageTolerance);
  EXPECT_LE(relative_l2(got.beamformed, want.beamformed, 2, edge), tolerance);
  const bool weighed = c.adaptive != Adaptive::off;
  EXPECT_LE(relative_l2(got.envelope, want.envelope, 1, edge), weighed ? kWeightTolerance : tolerance);
  ASSERT_EQ(got.db.size(), plan->grid.pixels());
  EXPECT_LE(largest_difference_db(got.db, want.db, -60.0, edge), weighed ? kWeightTolerance_db : 0.05);
}

// Everything before the logarithm is linear: simulated amplitudes of 1e-9 give the image of large ones.
TEST_F(Linearity, TinyAmplitudesKeepTheirPicture) {
  Case c{.name = "tiny"};
  const auto plan = make_case_plan(c);
  const std::vector<float> normal = run_picture(gpu(), plan, make_frame(c, *plan->acquisition));
  c.amplitude *= 0x1p-40;  // a power of two: only exponents change
  std::vector<float> tiny = run_picture(gpu(), plan, make_frame(c, *plan->acquisition));
  for (float& v : tiny) v += 40.0f * 6.0205999f;
  EXPECT_LE(largest_difference_db(tiny, normal, -60.0), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Sectors, Parity, ::testing::ValuesIn(sector_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(ScanLines, Parity, ::testing::ValuesIn(scan_line_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Adaptive, Parity, ::testing::ValuesIn(adaptive_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Analytic, Parity, ::testing::ValuesIn(analytic_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::gpu_test::parity_test
