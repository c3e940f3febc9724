// Statistics of regions against numbers from paper and against speckle whose distribution is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "measure/levels.h"
#include "support/level_images.h"

namespace echoloop::region_stats_test {
namespace {

using namespace testing;

constexpr Grid kSquareOfPixels{.x0_m = 0, .x1_m = 399e-5, .z0_m = 0, .z1_m = 399e-5, .nx = 400, .nz = 400};

Region columns(int first, int last) { return {RegionShape::rectangle, {{first * 1e-5, 0.0}, {last * 1e-5, 1.0}}}; }

RegionPixels half(int which) { return pixels_in(columns(200 * which, 200 * which + 199), kSquareOfPixels); }

MadeImage speckle(double left, double right, unsigned seed) {
  Speckle random(seed);
  return make_picture(kSquareOfPixels, [&](PlanePoint p) { return random.level_db(p.x_m < 199.5e-5 ? left : right); });
}

TEST(RegionStats, FourPixelsByHand) {
  const Grid g{.x0_m = 0, .x1_m = 1e-3, .z0_m = 0, .z1_m = 1e-3, .nx = 2, .nz = 2};
  const std::vector<float> db = {0.0F, -20.0F, -40.0F, -20.0F};  // amplitudes 1, 0.1, 0.01, 0.1
  const RegionStats s = measure_region({.db = db, .grid = g}, {.index = {0, 1, 2, 3}, .area_m2 = 4e-6});
  EXPECT_EQ(s.pixels, 4U);
  EXPECT_DOUBLE_EQ(s.mean_db, -20.0);
  EXPECT_NEAR(s.std_db, std::sqrt(200.0), 1e-9);
  EXPECT_NEAR(s.mean_amplitude, 0.3025, 1e-8);
  EXPECT_NEAR(s.std_amplitude, std::sqrt((1 + 0.01 + 0.0001 + 0.01) / 4 - 0.3025 * 0.3025), 1e-7);
  EXPECT_NEAR(s.level_db(), 20 * std::log10(0.3025), 1e-6);
  EXPECT_EQ(s.min_db, -40.0);
  EXPECT_EQ(s.max_db, 0.0);
  EXPECT_DOUBLE_EQ(s.area_m2, 4e-6);
}

TEST(RegionStats, WeightsCountAsThatManyPixels) {
  const std::vector<float> db = {0.0F, -20.0F};
  const Grid g{.nx = 2, .nz = 1};
  const RegionStats weighted = measure_region({.db = db, .grid = g}, {.index = {0, 1}, .weight = {3.0F, 1.0F}});
  EXPECT_NEAR(weighted.mean_amplitude, (3 * 1.0 + 0.1) / 4, 1e-8);
  EXPECT_NEAR(weighted.mean_db, -5.0, 1e-9);
  EXPECT_NEAR(weighted.std_amplitude, std::sqrt(3.01 / 4 - 0.775 * 0.775), 1e-7);
}

TEST(RegionStats, PixelsWithoutAnEchoDoNotCount) {
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> db = {-600.0F, nothing, -30.0F, -std::numeric_limits<float>::infinity()};
  const RegionStats s = measure_region({.db = db, .grid = {.nx = 4, .nz = 1}}, {.index = {0, 1, 2, 3}});
  EXPECT_EQ(s.pixels, 1U);
  EXPECT_DOUBLE_EQ(s.mean_db, -30.0);
  EXPECT_EQ(measure_region({.db = db, .grid = {.nx = 4, .nz = 1}}, {.index = {0, 1}}).pixels, 0U);
  const PairStats none = compare_regions({.db = db, .grid = {.nx = 4, .nz = 1}}, {.index = {0}}, {.index = {2}});
  EXPECT_TRUE(std::isnan(none.gcnr) && std::isnan(none.cnr) && std::isnan(none.contrast_db));
}

TEST(RegionStats, SaysHowMuchOfTheRegionHasAnEcho) {
  const std::vector<float> db = {-600.0F, -20.0F, -30.0F, std::numeric_limits<float>::quiet_NaN()};
  const LevelImage picture{.db = db, .grid = {.nx = 4, .nz = 1}};
  const RegionStats s = measure_region(picture, {.index = {0, 1, 2, 3}, .area_m2 = 4e-6});
  EXPECT_EQ(s.pixels, 2U);
  EXPECT_EQ(s.pixels_all, 4U);
  EXPECT_DOUBLE_EQ(s.share_with_echo, 0.5);
  EXPECT_DOUBLE_EQ(s.area_m2, 4e-6);  // of the region
  // A share of the area: pixels of a sector are not equally large.
  const RegionPixels sector{.index = {0, 1, 2}, .weight = {2.0F, 1.0F, 1.0F}, .area_m2 = 4e-6};
  EXPECT_DOUBLE_EQ(measure_region(picture, sector).share_with_echo, 0.5);
  EXPECT_EQ(measure_region(picture, {.index = {1, 2}, .weight = {0.1F, 0.2F}}).share_with_echo, 1.0);
  EXPECT_EQ(measure_region(picture, {.index = {0, 3}}).share_with_echo, 0.0);
  EXPECT_TRUE(std::isnan(measure_region(picture, {}).share_with_echo));
}

TEST(RegionStats, SpeckleHasItsSignalToNoiseRatio) {
  const MadeImage picture = speckle(0.01, 0.01, 1);
  const RegionStats s = measure_region(picture.view(), half(0));
  EXPECT_EQ(s.pixels, 80000U);
  EXPECT_NEAR(s.snr(), 1.9131, 0.02);
  EXPECT_NEAR(s.level_db(), 20 * std::log10(0.01 * 1.253314), 0.05);
  EXPECT_NEAR(s.std_db, 5.57, 0.05);  // of log-compressed speckle
}

// Levels of the pixels that the ellipse's equation holds, rising.
std::vector<double> levels_in_ellipse(const MadeImage& picture, PlanePoint centre, double a_m, double b_m,
                                      double tilt_rad) {
  std::vector<double> levels;
  for (int iz = 0; iz < picture.grid.nz; ++iz) {
    for (int ix = 0; ix < picture.grid.nx; ++ix) {
      const double x = picture.grid.point(ix, iz).x_m - centre.x_m, z = picture.grid.point(ix, iz).z_m - centre.z_m;
      const double along = (x * std::cos(tilt_rad) + z * std::sin(tilt_rad)) / a_m;
      const double across = (z * std::cos(tilt_rad) - x * std::sin(tilt_rad)) / b_m;
      if (along * along + across * across > 1.0) continue;
      levels.push_back(static_cast<double>(picture.view().at(ix, iz)));
    }
  }
  std::ranges::sort(levels);
  return levels;
}

RegionStats plain_stats(const std::vector<double>& levels) {
  const auto n = static_cast<double>(levels.size());
  RegionStats s{.pixels = levels.size(), .area_m2 = n * 1e-10};
  for (const double db : levels) {
    s.mean_db += db / n;
    s.mean_amplitude += std::pow(10.0, db / 20.0) / n;
  }
  for (const double db : levels) {
    s.std_db += std::pow(db - s.mean_db, 2) / n;
    s.std_amplitude += std::pow(std::pow(10.0, db / 20.0) - s.mean_amplitude, 2) / n;
  }
  s.std_db = std::sqrt(s.std_db);
  s.std_amplitude = std::sqrt(s.std_amplitude);
  return s;
}

// 1 minus the overlap, in bins that hold equal shares of both together.
double plain_gcnr(const std::vector<double>& p, const std::vector<double>& q, int bins) {
  std::vector<double> in_p(static_cast<std::size_t>(bins)), in_q = in_p;
  std::size_t i = 0, j = 0;
  while (i < p.size() || j < q.size()) {
    const double share = 0.5 * static_cast<double>(i) / static_cast<double>(p.size()) +
                         0.5 * static_cast<double>(j) / static_cast<double>(q.size());
    const auto bin = static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(share * bins)));
    if (j == q.size() || (i < p.size() && p[i] < q[j])) {
      in_p[bin] += 1.0 / static_cast<double>(p.size()), ++i;
    } else {
      in_q[bin] += 1.0 / static_cast<double>(q.size()), ++j;
    }
  }
  double overlap = 0.0;
  for (std::size_t bin = 0; bin < in_p.size(); ++bin) overlap += std::min(in_p[bin], in_q[bin]);
  return 1.0 - overlap;
}

