// Point spreads of known width and place.
#include "measure/point_spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "support/level_images.h"

namespace echoloop::point_spread_test {
namespace {

using namespace testing;

// dB below the peak of a Gaussian whose -6 dB width is w.
double gauss_db(double off, double w) { return -24.0 * off * off / (w * w); }

MadeImage gaussian(const Grid& grid, PlanePoint at, double width_x_m, double width_z_m) {
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
  const MadeImage picture = make_picture(kFlat, [&](PlanePoint p) {
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
  const MadeImage picture = make_picture(g, [&](PlanePoint p) {
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
  const MadeImage silent = make_picture(kFlat, [](PlanePoint) { return -600.0; });
  EXPECT_FALSE(measure_point(silent.view(), {0, 20e-3}, 1e-3));
  // A plateau has no width, and says so.
  const MadeImage even = make_picture(kFlat, [](PlanePoint) { return -20.0; });
  const auto flat = measure_point(even.view(), {0, 20e-3}, 1e-3);
  ASSERT_TRUE(flat);
  EXPECT_TRUE(std::isnan(flat->lateral.fwhm_m));
  EXPECT_FALSE(flat->lateral.fit);
  // At the image's edge one half is missing.
  const auto edge = measure_point(gaussian(kFlat, {-5e-3, 20e-3}, 1e-3, 1e-3).view(), {-4.9e-3, 20e-3}, 0.5e-3);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(std::isnan(edge->lateral.fwhm_m));
  EXPECT_NEAR(edge->axial.fwhm_m, 1e-3, 0.01e-3);
}

// Where a point has a peak and where it has none, and patches whose widths do not depend on the image's pixels.

using Levels = std::function<double(PlanePoint)>;

// A wire in speckle, `above_db` over its mean amplitude.
MadeImage wire_in_speckle(PlanePoint at, double above_db) {
  Speckle random(3);
  return make_picture(kFlat, [=](PlanePoint p) mutable {
    const double wire = above_db + gauss_db(p.x_m - at.x_m, 0.8e-3) + gauss_db(p.z_m - at.z_m, 0.4e-3);
    return 20.0 * std::log10(std::pow(10.0, wire / 20.0) + random.amplitude(0.8)) - 40.0;
  });
}

TEST(PointEcho, AWireInSpeckleIsAPeakAndSpeckleIsNone) {
  const PlanePoint at{1e-3, 20e-3};
  const MadeImage wire = wire_in_speckle(at, 25.0);
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
  const MadeImage slope = make_picture(kFlat, [](PlanePoint p) { return -20.0 - 2000.0 * p.x_m; });
  EXPECT_NE(find_point_echo(slope.view(), {0, 20e-3}).verdict, PeakVerdict::peak);
  EXPECT_EQ(find_point_echo(slope.view(), {-4.9e-3, 20e-3}).verdict, PeakVerdict::no_maximum) << "on the image's edge";
  const MadeImage even = make_picture(kFlat, [](PlanePoint) { return -20.0; });
  EXPECT_EQ(find_point_echo(even.view(), {0, 20e-3}).verdict, PeakVerdict::no_maximum);
  EXPECT_EQ(find_point_echo(even.view(), {0.1, 0.1}).verdict, PeakVerdict::no_echo);
  // Uphill for 4 mm: the maximum is another place's.
  const MadeImage wide =
      make_picture(kFlat, [](PlanePoint p) { return -1e3 * std::hypot(p.x_m - 4e-3, p.z_m - 20e-3) * 5.0; });
  EXPECT_EQ(find_point_echo(wide.view(), {-1e-3, 20e-3}).verdict, PeakVerdict::too_far);
  // A side lobe 36 dB below the echo 6 mm away.
  const MadeImage lobes = make_picture(kFlat, [](PlanePoint p) {
    const double echo = gauss_db(p.x_m + 3e-3, 1e-3) + gauss_db(p.z_m - 20e-3, 0.5e-3);
    const double lobe = -36.0 + gauss_db(p.x_m - 3e-3, 1e-3) + gauss_db(p.z_m - 20e-3, 0.5e-3);
    return std::max({echo, lobe, -70.0});
  });
  EXPECT_EQ(find_point_echo(lobes.view(), {-3e-3, 20e-3}).verdict, PeakVerdict::peak);
  EXPECT_EQ(find_point_echo(lobes.view(), {3e-3, 20e-3}).verdict, PeakVerdict::beside_stronger);
}

// What an image of `n` pixels across a width says, and the patches after it.
PointSpread through_patches(const Grid& image, const Levels& levels, PlanePoint at) {
  const MadeImage coarse = make_picture(image, levels);
  const auto seen = measure_point(coarse.view(), at, 1.5e-3);
  EXPECT_TRUE(seen);
  PointPatch patch(image, *seen);
  for (int i = 0; i < 5; ++i) {
    const MadeImage fine = make_picture(patch.grid(), levels);
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
  const MadeImage image = make_picture(kFlat, levels);
  const auto seen = measure_point(image.view(), {4.6e-3, 29.8e-3}, 1e-3);
  ASSERT_TRUE(seen);
  const PointPatch patch(kFlat, *seen);
  EXPECT_LE(patch.grid().x1_m, kFlat.x1_m);
  EXPECT_LE(patch.grid().z1_m, kFlat.z1_m);
  EXPECT_GE(patch.grid().x0_m, kFlat.x0_m);
}

}  // namespace
}  // namespace echoloop::point_spread_test
