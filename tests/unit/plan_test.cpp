// What successive plans share, and what they refuse.
#include "backend/plan.h"

#include <gtest/gtest.h>

#include "support/acquisitions.h"
#include "support/one_line.h"

namespace echoloop::plan_test {
namespace {

using namespace testing;

struct Rig {
  AcquisitionPtr acquisition = share(linear_acquisition());
  ImagingParams params = small_picture(*acquisition);
  std::shared_ptr<const Plan> before = make_plan(acquisition, params);
  [[nodiscard]] std::shared_ptr<const Plan> after() const { return make_plan(acquisition, params, before); }
};

TEST(Plan, ScalarsChangeWithoutATable) {
  Rig rig;
  rig.params.formation.f_number = 2.5;
  rig.params.formation.apodization = Apodization::hann;
  const auto after = rig.after();
  EXPECT_EQ(after->band, rig.before->band);
  EXPECT_EQ(after->das->tables, rig.before->das->tables);
  EXPECT_FLOAT_EQ(after->das->geometry.f_number, 2.5f);
  EXPECT_EQ(after->das->geometry.apodization, Apodization::hann);
  EXPECT_FLOAT_EQ(rig.before->das->geometry.f_number, 1.5f) << "the old plan must stay as it was";
}

TEST(Plan, DisplayParametersRebuildNothing) {
  Rig rig;
  rig.params.display.gain_db = 12.0;
  rig.params.display.dynamic_range_db = 30.0;
  EXPECT_EQ(rig.after()->das->tables, rig.before->das->tables);
}

TEST(Plan, ANewBandRebuildsTheFilter) {
  Rig rig;
  rig.params.formation.band_high_hz *= 0.9;
  const auto after = rig.after();
  EXPECT_NE(after->band, rig.before->band);
  EXPECT_NE(after->band->response, rig.before->band->response);
}

TEST(Plan, ANewGridKeepsTheFilter) {
  Rig rig;
  rig.params.formation.grid_nx += 1;
  const auto after = rig.after();
  EXPECT_EQ(after->band, rig.before->band);
  EXPECT_NE(after->das->tables, rig.before->das->tables);
  EXPECT_EQ(after->das->geometry.nx, rig.before->das->geometry.nx + 1);
}

TEST(Plan, ANewSoundSpeedRebuildsTheTablesOnly) {
  Rig rig;
  rig.params.formation.sound_speed_m_s = 1480.0;
  const auto after = rig.after();
  EXPECT_EQ(after->band, rig.before->band);
  EXPECT_NE(after->das->tables, rig.before->das->tables);
}

TEST(Plan, AnotherAcquisitionSharesNothing) {
  const Rig rig;
  const auto after = make_plan(share(linear_acquisition()), rig.params, rig.before);
  EXPECT_NE(after->band, rig.before->band);
  EXPECT_NE(after->das->tables, rig.before->das->tables);
}

TEST(Plan, PointersLeadIntoItsOwnTables) {
  const Rig rig;
  const DasPlan& das = *rig.before->das;
  EXPECT_EQ(das.geometry.x_m, das.tables->x_m.data());
  EXPECT_EQ(das.geometry.tx_excess, das.tables->tx_excess.data());
  EXPECT_EQ(das.geometry.n_valid, rig.before->band->n_valid);
}

TEST(Plan, TheCourseSharesUntilGridOrSpeedChange) {
  Rig rig;
  rig.params.formation.recipe = Recipe::course;
  rig.before = make_plan(rig.acquisition, rig.params);
  rig.params.formation.f_number = 3.0;  // means nothing to the course
  EXPECT_EQ(rig.after()->course, rig.before->course);
  rig.params.formation.sound_speed_m_s = 1500.0;
  EXPECT_NE(rig.after()->course, rig.before->course);
  rig.params.formation.recipe = Recipe::analytic;
  const auto back = rig.after();
  EXPECT_EQ(back->course, nullptr);
  EXPECT_NE(back->das, nullptr);
}

TEST(Plan, TheCourseRefusesWhatItsFormulaCannotDescribe) {
  const auto course = [](const Acquisition& a) {
    ImagingParams p = small_picture(a);
    p.formation.recipe = Recipe::course;
    return make_plan(share(a), p);
  };
  EXPECT_NO_THROW(course(linear_acquisition()));
  expect_refusal([&] { course(testing::convex_acquisition()); }, "not all at z = 0");
  Acquisition a = linear_acquisition();
  a.sampling_hz = 12e6;
  expect_refusal([&] { course(a); }, "sampling frequency");
  a = linear_acquisition();
  a.signal = SignalKind::iq;
  a.demod_hz = 5e6;
  expect_refusal([&] { course(a); }, "IQ");
  a = linear_acquisition();
  a.transmits[0].kind = TransmitKind::diverging;
  a.transmits[0].source_z_m = -0.02;
  expect_refusal([&] { course(a); }, "plane waves");
}

TEST(FormationWarning, OnlyForTheCourseOnACoarseGrid) {
  const Acquisition a = linear_acquisition();
  ImagingParams p = small_picture(a);
  p.formation.depth_min_m = 20e-3;
  p.formation.depth_max_m = 50e-3;
  p.formation.grid_nz = 128;  // 0.236 mm a row; at most 1540 / (4 x 7.5 MHz) = 0.0513 mm
  EXPECT_TRUE(formation_warning(a, p).empty());
  p.formation.recipe = Recipe::course;
  const std::string warning = formation_warning(a, p);
  EXPECT_NE(warning.find("0.236 mm"), std::string::npos) << warning;
  EXPECT_EQ(warning.find('\n'), std::string::npos);
  p.formation.grid_nz = 585;  // 0.05137 mm: just too coarse
  EXPECT_FALSE(formation_warning(a, p).empty());
  p.formation.grid_nz = 586;  // 0.05128 mm
  EXPECT_TRUE(formation_warning(a, p).empty());
}

}  // namespace
}  // namespace echoloop::plan_test