void expect_like(const RegionStats& got, const RegionStats& want) {
  EXPECT_EQ(got.pixels, want.pixels);
  EXPECT_NEAR(got.area_m2, want.area_m2, 1e-12);
  EXPECT_NEAR(got.mean_db, want.mean_db, 1e-9);
  EXPECT_NEAR(got.std_db, want.std_db, 1e-9);
  EXPECT_NEAR(got.mean_amplitude, want.mean_amplitude, 1e-6 * want.mean_amplitude);
  EXPECT_NEAR(got.std_amplitude, want.std_amplitude, 1e-6 * want.std_amplitude);
}

TEST(PairStats, TiltedEllipsesAsAPlainLoopHasThem) {
  const MadeImage picture = speckle(0.03, 0.01, 5);
  const auto ellipse = [](PlanePoint centre, double a_m, double b_m, double tilt_rad) {
    const double c = std::cos(tilt_rad), s = std::sin(tilt_rad);
    return Region{RegionShape::ellipse,
                  {{centre.x_m - a_m * c, centre.z_m - a_m * s},
                   {centre.x_m + a_m * c, centre.z_m + a_m * s},
                   {centre.x_m - b_m * s, centre.z_m + b_m * c}}};
  };
  constexpr PlanePoint kLeft{1.003e-3, 2.007e-3}, kRight{2.996e-3, 1.501e-3};
  const RegionPixels left = pixels_in(ellipse(kLeft, 0.8e-3, 0.41e-3, 0.6), kSquareOfPixels);
  const RegionPixels right = pixels_in(ellipse(kRight, 0.53e-3, 0.9e-3, -0.3), kSquareOfPixels);
  const PairStats pair = compare_regions(picture.view(), left, right);
  const std::vector<double> target = levels_in_ellipse(picture, kLeft, 0.8e-3, 0.41e-3, 0.6);
  const std::vector<double> background = levels_in_ellipse(picture, kRight, 0.53e-3, 0.9e-3, -0.3);
  expect_like(pair.target, plain_stats(target));
  expect_like(pair.background, plain_stats(background));
  EXPECT_NEAR(pair.target.area_m2, 3.14159265 * 0.8e-3 * 0.41e-3, 0.01e-6);
  EXPECT_NEAR(pair.gcnr, plain_gcnr(target, background, pair.gcnr_bins), 0.005);
  EXPECT_GT(pair.gcnr, 0.5);
}

