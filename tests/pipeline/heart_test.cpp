// The heart phantom as the window shows it, with the preset Heart: dark chambers, tissue up to the rim of the sector,
// and colour flow in and out of the left ventricle below the aliasing limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/options/preset.h"
#include "source/phantom.h"
#include "support/flow_run.h"
#include "support/sanitized.h"
#include "test_paths.h"

namespace echoloop::heart_test {
namespace {

using namespace testing;

struct Region {
  double x_mm, z_mm, half_x_mm, half_z_mm;
  [[nodiscard]] bool contains(PlanePoint p) const {
    return std::abs(p.x_m * 1e3 - x_mm) < half_x_mm && std::abs(p.z_m * 1e3 - z_mm) < half_z_mm;
  }
};

// In the field of the default probe, away from the leaflets.
constexpr Region kSeptum{-20.0, 60.0, 3.0, 8.0};
constexpr Region kOutflow{1.0, 62.0, 2.5, 8.0};  // of the left ventricle, along the septum
constexpr Region kInflow{11.0, 62.0, 4.0, 8.0};
constexpr Region kLeftAtrium{12.0, 112.0, 6.0, 6.0};
constexpr Region kRim{75.0, 100.0, 6.0, 6.0};  // 125 mm from the probe, 37 degrees to the right

FlowRun run_frames(std::uint64_t frames) {
  const std::shared_ptr<Source> source = make_phantom({});
  const Acquisition& a = *source->acquisition();
  ImagingParams p = apply_preset(read_preset(ECHO_SOURCE_DIR "/assets/presets/heart.toml"), default_params(a), a);
  p.color_flow.mode = FlowMode::velocity;
  return run_flow(source, p, frames);
}

double level_db(const Picture& picture, const Region& region) {
  double sum = 0.0;
  int n = 0;
  for (int iz = 0; iz < picture.grid.nz; ++iz) {
    for (int ix = 0; ix < picture.grid.nx; ++ix) {
      if (!region.contains(picture.grid.point(ix, iz))) continue;
      sum += std::pow(10.0, 0.1 * static_cast<double>(picture.at(ix, iz)));
      ++n;
    }
  }
  EXPECT_GT(n, 20);
  return 10.0 * std::log10(sum / n);
}

// Returns the median velocity, mm/s.
double velocity_mm_s(const FlowImage& flow, const Region& region) {
  std::vector<float> values;
  for (int iz = 0; iz < flow.grid.nz; ++iz) {
    for (int ix = 0; ix < flow.grid.nx; ++ix) {
      const auto i =
          static_cast<std::size_t>(iz) * static_cast<std::size_t>(flow.grid.nx) + static_cast<std::size_t>(ix);
      if (region.contains(flow.grid.point(ix, iz))) values.push_back(flow.velocity_m_s[i]);
    }
  }
  EXPECT_GT(values.size(), 20U);
  std::ranges::sort(values);
  return 1e3 * static_cast<double>(values[values.size() / 2]);
}

TEST(Heart, ChambersAreDarkAndTissueReachesTheRim) {
  const Picture picture = run_frames(42).picture;  // the end of diastole
  const double muscle = level_db(picture, kSeptum);
  EXPECT_LT(level_db(picture, kInflow), muscle - 15.0);
  EXPECT_LT(level_db(picture, kLeftAtrium), muscle - 15.0);
  EXPECT_GT(level_db(picture, kLeftAtrium), muscle - 40.0) << "blood has speckle";
  EXPECT_GT(level_db(picture, kRim), level_db(picture, kLeftAtrium) + 6.0);
}

// At 50 frames/s and 72 beats per minute ejection is in frames 2 to 15 of a beat, and the first wave of filling in
// frames 18 to 28.
TEST(Heart, FlowEntersTheVentricleInDiastoleAndLeavesItInSystole) {
  if (kSanitized) GTEST_SKIP() << "takes minutes, by code of other tests";
  const FlowImage systole = run_frames(20).flow;
  EXPECT_LT(velocity_mm_s(systole, kOutflow), -1.0);
  const FlowImage diastole = run_frames(34).flow;
  EXPECT_GT(velocity_mm_s(diastole, kInflow), 1.0);
  EXPECT_GT(velocity_mm_s(diastole, kLeftAtrium), 0.5);
  // c f / (4 f0) of 50 frames/s at 2.72 MHz, divided by the mean of the received frequencies.
  EXPECT_NEAR(diastole.aliasing_m_s, 1540.0 * 50.0 / (4.0 * 2.72e6), 0.1 * diastole.aliasing_m_s);
}

}  // namespace
}  // namespace echoloop::heart_test
