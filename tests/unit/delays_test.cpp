// Arrival times against numbers worked out by hand: c = 1500 m/s, so that 1.5 mm are a microsecond.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/params.h"
#include "dsp/das.h"
#include "support/acquisitions.h"

namespace echoloop::delays_test {
namespace {

constexpr double kC = 1500.0;
constexpr double kTolerance = 1e-15;  // s; doubles of some 1e-5 s

double delay(const Transmit& t, double x_m, double z_m, const Probe& probe = {}) {
  return transmit_delay_s(t, probe, x_m, z_m, kC);
}

TEST(TransmitDelay, PlaneWave) {
  // Straight down: 15 mm are 10 us, wherever x.
  EXPECT_NEAR(delay(testing::plane_wave(0), 7e-3, 15e-3), 10e-6, kTolerance);
  // 30 degrees: (10 mm sin 30 + 20 mm cos 30) / c = (5 + 17.3205081) mm / 1.5 mm/us.
  EXPECT_NEAR(delay(testing::plane_wave(30), 10e-3, 20e-3), 14.880338717e-6, 1e-14);
  // A wave steered to +x reaches -x first; at the origin it is time zero.
  EXPECT_LT(delay(testing::plane_wave(30), -10e-3, 20e-3), delay(testing::plane_wave(30), 10e-3, 20e-3));
  EXPECT_DOUBLE_EQ(delay(testing::plane_wave(30), 0.0, 0.0), 0.0);
}

TEST(TransmitDelay, DivergingWave) {
  Transmit t;
  t.kind = TransmitKind::diverging;
  t.source_z_m = -10e-3;
  // On the axis: 30 mm from the source, less its own 10 mm.
  EXPECT_NEAR(delay(t, 0.0, 20e-3), 20e-3 / kC, kTolerance);
  // Source (-3, -4): |s| = 5; to (3, 4): sqrt(36 + 64) = 10; 10 - 5 = 5 mm.
  t.source_x_m = -3e-3;
  t.source_z_m = -4e-3;
  EXPECT_NEAR(delay(t, 3e-3, 4e-3), 5e-3 / kC, kTolerance);
  EXPECT_NEAR(delay(t, 0.0, 0.0), 0.0, kTolerance);
}

TEST(TransmitDelay, FocusedBeam) {
  Transmit t;
  t.kind = TransmitKind::focused;
  t.source_z_m = 30e-3;
  EXPECT_NEAR(delay(t, 0.0, 20e-3), 20e-3 / kC, kTolerance);   // above: 30 - 10
  EXPECT_NEAR(delay(t, 0.0, 40e-3), 40e-3 / kC, kTolerance);   // below: 30 + 10
  EXPECT_NEAR(delay(t, 8e-3, 24e-3), 20e-3 / kC, kTolerance);  // 10 mm from the focus (8-6-10), above it
  EXPECT_NEAR(delay(t, 8e-3, 36e-3), 40e-3 / kC, kTolerance);  // and below it
  EXPECT_NEAR(delay(t, 0.0, 30e-3), 30e-3 / kC, kTolerance);
  // Steered: the focus (18, 24) is 30 mm away; on its axis the wave passes 15 mm at (9, 12) and 40 mm at (24, 32).
  t.source_x_m = 18e-3;
  t.source_z_m = 24e-3;
  EXPECT_NEAR(delay(t, 9e-3, 12e-3), 15e-3 / kC, kTolerance);
  EXPECT_NEAR(delay(t, 24e-3, 32e-3), 40e-3 / kC, kTolerance);
}

// Below the focus is below its depth, wherever the line from the origin to it leads.
TEST(TransmitDelay, BeamsOfAWalkingApertureRunStraightDown) {
  Acquisition a = testing::linear_acquisition(64, 400, {0.0});
  const double depth_m = 20e-3, half_m = a.probe.elements.back().x_m;
  a.transmits.clear();
  for (const double x_m : {-half_m, 0.0, half_m}) {
    Transmit t;
    t.kind = TransmitKind::focused;
    t.source_x_m = x_m;
    t.source_z_m = depth_m;
    a.transmits.push_back(t);
  }
  const auto axes = picked_axes(a, {.first = 2, .every = 1, .count = 1});
  ASSERT_EQ(axes.size(), 1U);
  const Transmit& t = a.transmits[2];
  const double x_m = half_m + 6e-3, away_m = std::hypot(6e-3, 1e-3), to_focus_m = std::hypot(half_m, depth_m);
  ASSERT_GT(6e-3 * half_m, 1e-3 * depth_m);  // beyond it along the line from the origin
  EXPECT_NEAR(transmit_delay_s(t, a.probe, x_m, depth_m - 1e-3, kC, &axes[0]), (to_focus_m - away_m) / kC, kTolerance);
  EXPECT_NEAR(transmit_delay_s(t, a.probe, x_m, depth_m - 1e-3, kC), (to_focus_m + away_m) / kC, kTolerance);
  a.transmits[0] = testing::plane_wave(0);
  EXPECT_TRUE(picked_axes(a, {.first = 2, .every = 1, .count = 1}).empty());
}

TEST(TransmitDelay, ExplicitElementDelays) {
  const Probe probe = make_linear_probe("two", 2, 6e-3);  // elements at -3 and +3 mm
  Transmit t;
  t.kind = TransmitKind::delays;
  t.element_delays_s = {0.0, 1e-6};
  // (0, 4) is 5 mm from both (3-4-5): the one that fires first arrives first, after 5 / 1.5 us.
  EXPECT_NEAR(delay(t, 0.0, 4e-3, probe), 10e-6 / 3.0, kTolerance);
  // (3, 4): 4 mm and 1 us from the right one (3.667 us), sqrt(52) mm from the left one (4.807 us).
  EXPECT_NEAR(delay(t, 3e-3, 4e-3, probe), 1e-6 + 4e-3 / kC, kTolerance);
  // A silent element does not count.
  t.element_delays_s[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NEAR(delay(t, 0.0, 4e-3, probe), 1e-6 + 5e-3 / kC, kTolerance);
}

void expect_excess(float dx_m, float z_m, float element_z_m) {
  const auto dx = static_cast<double>(dx_m), z = static_cast<double>(z_m), ze = static_cast<double>(element_z_m);
  const double exact = std::hypot(dx, z - ze) - std::abs(z);
  // Six float roundings (6e-8 each) of the result, and of the element's own z, whose terms cancel in part.
  const double tolerance = 4e-7 * (std::abs(exact) + std::abs(ze)) + 1e-10;
  EXPECT_NEAR(receive_excess_m(dx_m, z_m, element_z_m), exact, tolerance) << dx << " " << z << " " << ze;
  EXPECT_NEAR(receive_excess_m(dx_m, z_m, element_z_m), exact, 1e-7);
}

TEST(ReceiveExcess, EqualsTheDifferenceInDoublePrecision) {
  for (const float z : {1e-3f, 5e-3f, 20e-3f, 100e-3f, 250e-3f}) {
    for (const float dx : {0.0f, 1e-4f, 3.7e-3f, -19e-3f, 60e-3f}) expect_excess(dx, z, 0.0f);
  }
}

TEST(ReceiveExcess, CurvedArraysAndPixelsBehindTheChord) {
  for (const float ze : {-4e-3f, 2e-3f, 10.13e-3f}) {
    for (const float z : {-5e-3f, -1e-3f, 0.0f, 1e-3f, 30e-3f, 120e-3f}) {
      for (const float dx : {0.0f, 0.5e-3f, -12e-3f, 40e-3f}) expect_excess(dx, z, ze);
    }
  }
}

TEST(ReceiveExcess, PixelOnTheElementIsFinite) {
  EXPECT_FLOAT_EQ(receive_excess_m(0.0f, 0.0f, 0.0f), 0.0f);
  EXPECT_NEAR(receive_excess_m(3e-3f, 0.0f, 0.0f), 3e-3, 1e-9);
}

}  // namespace
}  // namespace echoloop::delays_test