// Rayleigh against Rayleigh of twice the amplitude. Levels are as likely in both at r^2 = 2 ln 4 / (1 - 1/4); gCNR is
// what the distributions differ by there: exp(-r^2/8) - exp(-r^2/2) = 0.4725. Means sqrt(pi/2) and twice that,
// variances (4-pi)/2 and 4 times that: CNR = sqrt(pi/2) / sqrt(5 (4-pi)/2) = 0.8556.
TEST(PairStats, TwoSpeckleLevelsApartByPaper) {
  const MadeImage picture = speckle(2.0, 1.0, 2);
  const PairStats pair = compare_regions(picture.view(), half(0), half(1));
  EXPECT_NEAR(pair.contrast_db, 6.02, 0.05);
  EXPECT_NEAR(pair.cnr, 0.8556, 0.01);
  EXPECT_NEAR(pair.gcnr, 0.4725, 0.01);
  const PairStats back = compare_regions(picture.view(), half(1), half(0));
  EXPECT_NEAR(back.contrast_db, -pair.contrast_db, 1e-9);
  EXPECT_NEAR(back.gcnr, pair.gcnr, 1e-9);
}

TEST(PairStats, GcnrIsOneApartAndNearlyNothingAlike) {
  EXPECT_NEAR(compare_regions(speckle(1.0, 1e-4, 3).view(), half(0), half(1)).gcnr, 1.0, 1e-3);
  EXPECT_LT(compare_regions(speckle(1.0, 1.0, 4).view(), half(0), half(1)).gcnr, 0.04);
  const MadeImage even = make_picture(kSquareOfPixels, [](PlanePoint) { return -30.0; });
  EXPECT_NEAR(compare_regions(even.view(), half(0), half(1)).gcnr, 0.0, 1e-9);
}

// What gCNR was made for: no change of the levels' scale changes it.
TEST(PairStats, GcnrDoesNotDependOnTheScaleOfLevels) {
  MadeImage picture = speckle(1.5, 1.0, 5);
  const double before = compare_regions(picture.view(), half(0), half(1)).gcnr;
  for (float& db : picture.db) db = 0.7F * db - 13.0F;
  EXPECT_NEAR(compare_regions(picture.view(), half(0), half(1)).gcnr, before, 0.005);
}

