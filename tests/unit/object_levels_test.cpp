// Objects in images on the CPU: background against its definition in double, histogram against a plain one,
// areas and centroids on sectors against geometry, discs in speckle.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "backend/backend.h"
#include "core/results/image.h"
#include "support/object_images.h"
#include "support/plain_objects.h"
#include "support/same_objects.h"
#include "support/sanitized.h"

namespace echoloop::object_levels_test {
namespace {

using namespace testing;

class ObjectLevels : public ::testing::Test {
 protected:
  ObjectLevels() : device_(make_cpu_backend(2)->make_device<ObjectAnalysis>()) { device_->begin_thread(); }

  ObjectImage find(const MadeImage& picture, const ImagingParams& params) {
    return find_objects(*device_, picture, params);
  }

  std::unique_ptr<ObjectDevice> device_;
};

TEST_F(ObjectLevels, BackgroundIsThatOfTheDefinition) {
  for (const Grid& grid : {kFlat, fan()}) {
    for (const double kappa : {2.0, 3.0, 5.0}) {
      const MadeImage picture = speckle_picture(grid, 5, 97);
      ImagingParams p = exact_params();
      p.objects.kappa = kappa;
      const Background got = find(picture, p).background;
      expect_same(got, plain_background(picture.db, picture.db, kappa));
      EXPECT_GE(got.rounds, kappa < 4.0 ? 2 : 0);
    }
  }
}

TEST_F(ObjectLevels, HistogramHasEveryLevelInItsBin) {
  MadeImage picture = speckle_picture(kFlat, 6, 31);
  const std::vector<float> edges = {-120.0F,
                                    -120.5F,
                                    39.5F,
                                    40.0F,
                                    39.99999F,
                                    -0.5F,
                                    0.0F,
                                    1e30F,
                                    -1e30F,
                                    std::numeric_limits<float>::infinity(),
                                    -std::numeric_limits<float>::infinity()};
  std::copy(edges.begin(), edges.end(), picture.db.begin());
  EXPECT_TRUE(find(picture, exact_params()).histogram == plain_histogram(picture.db));
}

// Half a sector of the fan between two radii: area and centroid of a ring sector.
TEST_F(ObjectLevels, AreaOnASectorIsThatOfTheRing) {
  const Grid grid = fan();
  MadeImage picture = make_picture(grid, [](PlanePoint) { return -40.0; });
  for (int iz = 100; iz <= 300; ++iz) {
    for (int ix = 100; ix <= 180; ++ix) picture.db[static_cast<std::size_t>(iz * grid.nx + ix)] = 0.0F;
  }
  const ObjectImage found = find(picture, exact_params());
  ASSERT_EQ(found.objects.size(), 1U);
  // Pixels reach half a step beyond their centres.
  const double step_m = 0.05 / 500.0, step_rad = 1.0 / 200.0;
  const double r0 = 30e-3 - 0.5 * step_m, r1 = 50e-3 + 0.5 * step_m;
  const double a0 = -0.5 * step_rad, a1 = 0.4 + 0.5 * step_rad;
  const double area = 0.5 * (r1 * r1 - r0 * r0) * (a1 - a0);
  EXPECT_NEAR(found.objects[0].area_m2, area, 1e-3 * area);
  const double cubes = (r1 * r1 * r1 - r0 * r0 * r0) / 3.0;
  EXPECT_NEAR(found.objects[0].centroid.x_m, cubes * (std::cos(a0) - std::cos(a1)) / area, 5e-6);
  EXPECT_NEAR(found.objects[0].centroid.z_m, -10e-3 + cubes * (std::sin(a1) - std::sin(a0)) / area, 5e-6);
  EXPECT_EQ(found.objects[0].mean_db, 0.0);
}

// Far pixels of a sector are larger: the mean is of the area, as the regions' statistics have it.
TEST_F(ObjectLevels, MeanOnASectorIsOfTheArea) {
  const Grid grid = fan();
  MadeImage picture = make_picture(grid, [](PlanePoint) { return -200.0; });
  const auto at = [&](int iz) -> float& { return picture.db[static_cast<std::size_t>(iz * grid.nx + 50)]; };
  double weights = 0.0, sum = 0.0;
  for (int iz = 0; iz < grid.nz; ++iz) {
    at(iz) = static_cast<float>(0.05 * iz);
    weights += grid.r_m(iz);
    sum += grid.r_m(iz) * static_cast<double>(at(iz));
  }
  const ObjectImage found = find(picture, exact_params());
  ASSERT_EQ(found.objects.size(), 1U);
  EXPECT_NEAR(found.objects[0].mean_db, sum / weights, 1e-3);
}

TEST_F(ObjectLevels, DiscsAreFoundInSpeckle) {
  for (const ObjectKind wanted : {ObjectKind::bright, ObjectKind::dark}) {
    ImagingParams p;
    p.objects.kind = wanted;
    const ObjectImage found = find(speckle_picture(kFlat, 8), p);
    const std::vector<double> radii =
        wanted == ObjectKind::bright ? std::vector<double>{0.05, 0.08} : std::vector<double>{0.1};
    ASSERT_EQ(found.objects.size(), radii.size());
    for (std::size_t i = 0; i < radii.size(); ++i) {
      const auto ellipse_m2 = [&](double wider_m) {
        return 3.14159265 * (radii[i] * 10e-3 + wider_m) * (radii[i] * 20e-3 + wider_m);
      };
      // 30 dB, blurred by 0.3 mm, are above a threshold of a few dB for one to two sigma beyond the edge.
      EXPECT_GT(found.objects[i].area_m2, ellipse_m2(0.2e-3));
      EXPECT_LT(found.objects[i].area_m2, ellipse_m2(0.6e-3));
    }
    EXPECT_LT(found.smoothed.sigma_db, 0.5 * found.background.sigma_db) << "the speckle is averaged";
  }
}

// Levels that rise by 20 dB over the first eighth of the depth, and fall by 6 dB at both sides.
MadeImage shaded_picture() {
  MadeImage picture = speckle_picture(kFlat, 8, 53);
  for (std::size_t i = 0; i < picture.db.size(); ++i) {
    const double down = static_cast<double>(i / 101) / 400.0;
    const double across = std::abs(static_cast<double>(i % 101) / 50.0 - 1.0);
    const double shade = 20.0 * std::max(0.0, 1.0 - 8.0 * down) + 6.0 * std::max(0.0, 4.0 * across - 3.0);
    picture.db[i] -= static_cast<float>(shade);
  }
  return picture;
}

TEST_F(ObjectLevels, TrendIsThatOfTheDefinition) {
  for (const double smooth_m : {0.0, 0.2e-3}) {
    for (const ObjectKind wanted : {ObjectKind::bright, ObjectKind::dark}) {
      MadeImage picture = shaded_picture();
      for (std::size_t i = 0; i < picture.db.size(); ++i) {
        if (i / 101 < 20 || i % 101 > 90) picture.db[i] = -600.0F;  // rows and columns without an echo
      }
      ImagingParams p;
      p.objects.kind = wanted;
      p.objects.smooth_m = smooth_m;
      expect_same(find(picture, p), plain_objects(make_object_plan(p, picture.grid), picture.db), "plain loops");
    }
  }
}

TEST_F(ObjectLevels, TrendIsNoObject) {
  ImagingParams p;
  p.objects.kind = ObjectKind::dark;
  const ObjectImage found = find(shaded_picture(), p);
  ASSERT_EQ(found.objects.size(), 1U) << "the dark disc";
  EXPECT_NEAR(found.objects[0].centroid.x_m, 1e-3, 0.1e-3);
  EXPECT_NEAR(found.objects[0].centroid.z_m, 24e-3, 0.1e-3);
  p.objects.trend = LevelTrend::keep;
  EXPECT_GT(find(shaded_picture(), p).objects.size(), 1U) << "and the near field";
}

TEST_F(ObjectLevels, BothSlotsHoldTheirOwn) {
  MadeImage one = pattern_picture({"#..", "...", "..."}), two = pattern_picture({"#.#", "...", "#.#"});
  const ImagingParams p = exact_params();
  device_->store(0, image_of(one, p));
  device_->store(1, image_of(two, p));
  ObjectImage result;
  const ObjectPlan plan = make_object_plan(p, one.grid);
  device_->find(0, plan, result);
  EXPECT_EQ(result.objects.size(), 1U);
  device_->find(1, plan, result);
  EXPECT_EQ(result.objects.size(), 4U);
}

TEST(ObjectThreads, TheirNumberChangesNothing) {
  const MadeImage picture = speckle_picture(kFlat, 9, 53);
  ImagingParams p;
  p.objects.kind = ObjectKind::bright;
  p.objects.min_area_m2 = 0.0;
  const auto with = [&](int threads) {
    const auto device = make_cpu_backend(threads)->make_device<ObjectAnalysis>();
    device->begin_thread();
    return find_objects(*device, picture, p);
  };
  const ObjectImage one = with(1), four = with(4);
  EXPECT_EQ(one.labels, four.labels);
  EXPECT_EQ(one.threshold_db, four.threshold_db);
  ASSERT_EQ(one.objects.size(), four.objects.size());
  for (std::size_t i = 0; i < one.objects.size(); ++i) EXPECT_EQ(one.objects[i].mean_db, four.objects[i].mean_db);
}

// What it costs: printed, for whoever asks.
TEST_F(ObjectLevels, Times) {
  if (testing::kSanitized) GTEST_SKIP() << "times";
  for (const auto& [nx, nz] : {std::pair{512, 512}, {192, 1024}}) {
    Grid grid = kFlat;
    grid.nx = nx;
    grid.nz = nz;
    grid.x1_m = grid.x0_m + 0.1e-3 * (nx - 1);
    grid.z1_m = grid.z0_m + 0.05e-3 * (nz - 1);
    const MadeImage picture = speckle_picture(grid, 4);
    ImagingParams p;
    p.objects.kind = ObjectKind::bright;
    ObjectTimes best{1e9, 1e9, 1e9};
    for (int i = 0; i < 5; ++i) {
      const ObjectTimes t = find(picture, p).times;
      EXPECT_GT(t.total_ms, 0.0);
      if (t.total_ms < best.total_ms) best = t;
    }
    std::printf("%d x %d: background %.2f ms, objects %.2f ms\n", nx, nz, best.background_ms, best.objects_ms);
  }
}

// Levels counted into bins.

TEST(LevelHistogram, EveryPixelIsCountedOnce) {
  const float nothing = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const std::vector<float> db = {-80.0F, -79.5F,  -79.0F,  -0.5F,  0.0F,     3.0F,
                                 -80.5F, -600.0F, nothing, -40.2F, infinite, -infinite};
  LevelHistogram h{.first_db = -80.0, .step_db = 1.0};
  for (int again = 0; again < 2; ++again) {
    count_levels(db, 80, h);
    ASSERT_EQ(h.counts.size(), 80U);
    EXPECT_EQ(h.counts[0], 2U);
    EXPECT_EQ(h.counts[1], 1U);
    EXPECT_EQ(h.counts[39], 1U);
    EXPECT_EQ(h.counts[79], 1U);
    EXPECT_EQ(h.above, 3U);
    EXPECT_EQ(h.below, 3U);
    EXPECT_EQ(h.without, 1U);
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), std::uint64_t{0}) + h.above + h.below + h.without,
              db.size());
  }
}

}  // namespace
}  // namespace echoloop::object_levels_test
