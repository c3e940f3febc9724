// Which elements see a pixel, how strongly, and how a line is read between its samples.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/units.h"
#include "dsp/das.h"
#include "dsp/level.h"

namespace echoloop::aperture_test {
namespace {

ElementGeometry element_at(double x_m, double z_m, double normal_degrees, float place = 0.0f) {
  const double normal = normal_degrees * kRadiansPerDegree;
  return {static_cast<float>(x_m), static_cast<float>(z_m), static_cast<float>(std::sin(normal)),
          static_cast<float>(std::cos(normal)), place};
}

float weight_at(const ElementGeometry& e, float f_number, double x_m, double z_m,
                Apodization window = Apodization::boxcar, float width_over_wavelength = 0.0f) {
  DasGeometry g{};
  g.f_number = f_number;
  g.apodization = window;
  g.samples_per_m = 1.0f;
  g.width_over_wavelength = width_over_wavelength;
  return receive_term(g, e, {static_cast<float>(x_m), static_cast<float>(z_m), 0.0f}).weight;
}

TEST(Aperture, FlatArrayIsDepthOverTwiceTheFNumber) {
  // F 1.5 at 30 mm: 10 mm to either side.
  const ElementGeometry e = element_at(2e-3, 0.0, 0.0);
  EXPECT_EQ(weight_at(e, 1.5f, 2e-3, 30e-3), 1.0f);
  EXPECT_EQ(weight_at(e, 1.5f, 11.99e-3, 30e-3), 1.0f);
  EXPECT_EQ(weight_at(e, 1.5f, 12e-3, 30e-3), 1.0f);  // a tie is inside
  EXPECT_EQ(weight_at(e, 1.5f, 12.01e-3, 30e-3), 0.0f);
  EXPECT_EQ(weight_at(e, 1.5f, -7.99e-3, 30e-3), 1.0f);
  EXPECT_EQ(weight_at(e, 1.5f, -8.01e-3, 30e-3), 0.0f);
  EXPECT_EQ(weight_at(e, 1.5f, 2e-3, -1e-3), 0.0f);  // behind the array
}

TEST(Aperture, CurvedArrayFollowsTheElementsOwnDirection) {
  // An element that looks 30 degrees to the right with F 1: angles within atan(1/2) = 26.57 degrees of that direction.
  const ElementGeometry e = element_at(10e-3, -3e-3, 30.0);
  const auto at = [&](double degrees) {
    const double angle = degrees * kRadiansPerDegree;
    return weight_at(e, 1.0f, 10e-3 + 20e-3 * std::sin(angle), -3e-3 + 20e-3 * std::cos(angle));
  };
  EXPECT_EQ(at(30.0), 1.0f);
  EXPECT_EQ(at(56.0), 1.0f);
  EXPECT_EQ(at(57.0), 0.0f);
  EXPECT_EQ(at(4.0), 1.0f);
  EXPECT_EQ(at(3.0), 0.0f);
  EXPECT_EQ(at(-150.0), 0.0f);  // straight behind
}

TEST(Aperture, WithoutFNumberTheWindowLiesOverTheArray) {
  EXPECT_EQ(weight_at(element_at(5e-3, 0, 0, 0.49f), 0.0f, -30e-3, 1e-3), 1.0f);
  EXPECT_NEAR(weight_at(element_at(5e-3, 0, 0, 0.25f), 0.0f, 0.0, 20e-3, Apodization::hann), 0.5, 1e-6);
  // Hann, F 1 at 20 mm: half the aperture is 10 mm, so 5 mm off is u = 1/4 and cos^2(pi/4).
  EXPECT_NEAR(weight_at(element_at(0, 0, 0), 1.0f, 5e-3, 20e-3, Apodization::hann), 0.5, 1e-6);
}

TEST(Directivity, FollowsSincTimesCosine) {
  const ElementGeometry e = element_at(0.0, 0.0, 0.0);
  for (const double degrees : {0.0, 0.01, 1.0, 15.0, 30.0, 45.0, 60.0, 80.0}) {
    const double t = degrees * kRadiansPerDegree;
    const double v = kPi * 0.9 * std::sin(t);
    const double expected = std::cos(t) * (v == 0.0 ? 1.0 : std::sin(v) / v);
    const float found = weight_at(e, 0.0f, 30e-3 * std::sin(t), 30e-3 * std::cos(t), Apodization::boxcar, 0.9f);
    EXPECT_NEAR(found, expected, 1e-6) << degrees << " degrees";  // a few float roundings of values up to 1
  }
  EXPECT_EQ(weight_at(e, 0.0f, 0.0, -5e-3, Apodization::boxcar, 0.9f), 0.0f);  // deaf to the back
}

constexpr int kValid = 5;
const std::vector<Complex> kLine = {{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 160}};

void expect_value(int base, float offset, float re) {
  const Complex v = interpolate(kLine.data(), kValid, base, offset);
  EXPECT_FLOAT_EQ(v.re, re) << base << " + " << offset;
  EXPECT_FLOAT_EQ(v.im, 10.0f * re) << base << " + " << offset;
}

TEST(Interpolate, LinearBetweenSamplesWhereverTheSplitLies) {
  expect_value(0, 0.0f, 1.0f);
  expect_value(0, 1.5f, 3.0f);
  expect_value(2, -0.5f, 3.0f);
  expect_value(5, -2.25f, 7.0f);  // 2.75: 4 + 0.75 * 4
  expect_value(-100, 103.25f, 10.0f);
}

TEST(Interpolate, NothingOutsideTheRecord) {
  expect_value(0, -0.001f, 0.0f);
  expect_value(0, 3.999f, 15.992f);
  expect_value(4, 0.0f, 0.0f);  // the last sample has no neighbour: positions below n_valid - 1 contribute
  expect_value(1000000000, 0.5f, 0.0f);
  expect_value(-1000000000, 0.5f, 0.0f);
}

TEST(Level, DecibelsAgainstTheReference) {
  EXPECT_NEAR(to_db(10.0f, 0.0f), 20.0, 1e-5);
  EXPECT_NEAR(to_db(1e-11f, -220.0f), 0.0, 1e-4);
  EXPECT_NEAR(to_db(0.0f, 0.0f), -600.0, 1e-3);
  for (const float scale : {1.0f, 1e-12f, 1e-18f, 1e-24f, 1e-30f, 1e12f, 1e18f, 1e24f, 1e30f}) {
    EXPECT_FLOAT_EQ(magnitude({3.0f * scale, -4.0f * scale}), 5.0f * scale);
  }
  EXPECT_EQ(magnitude({0.0f, 0.0f}), 0.0f);
  EXPECT_NEAR(to_db(1e-11f, frame_level_db(1e-11f)), 0.0, 1e-4);
  EXPECT_NEAR(to_db(0.0f, frame_level_db(0.0f)), -600.0, 1e-3) << "a silent frame of the course's recipe is black";
}

}  // namespace
}  // namespace echoloop::aperture_test
