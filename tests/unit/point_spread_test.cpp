// Point spreads of known width and place.
#include "measure/point_spread.h"

#include <gtest/gtest.h>

#include "core/units.h"
#include "support/level_pictures.h"

namespace echoloop::point_spread_test {
namespace {

using namespace testing;

// dB below the peak of a Gaussian whose -6 dB width is w.
double gauss_db(double off, double w) { return -24.0 * off * off / (w * w); }

MadePicture gaussian(const Grid& grid, PlanePoint at, double width_x_m, double width_z_m) {
  return make_picture(grid, [=](PlanePoint p) {
    return std::max(-3.0 + gauss_db(p.x_m - at.x_m, width_x_m) + gauss_db(p.z_m - at.z_m, width_z_m), -90.0);
  });
}

TEST(PointSpread, GaussianBetweenThePixels) {
  const PlanePoint at{0.533e-3, 20.021e-3};
  const auto spread = measure_point(gaussian(kFlat, at, 1.0e-3, 0.4e-3).view(), {0.9e-3, 19.6e-3}, 1e-3);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->peak.x_m, at.x_m, 1e-6);
  EXPECT_NEAR(spread->peak.z_m, at.z_m, 1e-6);
  EXPECT_NEAR(spread->peak_db, -3.0, 0.1);
  EXPECT_NEAR(spread->lateral.fwhm_m, 1.0e-3, 0.01e-3);
  EXPECT_NEAR(spread->axial.fwhm_m, 0.4e-3, 0.01e-3);
  EXPECT_NEAR(spread->lateral.pixels_across, 10.0, 0.1);
  ASSERT_TRUE(spread->lateral.fit && spread->axial.fit);
  EXPECT_NEAR(spread->lateral.fit->width_m(), 1.0e-3, 1e-6);
  EXPECT_NEAR(spread->axial.fit->width_m(), 0.4e-3, 1e-6);
  EXPECT_NEAR(spread->axial.fit->centre_m, 0.0, 1e-7);
  EXPECT_NEAR(spread->axial.fit->level_db(0.2e-3), -6.0 + spread->axial.fit->peak_db, 1e-3);
}

// sinc(x/a)^2 in power: -6.02 dB at 1.2067 a across (amplitude 1/2 at x = 0.60335), side lobes at -13.26 dB, 1.4303 a.
TEST(PointSpread, SincHasItsSideLobe) {
  const double a = 1e-3;
  const MadePicture picture = make_picture(kFlat, [&](PlanePoint p) {
    const double u = kPi * p.x_m / a;
    const double sinc = std::abs(u) < 1e-9 ? 1.0 : std::abs(std::sin(u) / u);
    return 20.0 * std::log10(std::max(sinc, 1e-4)) + gauss_db(p.z_m - 20e-3, 0.5e-3);
  });
  const auto spread = measure_point(picture.view(), {0.2e-3, 20.2e-3}, 1e-3);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->lateral.fwhm_m, 1.2067e-3, 0.006e-3);
  ASSERT_TRUE(spread->lateral.side_lobe);
  EXPECT_NEAR(spread->lateral.side_lobe->level_db, -13.26, 0.05);
  EXPECT_NEAR(std::abs(spread->lateral.side_lobe->offset_m), 1.43e-3, 0.05e-3);
}

TEST(PointSpread, OnAPolarGridLateralIsAlongTheArc) {
  const Grid g = fan();
  const double angle = 0.2137, r = 45.03e-3, width_rad = 0.04;
  const MadePicture picture = make_picture(g, [&](PlanePoint p) {
    const double down = p.z_m - g.sector.apex_z_m;
    return gauss_db(std::atan2(p.x_m, down) - angle, width_rad) + gauss_db(std::hypot(p.x_m, down) - r, 0.6e-3);
  });
  const PlanePoint at{r * std::sin(angle), g.sector.apex_z_m + r * std::cos(angle)};
  const auto spread = measure_point(picture.view(), {at.x_m + 0.5e-3, at.z_m - 0.5e-3}, 1.5e-3);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->peak.x_m, at.x_m, 5e-6);
  EXPECT_NEAR(spread->peak.z_m, at.z_m, 5e-6);
  EXPECT_NEAR(spread->lateral.fwhm_m, width_rad * r, 0.01 * width_rad * r);
  EXPECT_NEAR(spread->axial.fwhm_m, 0.6e-3, 0.01e-3);
}

TEST(PointSpread, ClimbsToThePeakJustOutsideItsReach) {
  const auto spread = measure_point(gaussian(kFlat, {1e-3, 20e-3}, 2e-3, 1e-3).view(), {0, 20e-3}, 0.5e-3);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->peak.x_m, 1e-3, 1e-6);
}

TEST(PointSpread, SaysNothingWhereThereIsNothing) {
  EXPECT_FALSE(measure_point({}, {0, 0}, 1e-3));
  EXPECT_FALSE(measure_point(gaussian(kFlat, {0, 20e-3}, 1e-3, 1e-3).view(), {0.1, 0.1}, 1e-3));
  const MadePicture silent = make_picture(kFlat, [](PlanePoint) { return -600.0; });
  EXPECT_FALSE(measure_point(silent.view(), {0, 20e-3}, 1e-3));
  // A plateau has no width, and says so.
  const MadePicture even = make_picture(kFlat, [](PlanePoint) { return -20.0; });
  const auto flat = measure_point(even.view(), {0, 20e-3}, 1e-3);
  ASSERT_TRUE(flat);
  EXPECT_TRUE(std::isnan(flat->lateral.fwhm_m));
  EXPECT_FALSE(flat->lateral.fit);
  // At the picture's edge one half is missing.
  const auto edge = measure_point(gaussian(kFlat, {-5e-3, 20e-3}, 1e-3, 1e-3).view(), {-4.9e-3, 20e-3}, 0.5e-3);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(std::isnan(edge->lateral.fwhm_m));
  EXPECT_NEAR(edge->axial.fwhm_m, 1e-3, 0.01e-3);
}

}  // namespace
}  // namespace echoloop::point_spread_test
