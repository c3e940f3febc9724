// The points phantom through the whole stream: every wire where it is, for three speeds of sound and three sets of
// angles. The phantom's geometry is not the beamformer's, so that a sign error cannot cancel itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "source/phantom.h"
#include "support/peaks.h"
#include "support/streaming.h"

namespace echoloop::points_test {
namespace {

using testing::Peak;
using testing::Picture;

using Case = std::tuple<double, std::vector<double>>;  // sound speed, angles in degrees

class PointsPhantom : public ::testing::TestWithParam<Case> {};

TEST_P(PointsPhantom, EveryWireIsWhereItIs) {
  const auto& [sound_speed, degrees] = GetParam();
  PhantomSettings settings;
  settings.name = "points";
  settings.sound_speed_m_s = sound_speed;
  settings.angles_rad.emplace();
  for (const double angle : degrees) settings.angles_rad->push_back(angle * kRadiansPerDegree);
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);

  ImagingParams params = default_params(*source->acquisition());
  EXPECT_EQ(params.formation.sound_speed_m_s, sound_speed);
  // 0.1 mm by 0.025 mm; rows and columns fall on no wire in particular.
  params.formation.lateral_min_m = -9.03e-3;
  params.formation.lateral_max_m = 9.07e-3;
  params.formation.grid_nx = 182;
  params.formation.depth_min_m = 3.01e-3;
  params.formation.depth_max_m = 34.51e-3;
  params.formation.grid_nz = 1261;
  const std::vector<Picture> pictures = testing::process({.source = source, .params = params});
  ASSERT_EQ(pictures.size(), 1U);
  const Picture& picture = pictures[0];
  const double half_pixel_m = 0.5 * picture.grid.dx_m();

  double worst_x_m = 0.0, worst_z_m = 0.0;
  for (const PlanePoint& wire : points_phantom_wires(settings)) {
    const Peak peak = testing::find_peak(picture, wire.x_m, wire.z_m, 0.6e-3, 0.5e-3);
    EXPECT_LE(std::abs(peak.x_m - wire.x_m), half_pixel_m) << "wire at " << wire.x_m << ", " << wire.z_m;
    EXPECT_LE(std::abs(peak.z_m - wire.z_m), 0.05e-3) << "wire at " << wire.x_m << ", " << wire.z_m;
    EXPECT_GT(peak.db, -30.0f) << "something fainter than a wire at " << wire.x_m << ", " << wire.z_m;
    worst_x_m = std::max(worst_x_m, std::abs(peak.x_m - wire.x_m));
    worst_z_m = std::max(worst_z_m, std::abs(peak.z_m - wire.z_m));
  }
  std::printf("%g m/s, %zu angles: worst wire %.4f mm lateral (half a pixel: %.4f), %.4f mm axial\n", sound_speed,
              degrees.size(), worst_x_m * 1e3, half_pixel_m * 1e3, worst_z_m * 1e3);
}

INSTANTIATE_TEST_SUITE_P(SpeedsAndAngles, PointsPhantom,
                         ::testing::Combine(::testing::Values(1450.0, 1540.0, 1600.0),
                                            ::testing::Values(std::vector<double>{0.0},
                                                              std::vector<double>{-6.0, 0.0, 6.0},
                                                              std::vector<double>{-10.0, -5.0, 0.0, 5.0, 10.0})));

TEST(PointsPhantomCircling, TheMovingWireIsWhereItIsInLaterFrames) {
  PhantomSettings settings;
  settings.name = "points";
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  ImagingParams params = default_params(*source->acquisition());
  params.formation.lateral_min_m = -7e-3;
  params.formation.lateral_max_m = -2e-3;
  params.formation.depth_min_m = 23.5e-3;
  params.formation.depth_max_m = 28.5e-3;
  params.formation.grid_nx = 51;
  params.formation.grid_nz = 201;
  for (const Picture& picture : testing::process({.source = source, .params = params, .frames = 40})) {
    const PlanePoint wire = points_phantom_circling_wire(settings, picture.stamp.source_index);
    const Peak peak = testing::find_peak(picture, wire.x_m, wire.z_m, 0.6e-3, 0.5e-3);
    EXPECT_LE(std::abs(peak.x_m - wire.x_m), 0.5 * picture.grid.dx_m()) << "frame " << picture.stamp.sequence;
    EXPECT_LE(std::abs(peak.z_m - wire.z_m), 0.05e-3) << "frame " << picture.stamp.sequence;
  }
}

}  // namespace
}  // namespace echoloop::points_test
