// Adaptive methods on the simulated recording of diverging waves: contrast and gCNR of the cyst against a published
// float64 computation (circles of 4 mm about (-18, 48) mm and three backgrounds, a ring of 7.5 to 11 mm), full
// aperture.
#include <gtest/gtest.h>

#include "measure/levels.h"
#include "reference/compare.h"
#include "reference/regions.h"

namespace echoloop::adaptive_test {
namespace {

using namespace testing;

constexpr const char* kFile = "simus_p42v_diverging/simus_p42v_diverging.uff";
constexpr PlanePoint kCyst{-18e-3, 48e-3};
constexpr double kRadius_m = 4e-3;

// Of two regions, with bins that hold equally many of all pixels.
double gcnr_of(const Picture& picture, const RegionPixels& a, const RegionPixels& b, int bins) {
  std::vector<float> pooled;
  for (const RegionPixels* region : {&a, &b}) {
    for (const std::size_t i : region->index) pooled.push_back(picture.db[i]);
  }
  std::sort(pooled.begin(), pooled.end());
  const auto bin_of = [&](std::size_t i) {
    const auto rank = std::lower_bound(pooled.begin(), pooled.end(), picture.db[i]) - pooled.begin();
    return static_cast<std::size_t>(rank * bins / static_cast<std::ptrdiff_t>(pooled.size()));
  };
  std::vector<double> of_a(static_cast<std::size_t>(bins)), of_b(of_a.size());
  for (const std::size_t i : a.index) of_a[bin_of(i)] += 1.0 / static_cast<double>(a.index.size());
  for (const std::size_t i : b.index) of_b[bin_of(i)] += 1.0 / static_cast<double>(b.index.size());
  double overlap = 0.0;
  for (std::size_t k = 0; k < of_a.size(); ++k) overlap += std::min(of_a[k], of_b[k]);
  return 1.0 - overlap;
}

struct Expected {
  const char* name;
  Adaptive method;
  AdaptiveOrder order;
  double strength;
  double contrast_db[4];  // against (0, 48), (-18, 60), (-8, 40) mm and the ring
  double gcnr[4];
};

TEST(Adaptive, ContrastsAreThoseOfTheSpecification) {
  ECHO_NEED_DATA(kFile);
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  constexpr auto kEach = AdaptiveOrder::each_transmit;
  constexpr auto kCompounded = AdaptiveOrder::compounded;
  const Expected rows[] = {
      {"delay-and-sum", Adaptive::off, kEach, 1.0, {-16.5, -15.0, -16.4, -15.2}, {0.839, 0.828, 0.813, 0.791}},
      {"coherence", Adaptive::coherence, kEach, 1.0, {-44.8, -47.3, -55.3, -46.7}, {0.921, 0.964, 0.962, 0.889}},
      {"coherence", Adaptive::coherence, kCompounded, 1.0, {-52.1, -54.0, -62.2, -53.9}, {0.839, 0.873, 0.907, 0.837}},
      {"Wiener", Adaptive::coherence, kEach, 0.0, {-37.5, -38.0, -41.4, -37.6}, {0.921, 0.964, 0.959, 0.889}},
      {"Wiener", Adaptive::coherence, kCompounded, 0.0, {-41.0, -40.5, -43.6, -40.7}, {0.839, 0.873, 0.902, 0.837}},
      {"generalized", Adaptive::generalized, kEach, 1.0, {-37.1, -38.8, -46.9, -38.1}, {0.942, 0.969, 0.981, 0.909}},
      {"generalized",
       Adaptive::generalized,
       kCompounded,
       1.0,
       {-41.9, -43.5, -51.6, -43.2},
       {0.897, 0.931, 0.971, 0.881}},
      {"phase", Adaptive::phase, kEach, 1.0, {-31.1, -32.6, -40.8, -32.6}, {0.825, 0.866, 0.883, 0.800}},
      {"phase", Adaptive::phase, kCompounded, 1.0, {-36.7, -37.7, -46.8, -37.4}, {0.703, 0.780, 0.797, 0.717}},
      {"p-DAS", Adaptive::p_das, kEach, 1.0, {-22.4, -22.7, -27.3, -22.5}, {0.811, 0.842, 0.873, 0.775}},
      {"p-DAS", Adaptive::p_das, kCompounded, 1.0, {-26.4, -26.4, -31.2, -26.2}, {0.734, 0.794, 0.799, 0.727}}};
  for (const Expected& row : rows) {
    ImagingParams params = params_on(*opened.info.acquisition, {-60, 60, 301, 8, 97, 300}, 0.0, 272000, 5168000);
    params.formation.grid_kind = GridChoice::cartesian;
    params.formation.adaptive = row.method;
    params.formation.adaptive_order = row.order;
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
      const double gcnr = gcnr_of(picture, cyst, backgrounds[k], 100);  // the table's number of bins
      EXPECT_NEAR(gcnr, row.gcnr[k], 0.01) << row.name << ", background " << k;
      EXPECT_EQ(found.gcnr_bins, 100);
      EXPECT_NEAR(found.gcnr, row.gcnr[k], 0.01) << row.name << ", background " << k;
      std::printf("%s %s, background %zu: contrast %.2f dB (%.1f), gCNR %.3f (%.3f)\n", row.name,
                  row.order == kCompounded ? "compounded" : "each_transmit", k, found.contrast_db, row.contrast_db[k],
                  gcnr, row.gcnr[k]);
    }
  }
}

}  // namespace
}  // namespace echoloop::adaptive_test
