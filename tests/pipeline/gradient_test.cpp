// The gradient phantom through the whole chain: its ramps in the image fall as they do in the tissue, and adaptive
// methods stretch them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "core/param_table.h"
#include "core/units.h"
#include "measure/levels.h"
#include "source/phantom.h"
#include "source/phantom_text.h"
#include "support/sanitized.h"
#include "support/streaming.h"

namespace echoloop::gradient_test {
namespace {

using testing::Picture;

enum class Along { x, z };

struct Box {
  double x0_mm, x1_mm, z0_mm, z1_mm;
};

// Least squares of the level of the mean power of a line of pixels against its position, in dB/mm.
double slope_db_mm(const Picture& picture, const Box& box, Along along) {
  const bool along_z = along == Along::z;
  const Grid& g = picture.grid;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int line = 0; line < (along_z ? g.nz : g.nx); ++line) {
    double power = 0;
    int pixels = 0;
    double at_mm = 0;
    for (int across = 0; across < (along_z ? g.nx : g.nz); ++across) {
      const int ix = along_z ? across : line, iz = along_z ? line : across;
      const double x_mm = g.x_m(ix) / kMetresPerMillimetre, z_mm = g.z_m(iz) / kMetresPerMillimetre;
      if (x_mm < box.x0_mm || x_mm > box.x1_mm || z_mm < box.z0_mm || z_mm > box.z1_mm) continue;
      power += std::pow(10.0, 0.1 * static_cast<double>(picture.at(ix, iz)));
      at_mm = along_z ? z_mm : x_mm;
      ++pixels;
    }
    if (pixels == 0) continue;
    const double level_db = 10.0 * std::log10(power / pixels);
    n += 1, sx += at_mm, sy += level_db, sxx += at_mm * at_mm, sxy += at_mm * level_db;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Picture image_of(const std::string& phantom, Adaptive method = Adaptive::off) {
  PhantomSettings settings = parse_phantom(phantom + ",probe=L128,attenuation_db_cm_mhz=0,noise_db=-100");
  settings.angles_rad.emplace();
  for (int degrees = -10; degrees <= 10; degrees += 2) settings.angles_rad->push_back(degrees * kRadiansPerDegree);
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  ImagingParams params = default_params(*source->acquisition());
  for (const char* setting : {"lateral_min_m=-0.010", "lateral_max_m=0.010", "grid_nx=201", "depth_min_m=0.003",
                              "depth_max_m=0.033", "grid_nz=1201", "apodization=hann"}) {
    set_from_text(params, setting);
  }
  params.formation.adaptive = method;
  return testing::process({.source = source, .params = params}).at(0);
}

class GradientPhantom : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::kSanitized) GTEST_SKIP() << "numbers of large images: small ones go through the same code";
  }
};

// In depth against even speckle, whose level the spreading of the echoes and the growing aperture change as well.
TEST_F(GradientPhantom, ItsRampsFallBy1800DbPerMetre) {
  const Picture image = image_of("gradient");
  const double even = slope_db_mm(image_of("cyst"), {-9.2, -7.3, 8.0, 30.0}, Along::z);
  const double axial = slope_db_mm(image, {-9.2, -5.7, 8.0, 30.0}, Along::z) - even;
  const double upper = slope_db_mm(image, {-3.8, 9.1, 5.5, 9.5}, Along::x);
  const double lower = slope_db_mm(image, {-3.8, 9.1, 26.5, 30.5}, Along::x);
  std::printf("axial %.3f (even speckle %.3f), upper band %.3f, lower band %.3f dB/mm\n", axial, even, upper, lower);
  EXPECT_NEAR(axial, -1.8, 0.09);
  EXPECT_NEAR(upper, -1.8, 0.09);
  EXPECT_NEAR(lower, -1.8, 0.09);
}

// Regression on delay-and-sum over the ramp in depth, 40 dB (dynamic range test: Rindal et al., IEEE TUFFC 66:1198,
// 2019): 1 is linear.
TEST_F(GradientPhantom, WeightsStretchItsRampAndCaponDoesNot) {
  const Picture das = image_of("gradient");
  const RegionPixels ramp = pixels_in({RegionShape::rectangle, {{-9.2e-3, 8e-3}, {-5.7e-3, 30e-3}}}, das.grid);
  struct Row {
    Adaptive method;
    double least, most;
  };
  for (const Row& row : {Row{Adaptive::coherence, 1.5, 3.0}, Row{Adaptive::generalized, 1.5, 3.0},
                         Row{Adaptive::phase, 1.5, 3.0}, Row{Adaptive::minimum_variance, 0.9, 1.1}}) {
    const Picture with = image_of("gradient", row.method);
    const LevelSlope found = level_slope({.db = with.db, .grid = with.grid}, {.db = das.db, .grid = das.grid}, ramp);
    std::printf("%s: slope %.3f, r^2 %.2f\n",
                std::string(kAdaptiveMethods[static_cast<std::size_t>(row.method)].name).c_str(), found.slope,
                found.r_squared);
    EXPECT_GT(found.slope, row.least);
    EXPECT_LT(found.slope, row.most);
  }
}

}  // namespace
}  // namespace echoloop::gradient_test
