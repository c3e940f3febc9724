// The search for the speed of sound: on echoes that were made with a known one, and judging curves.
#include "backend/sound_speed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.h"
#include "support/streaming.h"

namespace echoloop::sound_speed_test {
namespace {

TEST(SoundSpeed, PeakOfAParabolaIsExact) {
  const std::vector<double> speeds = {1500, 1510, 1520, 1530, 1540};
  SoundSpeedCurve curve;
  for (const double c : speeds) curve.phi.push_back(1.0 - 1e-3 * (c - 1523.0) * (c - 1523.0));
  judge_curve(curve, speeds);
  EXPECT_NEAR(curve.peak_m_s, 1523.0, 1e-9);
  EXPECT_TRUE(curve.warnings.empty());
}

TEST(SoundSpeed, WarnsAtAnEndAndOfAFlatCurve) {
  const std::vector<double> speeds = {1500, 1510, 1520};
  SoundSpeedCurve end;
  end.phi = {0.1, 0.2, 0.3};
  judge_curve(end, speeds);
  EXPECT_EQ(end.warnings.size(), 1U);
  SoundSpeedCurve flat;
  flat.phi = {0.3, 0.3001, 0.3};
  judge_curve(flat, speeds);
  EXPECT_EQ(flat.warnings.size(), 1U);
  SoundSpeedCurve silent;
  silent.phi = {0.0, 0.0, 0.0};
  judge_curve(silent, speeds);
  EXPECT_EQ(silent.prominence, 0.0);
  EXPECT_EQ(silent.warnings.size(), 2U);
}

TEST(SoundSpeed, SpeedsLieAroundTheAssumedOne) {
  const std::vector<double> speeds = speeds_around(1540.0);
  ASSERT_EQ(speeds.size(), 41U);
  EXPECT_DOUBLE_EQ(speeds.front(), 1390.0);
  EXPECT_DOUBLE_EQ(speeds[20], 1540.0);
  EXPECT_DOUBLE_EQ(speeds.back(), 1690.0);
}

}  // namespace
}  // namespace echoloop::sound_speed_test