// Of any strictly monotonic map of the levels, with pixels that weigh differently too.
TEST(PairStats, GcnrIsTheSameUnderEveryMonotonicMap) {
  MadeImage picture = speckle(1.5, 1.0, 5);
  const std::vector<float> levels = picture.db;
  const auto weighed = [](RegionPixels region) {
    for (std::size_t i = 0; i < region.index.size(); ++i)
      region.weight.push_back(0.5F + 0.01F * static_cast<float>(i % 90));
    return region;
  };
  const auto small = [](double x_m) {
    return pixels_in({RegionShape::rectangle, {{x_m, 1e-3}, {x_m + 1.5e-4, 1.1e-3}}}, kSquareOfPixels);
  };
  const std::pair<RegionPixels, RegionPixels> pairs[] = {
      {half(0), half(1)}, {weighed(half(0)), weighed(half(1))}, {small(0.5e-3), small(2.5e-3)}};
  // Multiplied by powers of two, or ranked: no two levels fall together.
  std::vector<float> sorted = levels;
  std::ranges::sort(sorted);
  const auto rank = [&](float db) {
    return static_cast<float>(std::ranges::lower_bound(sorted, db) - sorted.begin()) * 1e-3F - 150.0F;
  };
  const std::function<float(float)> maps[] = {[](float db) { return db < 0.0F ? 2.0F * db : db; },
                                              [](float db) { return 0.5F * db; }, [](float db) { return db / 1024.0F; },
                                              rank};
  for (const auto& [target, background] : pairs) {
    picture.db = levels;
    const PairStats before = compare_regions(picture.view(), target, background);
    for (const auto& map : maps) {
      std::ranges::transform(levels, picture.db.begin(), map);
      const PairStats now = compare_regions(picture.view(), target, background);
      EXPECT_NEAR(now.gcnr, before.gcnr, 1e-12);
      EXPECT_EQ(now.gcnr_bins, before.gcnr_bins);
      EXPECT_GT(std::abs(now.contrast_db - before.contrast_db), 0.2);
    }
  }
}

// The bins of published tables where there are pixels for them.
TEST(PairStats, EnoughPixelsGetAHundredBins) {
  const MadeImage picture = speckle(1.0, 1.0, 6);
  const auto bins = [&](double height_m) {
    const auto patch = [&](double x_m) {
      return pixels_in({RegionShape::rectangle, {{x_m, 1e-3}, {x_m + 1.95e-4, 1e-3 + height_m}}}, kSquareOfPixels);
    };
    return compare_regions(picture.view(), patch(0.5e-3), patch(2.5e-3)).gcnr_bins;
  };
  EXPECT_EQ(compare_regions(picture.view(), half(0), half(1)).gcnr_bins, 100);
  EXPECT_EQ(bins(2.05e-4), 100);
  EXPECT_LT(bins(1.5e-4), 30);
}

// 121 pixels against 121 of the same speckle: chance parts them somewhat, but not as 256 bins would (about 0.6).
TEST(PairStats, FewPixelsGetFewBins) {
  const MadeImage picture = speckle(1.0, 1.0, 6);
  const auto patch = [](double x_m) {
    return pixels_in({RegionShape::rectangle, {{x_m, 1e-3}, {x_m + 1e-4, 1.1e-3}}}, kSquareOfPixels);
  };
  const PairStats pair = compare_regions(picture.view(), patch(0.5e-3), patch(2.5e-3));
  EXPECT_EQ(pair.gcnr_bins, 20);
  EXPECT_LT(pair.gcnr, 0.3);
}

// The mean over tissue does not depend on the grid that shows it.
TEST(RegionStats, PolarAndCartesianGridsAgree) {
  const auto field = [](PlanePoint p) { return -200.0 * p.z_m / 20e-3 + 3.0 * std::sin(p.x_m * 2e3); };
  const Grid flat{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 20e-3, .z1_m = 50e-3, .nx = 401, .nz = 601};
  const Region disk{RegionShape::circle, {{2e-3, 35e-3}, {8e-3, 35e-3}}};
  const RegionStats a = measure_region(make_picture(flat, field).view(), pixels_in(disk, flat));
  const RegionStats b = measure_region(make_picture(fan(), field).view(), pixels_in(disk, fan()));
  EXPECT_NEAR(a.mean_db, b.mean_db, 0.2);
  EXPECT_NEAR(a.std_db, b.std_db, 0.2);
}

}  // namespace
}  // namespace echoloop::region_stats_test
