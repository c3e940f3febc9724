// Lengths, angles and areas against numbers from paper.
#include "measure/plane_geometry.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/units.h"

namespace echoloop::plane_geometry_test {
namespace {

TEST(PlaneGeometry, DistanceIsPythagoras) { EXPECT_DOUBLE_EQ(distance_m({1e-3, 2e-3}, {4e-3, 6e-3}), 5e-3); }

TEST(PlaneGeometry, AnglesBetweenLegsHaveNoSense) {
  EXPECT_NEAR(angle_rad({1, 0}, {0, 0}, {0, 1}), 0.5 * kPi, 1e-12);
  EXPECT_NEAR(angle_rad({0, 1}, {0, 0}, {1, 0}), 0.5 * kPi, 1e-12);
  EXPECT_NEAR(angle_rad({2, 1}, {1, 1}, {0, 1}), kPi, 1e-12);
  EXPECT_NEAR(angle_rad({1, 0}, {0, 0}, {1, 1}) / kRadiansPerDegree, 45.0, 1e-9);
}

TEST(PlaneGeometry, EllipseReachesOutToItsThirdPoint) {
  const EllipseAxes e = ellipse_axes({-3e-3, 10e-3}, {3e-3, 10e-3}, {1e-3, 12e-3});
  EXPECT_DOUBLE_EQ(e.half_a_m, 3e-3);
  EXPECT_DOUBLE_EQ(e.half_b_m, 2e-3);
  EXPECT_NEAR(ellipse_area_m2(e), kPi * 6e-6, 1e-15);
  const EllipseAxes upright = ellipse_axes({0, 5e-3}, {0, 15e-3}, {-4e-3, 7e-3});
  EXPECT_NEAR(upright.half_b_m, 4e-3, 1e-15);
  EXPECT_NEAR(upright.tilt_rad, 0.5 * kPi, 1e-12);
}

TEST(PlaneGeometry, OutlineAreaIsTheSameEitherWayRound) {
  const std::vector<PlanePoint> there = {{0, 0}, {4e-3, 0}, {4e-3, 2e-3}, {0, 2e-3}};
  const std::vector<PlanePoint> back(there.rbegin(), there.rend());
  EXPECT_NEAR(outline_area_m2(there), 8e-6, 1e-18);
  EXPECT_NEAR(outline_area_m2(back), 8e-6, 1e-18);
}

}  // namespace
}  // namespace echoloop::plane_geometry_test
