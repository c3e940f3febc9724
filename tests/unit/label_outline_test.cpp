// Lines around labelled pixels: their area and length, holes, pixels that meet at corners, sectors.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/region.h"

namespace echoloop::testing::label_outline_test {
namespace {

constexpr double kStep_m = 1e-3;

Grid flat(int nx, int nz) {
  return {.x0_m = 0.0, .x1_m = kStep_m * (nx - 1), .z0_m = 0.0, .z1_m = kStep_m * (nz - 1), .nx = nx, .nz = nz};
}

// Positive where the inside is at the right of the way (z down).
double area_m2(const std::vector<PlanePoint>& line) {
  double twice = 0.0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const PlanePoint a = line[i], b = line[(i + 1) % line.size()];
    twice += a.x_m * b.z_m - b.x_m * a.z_m;
  }
  return 0.5 * twice;
}

TEST(LabelOutline, GoesAroundOnePixelAtHalfSteps) {
  const std::vector<std::int32_t> labels = {0, 0, 0, 0, 7, 0, 0, 0, 0};
  const auto found = outline_labels(labels, flat(3, 3));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, 7);
  const std::vector<PlanePoint> wanted = {{0.5e-3, 0.5e-3}, {1.5e-3, 0.5e-3}, {1.5e-3, 1.5e-3}, {0.5e-3, 1.5e-3}};
  ASSERT_EQ(found[0].line.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(found[0].line[i].x_m, wanted[i].x_m, 1e-12) << i;
    EXPECT_NEAR(found[0].line[i].z_m, wanted[i].z_m, 1e-12) << i;
  }
  EXPECT_NEAR(found[0].least.x_m, 0.5e-3, 1e-12);
  EXPECT_NEAR(found[0].most.z_m, 1.5e-3, 1e-12);
}

TEST(LabelOutline, EndsWhereThePictureEnds) {
  const std::vector<std::int32_t> labels(6, 1);
  const auto found = outline_labels(labels, flat(3, 2));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line.size(), 4u) << "straight stretches are one piece";
  EXPECT_NEAR(area_m2(found[0].line), 2e-3 * 1e-3, 1e-15);
}

TEST(LabelOutline, HolesAndCornersHaveTheirOwnLines) {
  const std::vector<std::int32_t> ring = {0, 0, 0, 0, 0,  //
                                          0, 1, 1, 1, 0,  //
                                          0, 1, 0, 1, 0,  //
                                          0, 1, 1, 1, 0,  //
                                          0, 0, 0, 0, 0};
  auto found = outline_labels(ring, flat(5, 5));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(area_m2(found[0].line) + area_m2(found[1].line), 8e-6, 1e-12) << "the hole goes the other way around";
  EXPECT_LT(std::min(area_m2(found[0].line), area_m2(found[1].line)), 0.0);
  const std::vector<std::int32_t> corners = {0, 0, 0, 0,  //
                                             0, 1, 0, 0,  //
                                             0, 0, 2, 0,  //
                                             0, 0, 0, 0};
  found = outline_labels(corners, flat(4, 4));
  ASSERT_EQ(found.size(), 2u);
  // One object whose pixels also meet at a corner: the line keeps to a pixel there and touches itself.
  const std::vector<std::int32_t> bent = {0, 0, 0, 0, 0,  //
                                          0, 1, 1, 0, 0,  //
                                          0, 1, 0, 1, 0,  //
                                          0, 1, 1, 1, 0,  //
                                          0, 0, 0, 0, 0};
  found = outline_labels(bent, flat(5, 5));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(area_m2(found[0].line), 7e-6, 1e-12);
}

TEST(LabelOutline, EnclosesExactlyTheLabelledPixels) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const int nx = 5 + static_cast<int>(random() % 30), nz = 5 + static_cast<int>(random() % 30);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(nx * nz), 0);
    std::vector<double> pixels(4, 0.0), enclosed(4, 0.0);
    for (int z = 1; z + 1 < nz; ++z) {  // clear of the image's edge, where pixels are cut
      for (int x = 1; x + 1 < nx; ++x) {
        const auto label = static_cast<std::int32_t>(random() % 4);
        labels[static_cast<std::size_t>(z * nx + x)] = label;
        if (label > 0) pixels[static_cast<std::size_t>(label)] += 1.0;
      }
    }
    for (const LabelOutline& o : outline_labels(labels, flat(nx, nz))) {
      enclosed[static_cast<std::size_t>(o.label)] += area_m2(o.line) / (kStep_m * kStep_m);
    }
    for (std::size_t k = 1; k < 4; ++k) EXPECT_NEAR(enclosed[k], pixels[k], 1e-6) << "round " << round;
  }
}

TEST(LabelOutline, FollowsTheArcsOfASector) {
  const Grid fan =
      polar_grid({.apex_z_m = -5e-3, .angle0_rad = -0.4, .angle1_rad = 0.4, .r0_m = 10e-3, .r1_m = 40e-3}, 81, 61);
  std::vector<std::int32_t> labels(fan.pixels(), 0);
  for (int iz = 20; iz <= 30; ++iz) {
    for (int ix = 30; ix <= 60; ++ix) labels[static_cast<std::size_t>(iz * fan.nx + ix)] = 1;
  }
  const auto found = outline_labels(labels, fan);
  ASSERT_EQ(found.size(), 1u);
  const double r0 = fan.r_m(20) - 0.25e-3, r1 = fan.r_m(30) + 0.25e-3;
  const double angle0 = fan.angle_rad(30) - 0.005, angle1 = fan.angle_rad(60) + 0.005;
  EXPECT_NEAR(area_m2(found[0].line), 0.5 * (angle1 - angle0) * (r1 * r1 - r0 * r0), 2e-9);
  for (const PlanePoint p : found[0].line) {
    const double r = std::hypot(p.x_m, p.z_m + 5e-3), angle = std::atan2(p.x_m, p.z_m + 5e-3);
    EXPECT_GE(r, r0 - 1e-9);
    EXPECT_LE(r, r1 + 1e-9);
    EXPECT_GE(angle, angle0 - 1e-9);
    EXPECT_LE(angle, angle1 + 1e-9);
  }
}

TEST(LabelOutline, OfNothingIsNothing) {
  EXPECT_TRUE(outline_labels({}, Grid{}).empty());
  const std::vector<std::int32_t> labels(4, 0);
  EXPECT_TRUE(outline_labels(labels, flat(2, 2)).empty());
  EXPECT_TRUE(outline_labels(labels, flat(3, 2)).empty()) << "not of this grid";
}

}  // namespace
}  // namespace echoloop::testing::label_outline_test
