// Where a point has a peak and where it has none, and patches whose widths do not depend on the image's pixels.
#include "measure/point_echo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/point_patch.h"
#include "support/level_pictures.h"

namespace echoloop::point_echo_test {
namespace {

using namespace testing;
using Levels = std::function<double(PlanePoint)>;

double gauss_db(double off, double w) { return -24.0 * off * off / (w * w); }

// A wire in speckle, `above_db` over its mean amplitude.
MadePicture wire_in_speckle(PlanePoint at, double above_db) {
  Speckle random(3);
  return make_picture(kFlat, [=](PlanePoint p) mutable {
    const double wire = above_db + gauss_db(p.x_m - at.x_m, 0.8e-3) + gauss_db(p.z_m - at.z_m, 0.4e-3);
    return 20.0 * std::log10(std::pow(10.0, wire / 20.0) + random.amplitude(0.8)) - 40.0;
  });
}

TEST(PointEcho, AWireInSpeckleIsAPeakAndSpeckleIsNone) {
  const PlanePoint at{1e-3, 20e-3};
  const MadePicture wire = wire_in_speckle(at, 25.0);
  const PointEcho found = find_point_echo(wire.view(), {1.5e-3, 20.5e-3});
  ASSERT_EQ(found.verdict, PeakVerdict::peak) << found.above_db;
  EXPECT_NEAR(found.spread->peak.x_m, at.x_m, 0.05e-3);
  EXPECT_EQ(why_no_peak(found), "");
  EXPECT_GT(found.above_db, 20.0);
  for (const PlanePoint off : {PlanePoint{-3e-3, 14e-3}, {-3.5e-3, 27e-3}, {3.5e-3, 13e-3}}) {
    const PointEcho none = find_point_echo(wire.view(), off);
    EXPECT_FALSE(none.spread) << none.above_db;
    EXPECT_TRUE(why_no_peak(none).starts_with("No peak here: ")) << why_no_peak(none);
  }
}

TEST(PointEcho, SaysWhyThereIsNone) {
  const MadePicture slope = make_picture(kFlat, [](PlanePoint p) { return -20.0 - 2000.0 * p.x_m; });
  EXPECT_NE(find_point_echo(slope.view(), {0, 20e-3}).verdict, PeakVerdict::peak);
  EXPECT_EQ(find_point_echo(slope.view(), {-4.9e-3, 20e-3}).verdict, PeakVerdict::no_maximum) << "on the image's edge";
  const MadePicture even = make_picture(kFlat, [](PlanePoint) { return -20.0; });
  EXPECT_EQ(find_point_echo(even.view(), {0, 20e-3}).verdict, PeakVerdict::no_maximum);
  EXPECT_EQ(find_point_echo(even.view(), {0.1, 0.1}).verdict, PeakVerdict::no_echo);
  // Uphill for 4 mm: the maximum is another place's.
  const MadePicture wide =
      make_picture(kFlat, [](PlanePoint p) { return -1e3 * std::hypot(p.x_m - 4e-3, p.z_m - 20e-3) * 5.0; });
  EXPECT_EQ(find_point_echo(wide.view(), {-1e-3, 20e-3}).verdict, PeakVerdict::too_far);
  // A side lobe 36 dB below the echo 6 mm away.
  const MadePicture lobes = make_picture(kFlat, [](PlanePoint p) {
    const double echo = gauss_db(p.x_m + 3e-3, 1e-3) + gauss_db(p.z_m - 20e-3, 0.5e-3);
    const double lobe = -36.0 + gauss_db(p.x_m - 3e-3, 1e-3) + gauss_db(p.z_m - 20e-3, 0.5e-3);
    return std::max({echo, lobe, -70.0});
  });
  EXPECT_EQ(find_point_echo(lobes.view(), {-3e-3, 20e-3}).verdict, PeakVerdict::peak);
  EXPECT_EQ(find_point_echo(lobes.view(), {3e-3, 20e-3}).verdict, PeakVerdict::beside_stronger);
}

// What an image of `n` pixels across a width says, and the patches after it.
PointSpread through_patches(const Grid& image, const Levels& levels, PlanePoint at) {
  const MadePicture coarse = make_picture(image, levels);
  const auto seen = measure_point(coarse.view(), at, 1.5e-3);
  EXPECT_TRUE(seen);
  PointPatch patch(image, *seen);
  for (int i = 0; i < 5; ++i) {
    const MadePicture fine = make_picture(patch.grid(), levels);
    const PointPatch::Next next = patch.take(fine.view());
    EXPECT_NE(next, PointPatch::Next::failed);
    if (next != PointPatch::Next::again) break;
  }
  EXPECT_TRUE(patch.spread());
  return patch.spread().value_or(*seen);
}

// 2.5 pixels and fewer across: the patch has the width within half a percent, wherever the echo lies between them.
TEST(PointPatch, WidthsDoNotDependOnTheImagesPixels) {
  for (const double step_mm : {0.1, 0.2, 0.3}) {
    const Grid image{.x0_m = -5e-3,
                     .x1_m = 5e-3,
                     .z0_m = 10e-3,
                     .z1_m = 30e-3,
                     .nx = static_cast<int>(10.0 / step_mm) + 1,
                     .nz = static_cast<int>(20.0 / step_mm) + 1};
    for (int k = 0; k < 8; ++k) {
      const PlanePoint at{0.037e-3 * k, 20e-3 + 0.029e-3 * k};
      const Levels levels = [at](PlanePoint p) {
        return std::max(-3.0 + gauss_db(p.x_m - at.x_m, 0.51e-3) + gauss_db(p.z_m - at.z_m, 0.33e-3), -90.0);
      };
      const PointSpread s = through_patches(image, levels, at);
      EXPECT_NEAR(s.lateral.fwhm_m, 0.51e-3, 0.0026e-3) << step_mm;
      EXPECT_NEAR(s.axial.fwhm_m, 0.33e-3, 0.0017e-3) << step_mm;
      EXPECT_NEAR(s.peak.x_m, at.x_m, 2e-6);
      EXPECT_GE(s.lateral.pixels_across, 10.0);
    }
  }
}

TEST(PointPatch, OnASectorAlongArcAndRadius) {
  Grid image = fan();
  image.nx = 61;
  image.nz = 151;
  const double angle = 0.2137, r = 45.03e-3, width_rad = 0.03;
  const Levels levels = [&](PlanePoint p) {
    const double down = p.z_m - image.sector.apex_z_m;
    return gauss_db(std::atan2(p.x_m, down) - angle, width_rad) + gauss_db(std::hypot(p.x_m, down) - r, 0.6e-3);
  };
  const PlanePoint at{r * std::sin(angle), image.sector.apex_z_m + r * std::cos(angle)};
  const PointSpread s = through_patches(image, levels, at);
  EXPECT_NEAR(s.lateral.fwhm_m, width_rad * r, 0.005 * width_rad * r);
  EXPECT_NEAR(s.axial.fwhm_m, 0.6e-3, 0.003e-3);
}

// A patch never leaves the image: what it shows is part of it.
TEST(PointPatch, StaysInsideTheImage) {
  const Levels levels = [](PlanePoint p) {
    return gauss_db(p.x_m - 4.6e-3, 0.5e-3) + gauss_db(p.z_m - 29.8e-3, 0.3e-3);
  };
  const MadePicture image = make_picture(kFlat, levels);
  const auto seen = measure_point(image.view(), {4.6e-3, 29.8e-3}, 1e-3);
  ASSERT_TRUE(seen);
  const PointPatch patch(kFlat, *seen);
  EXPECT_LE(patch.grid().x1_m, kFlat.x1_m);
  EXPECT_LE(patch.grid().z1_m, kFlat.z1_m);
  EXPECT_GE(patch.grid().x0_m, kFlat.x0_m);
}

}  // namespace
}  // namespace echoloop::point_echo_test
