// Adaptive methods on the simulated recording of diverging waves: contrast and gCNR of the cyst against a published
// float64 computation (circles of 4 mm about (-18, 48) mm and three backgrounds, a ring of 7.5 to 11 mm), full
// aperture.
#include <gtest/gtest.h>

#include "measure/region_stats.h"
#include "reference/compare.h"
#include "reference/regions.h"

namespace echoloop::adaptive_test {
namespace {

using namespace testing;

constexpr const char* kFile = "simus_p42v_diverging/simus_p42v_diverging.uff";
constexpr PlanePoint kCyst{-18e-3, 48e-3};
constexpr double kRadius_m = 4e-3;

struct Expected {
  const char* name;
  Adaptive method;
  double strength;
  double contrast_db[4];  // against (0, 48), (-18, 60), (-8, 40) mm and the ring
  double gcnr[4];
};

TEST(Adaptive, ContrastsAreThoseOfTheSpecification) {
  ECHO_NEED_DATA(kFile);
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  const Expected rows[] = {
      {"delay-and-sum", Adaptive::off, 1.0, {-16.5, -15.0, -16.4, -15.2}, {0.839, 0.828, 0.813, 0.791}},
      {"coherence factor", Adaptive::coherence, 1.0, {-44.8, -47.3, -55.3, -46.7}, {0.921, 0.964, 0.962, 0.889}},
      {"Wiener", Adaptive::coherence, 0.0, {-37.5, -38.0, -41.4, -37.6}, {0.921, 0.964, 0.959, 0.889}},
      {"phase", Adaptive::phase, 1.0, {-31.1, -32.6, -40.8, -32.6}, {0.825, 0.866, 0.883, 0.800}}};
  for (const Expected& row : rows) {
    ImagingParams params = params_on(*opened.info.acquisition, {-60, 60, 301, 8, 97, 300}, 0.0, 272000, 5168000);
    params.formation.grid_kind = GridChoice::cartesian;
    params.formation.adaptive = row.method;
    params.formation.adaptive_strength = row.strength;
    const Picture picture = process({.source = opened.source, .params = params}).at(0);
    const RegionPixels cyst = disk(picture.grid, kCyst, kRadius_m);
    const RegionPixels backgrounds[] = {disk(picture.grid, {0.0, 48e-3}, kRadius_m),
                                        disk(picture.grid, {-18e-3, 60e-3}, kRadius_m),
                                        disk(picture.grid, {-8e-3, 40e-3}, kRadius_m),
                                        without(disk(picture.grid, kCyst, 11e-3), disk(picture.grid, kCyst, 7.5e-3))};
    for (std::size_t k = 0; k < std::size(backgrounds); ++k) {
      const PairStats found = compare_regions(levels_of(picture), cyst, backgrounds[k]);
      EXPECT_NEAR(found.contrast_db, row.contrast_db[k], 0.2) << row.name << ", background " << k;
      EXPECT_NEAR(found.gcnr, row.gcnr[k], 0.02) << row.name << ", background " << k;
      std::printf("%s, background %zu: contrast %.2f dB (%.1f), gCNR %.3f (%.3f), %d bins\n", row.name, k,
                  found.contrast_db, row.contrast_db[k], found.gcnr, row.gcnr[k], found.gcnr_bins);
    }
  }
}

}  // namespace
}  // namespace echoloop::adaptive_test
