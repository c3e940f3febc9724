// The flow phantom's settings: what they say is what the scatterers do.
#include <gtest/gtest.h>

#include <cmath>

#include "core/units.h"
#include "source/phantom_scene.h"
#include "source/phantom_text.h"

namespace echoloop::flow_phantom_test {
namespace {

TEST(FlowPhantom, SettingsComeFromItsName) {
  const PhantomSettings s =
      parse_phantom("flow,rate_hz=1000,peak_mm_s=120,pulsation=0,angle_deg=-20,radius_mm=1.5,motion_mm_s=4");
  EXPECT_DOUBLE_EQ(s.flow.peak_m_s, 0.12);
  EXPECT_DOUBLE_EQ(s.flow.pulsation, 0.0);
  EXPECT_DOUBLE_EQ(s.flow.angle_rad, -20.0 * kRadiansPerDegree);
  EXPECT_DOUBLE_EQ(s.flow.radius_m, 1.5e-3);
  EXPECT_DOUBLE_EQ(s.flow.motion_m_s, 4e-3);
  const FlowTruth truth = flow_phantom_truth(s, 0);
  EXPECT_DOUBLE_EQ(truth.peak_m_s, 0.12);
  EXPECT_DOUBLE_EQ(truth.tissue_m_s, 4e-3) << "fastest at the beginning";
  EXPECT_DOUBLE_EQ(truth.radius_m, 1.5e-3);
  EXPECT_NEAR(flow_phantom_truth(s, 250).tissue_m_s, 0.0, 1e-12) << "a quarter of a second: at its lowest";
  EXPECT_NEAR(flow_phantom_truth(s, 250).axis.z_m - truth.axis.z_m, 4e-3 / (2.0 * kPi), 1e-9);
}

// Two states a frame apart: no scatterer is faster than the truth's profile, and the fastest is as fast.
TEST(FlowPhantom, BloodRunsInAParabolaAndIsCarriedByTheTissue) {
  const PhantomSettings s =
      parse_phantom("flow,rate_hz=1000,peak_mm_s=120,pulsation=0,angle_deg=20,radius_mm=2,motion_mm_s=10");
  const auto scene = find_phantom("flow")->make(scene_setup(s));
  EXPECT_EQ(scene->fixed().size(), 0U) << "all of it moves";
  Scatterers first, second;
  scene->moving(0, first);
  scene->moving(1, second);
  const FlowTruth truth = flow_phantom_truth(s, 0);
  const double c = std::cos(truth.angle_rad), n = std::sin(truth.angle_rad);
  double fastest = 0.0;
  std::size_t tissue = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double dx = static_cast<double>(second.x_m[i]) - static_cast<double>(first.x_m[i]);
    const double dz = static_cast<double>(second.z_m[i]) - static_cast<double>(first.z_m[i]);
    const double down = 1e-3 * truth.tissue_m_s;
    const double x = first.x_m[i], z = static_cast<double>(first.z_m[i]) - truth.axis.z_m;
    const double share = (-x * n + z * c) / truth.radius_m;
    const double along = dx * c + (dz - down) * n;
    if (std::abs(dx) > 5e-3) continue;  // came in again at the other end
    const bool blood = std::abs(share) < 1.0 && std::abs(along) > 1e-8;
    if (!blood) {
      EXPECT_NEAR(dz, down, 2e-8);
      EXPECT_EQ(dx, 0.0);
      ++tissue;
      continue;
    }
    EXPECT_NEAR(along, 1e-3 * truth.peak_m_s * (1.0 - share * share), 2e-7);
    fastest = std::max(fastest, along * 1e3);
  }
  EXPECT_GT(tissue, first.size() / 2);
  EXPECT_NEAR(fastest, truth.peak_m_s, 0.01 * truth.peak_m_s);
}

TEST(FlowPhantom, TissueAtRestIsRenderedOnce) {
  const auto scene = find_phantom("flow")->make(scene_setup(parse_phantom("flow")));
  Scatterers moving;
  scene->moving(3, moving);
  EXPECT_GT(scene->fixed().size(), moving.size());
}

}  // namespace
}  // namespace echoloop::flow_phantom_test
