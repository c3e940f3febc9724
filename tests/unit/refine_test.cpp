// Filters of the finished image against known numbers; weights of the temporal average.
#include "dsp/refine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "backend/cpu/cpu_objects.h"
#include "backend/das_tables.h"
#include "backend/pipeline.h"
#include "support/acquisitions.h"

namespace echoloop::refine_test {
namespace {

using namespace testing;

struct Pixels {
  int nx, nz;
  std::vector<float> db = std::vector<float>(static_cast<std::size_t>(nx * nz), 0.0f);
  float& at(int ix, int iz) { return db[static_cast<std::size_t>(iz * nx + ix)]; }
  [[nodiscard]] PictureView view() const { return {.db = db.data(), .nx = nx, .nz = nz}; }
};

TEST(Refine, MedianOfKnownNumbers) {
  Pixels p{5, 5};
  for (int i = 0; i < 25; ++i) p.db[static_cast<std::size_t>(i)] = static_cast<float>((i * 7) % 25);  // 0 .. 24, mixed
  EXPECT_EQ(median_pixel<2>(p.view(), 2, 2), 12.0f) << "of all 25";
  // Rows 1 to 3, columns 1 to 3: 17 24 6 / 2 9 16 / 12 19 1 are 1 2 6 9 12 16 17 19 24.
  p.at(1, 1) = 17, p.at(2, 1) = 24, p.at(3, 1) = 6;
  p.at(1, 2) = 2, p.at(2, 2) = 9, p.at(3, 2) = 16;
  p.at(1, 3) = 12, p.at(2, 3) = 19, p.at(3, 3) = 1;
  EXPECT_EQ(median_pixel<1>(p.view(), 2, 2), 12.0f);
}

TEST(Refine, MedianTakesASinglePixelAwayAndKeepsAnEdge) {
  Pixels p{9, 9};
  for (int iz = 0; iz < 9; ++iz) {
    for (int ix = 0; ix < 9; ++ix) p.at(ix, iz) = ix < 5 ? -40.0f : -10.0f;
  }
  const std::vector<float> edge = p.db;
  p.at(2, 4) = 0.0f;
  for (int iz = 0; iz < 9; ++iz) {
    for (int ix = 0; ix < 9; ++ix) {
      ASSERT_EQ(median_pixel<1>(p.view(), ix, iz), edge[static_cast<std::size_t>(iz * 9 + ix)]) << ix << ", " << iz;
    }
  }
}

// An impulse becomes a Gaussian of the length that was asked for, with the same sum.
TEST(Refine, SmoothingKeepsTheMeanAndHasItsSigma) {
  const Acquisition a = linear_acquisition();
  ImagingParams params = small_picture(a);
  const Grid grid{.x0_m = 0, .x1_m = 8e-3, .z0_m = 10e-3, .z1_m = 20e-3, .nx = 81, .nz = 201};  // 0.1 mm, 0.05 mm
  params.refine.smooth_axial_m = 0.2e-3;
  params.refine.smooth_lateral_m = 0.3e-3;
  const auto plan = make_refine_plan({params.refine, grid});
  ASSERT_NE(plan, nullptr);
  Pixels p{81, 201};
  p.at(40, 100) = 100.0f;
  double sum = 0.0, square_m2 = 0.0;
  for (int iz = 0; iz < 201; ++iz) {
    const double v = static_cast<double>(
        smooth_axial_pixel(p.view(), {.taps = plan->axial_taps.data(), .reach = plan->axial_reach}, 40, iz));
    sum += v;
    square_m2 += v * std::pow((iz - 100) * 0.05e-3, 2);
  }
  EXPECT_NEAR(sum, 100.0, 1e-3);
  EXPECT_NEAR(std::sqrt(square_m2 / sum), 0.2e-3, 0.004e-3);
  sum = square_m2 = 0.0;
  for (int ix = 0; ix < 81; ++ix) {
    const double v = static_cast<double>(
        smooth_lateral_pixel(p.view(), {.taps = plan->lateral_taps.data(), .reach = plan->lateral_reach}, ix, 100));
    sum += v;
    square_m2 += v * std::pow((ix - 40) * 0.1e-3, 2);
  }
  EXPECT_NEAR(sum, 100.0, 1e-3);
  EXPECT_NEAR(std::sqrt(square_m2 / sum), 0.3e-3, 0.006e-3);
}

// The same length is fewer lines where they are further apart.
TEST(Refine, OnASectorTheLengthIsTheSameAtEveryRadius) {
  const Grid grid =
      polar_grid({.apex_z_m = 0, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 20e-3, .r1_m = 80e-3}, 101, 61);
  ImagingParams params;
  params.refine.smooth_lateral_m = 1.6e-3;
  const auto plan = make_refine_plan({params.refine, grid});
  ASSERT_EQ(plan->lateral_rows, 61);
  for (const int iz : {0, 30, 60}) {
    const float* taps = &plan->lateral_taps[static_cast<std::size_t>(plan->taps_row(iz))];
    double square = 0.0;
    for (int k = 1; k <= plan->lateral_reach; ++k) square += 2.0 * static_cast<double>(taps[k]) * k * k;
    EXPECT_NEAR(std::sqrt(square) * grid.r_m(iz) * 0.01, 1.6e-3, 0.05e-3) << "row " << iz;
  }
}

TEST(Refine, SpeckleReductionCalmsNoiseAndKeepsAStep) {
  Pixels p{60, 40};
  const std::vector<float> noise = testing::noise(p.db.size(), 11);
  for (int iz = 0; iz < 40; ++iz) {
    for (int ix = 0; ix < 60; ++ix) {
      p.at(ix, iz) = (ix < 30 ? -60.0f : -10.0f) + 3.0f * noise[static_cast<std::size_t>(iz * 60 + ix)];
    }
  }
  ImagingParams params;
  params.refine.speckle_reduction = 1.0;
  const auto plan = make_refine_plan({params.refine, {.x0_m = 0, .x1_m = 1, .z0_m = 0, .z1_m = 1, .nx = 60, .nz = 40}});
  const auto spread = [&](auto value, int from, int to) {
    double sum = 0.0, squares = 0.0;
    int n = 0;
    for (int iz = 4; iz < 36; ++iz) {
      for (int ix = from; ix < to; ++ix, ++n) {
        const double v = static_cast<double>(value(ix, iz));
        sum += v;
        squares += v * v;
      }
    }
    return std::pair{sum / n, std::sqrt(squares / n - sum * sum / n / n)};
  };
  const auto raw = [&](int ix, int iz) { return p.at(ix, iz); };
  const auto filter = std::get<BilateralFilter>(plan->last.front());
  const auto calm = [&](int ix, int iz) { return filter(p.view(), ix, iz); };
  EXPECT_LT(spread(calm, 4, 26).second, 0.35 * spread(raw, 4, 26).second);
  p.at(15, 20) = -110.0f;  // a null of speckle
  EXPECT_NEAR(calm(15, 20), -60.0f, 4.0f);
  // The two columns at the step: still on their own side.
  EXPECT_NEAR(spread(calm, 29, 30).first, -60.0, 2.0);
  EXPECT_NEAR(spread(calm, 30, 31).first, -10.0, 2.0);
}

// Rows of 0 0 1 8 8: the 5 x 5 average about the middle is 1 + (1 + 4) / 16 * (7 - 1).
TEST(Refine, AnEdgeIsSharpenedByKnownNumbersWithoutOvershoot) {
  Pixels p{5, 5};
  for (int i = 0; i < 25; ++i) p.db[static_cast<std::size_t>(i)] = std::array{0.0f, 0.0f, 1.0f, 8.0f, 8.0f}[i % 5];
  EXPECT_FLOAT_EQ(sharpened_pixel(p.view(), 0.4f, 2, 2), 1.0f - 0.4f * 1.875f);
  EXPECT_EQ(sharpened_pixel(p.view(), 2.0f, 2, 2), 0.0f) << "the lowest pixel beside it";
  EXPECT_EQ(sharpened_pixel(p.view(), 2.0f, 3, 2), 8.0f);
}

TEST(Refine, SharpeningKeepsRampsAndStaysWithinTheNeighbours) {
  Pixels ramp{20, 30}, mixed{20, 30};
  const std::vector<float> values = noise(mixed.db.size(), 5);
  for (int iz = 0; iz < 30; ++iz) {
    for (int ix = 0; ix < 20; ++ix) ramp.at(ix, iz) = -60.0f + 1.5f * static_cast<float>(ix + 2 * iz);
  }
  for (std::size_t i = 0; i < values.size(); ++i) mixed.db[i] = 20.0f * values[i];
  int moved = 0;
  for (int iz = 0; iz < 30; ++iz) {
    for (int ix = 0; ix < 20; ++ix) {
      if (ix >= 2 && ix < 18 && iz >= 2 && iz < 28) {
        EXPECT_NEAR(sharpened_pixel(ramp.view(), 3.0f, ix, iz), ramp.at(ix, iz), 1e-4f);
      }
      float lowest = mixed.at(ix, iz), highest = lowest;
      for (int i = 0; i < 9; ++i) {
        const float beside = nearest_pixel(mixed.view(), ix + i % 3 - 1, iz + i / 3 - 1);
        lowest = std::min(lowest, beside);
        highest = std::max(highest, beside);
      }
      const float sharp = sharpened_pixel(mixed.view(), 3.0f, ix, iz);
      ASSERT_GE(sharp, lowest) << ix << ", " << iz;
      ASSERT_LE(sharp, highest) << ix << ", " << iz;
      moved += sharp != mixed.at(ix, iz);
    }
  }
  EXPECT_GT(moved, 300);
}

// Each alone, by the loops of the CPU: what the plan says, and nothing beside it.
TEST(Refine, EveryFilterOfThePlanIsApplied) {
  WorkerPool pool(2);
  const Grid grid{.x0_m = 0.0, .x1_m = 4e-3, .z0_m = 0.0, .z1_m = 6e-3, .nx = 40, .nz = 60};
  Pixels p{40, 60};
  p.db = noise(p.db.size(), 3);
  std::vector<ImagingParams> settings(4);
  settings[0].refine.median = Median::three;
  settings[1].refine.median = Median::five;
  settings[2].refine.speckle_reduction = 0.3;
  settings[3].refine.edge_enhancement = 1.0;
  for (const ImagingParams& params : settings) {
    EXPECT_TRUE(params.refine.filters());
    const auto plan = make_refine_plan({params.refine, grid});
    ASSERT_EQ(plan->first.size() + plan->last.size(), 1U);
    const PixelFilter filter = plan->first.empty() ? plan->last.front() : plan->first.front();
    CpuRefiner refiner;
    refiner.set_plan(plan);
    std::vector<float> filtered = p.db;
    refiner.filter(pool, filtered.data());
    EXPECT_NE(filtered, p.db);
    for (int iz = 0; iz < 60; ++iz) {
      for (int ix = 0; ix < 40; ++ix) {
        const float want = std::visit([&](const auto& pixel) { return pixel(p.view(), ix, iz); }, filter);
        ASSERT_FLOAT_EQ(filtered[static_cast<std::size_t>(iz * 40 + ix)], want) << ix << ", " << iz;
      }
    }
  }
  EXPECT_FALSE(RefineParams{.persistence_s = 1.0}.filters());
}

TEST(Refine, NothingIsPlannedWhenAllIsOff) {
  const Acquisition a = linear_acquisition();
  EXPECT_EQ(make_plan(share(a), small_picture(a))->refine, nullptr);
}

TEST(Refine, TheOtherParametersKeepItsPlan) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.median = Median::three;
  const auto before = make_plan(a, params);
  params.formation.f_number = 2.0;
  const auto after = make_plan(a, params, before);
  EXPECT_EQ(after->refine, before->refine);
  params.refine.median = Median::five;
  EXPECT_NE(make_plan(a, params, after)->refine, before->refine);
  params.refine.median = Median::three;
  params.formation.grid_nx += 1;
  EXPECT_NE(make_plan(a, params, after)->refine, before->refine);
}

TEST(Refine, AFactorHasNoFilters) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.median = Median::three;
  params.formation.adaptive = Adaptive::coherence;
  const auto before = make_plan(a, params);
  params.formation.adaptive_show = AdaptiveShow::weight;
  const auto factor = make_plan(a, params, before);
  EXPECT_EQ(factor->refine, nullptr);
  params.formation.adaptive_show = AdaptiveShow::image;
  EXPECT_NE(make_plan(a, params, factor)->refine, nullptr);
}

FrameStamp at_time(double time_s) {
  FrameStamp stamp;
  stamp.time_s = time_s;
  return stamp;
}

TEST(Persistence, FadesWithItsTimeConstantHoweverTheFramesCome) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.persistence_s = 0.2;
  const auto plan = make_plan(a, params);
  Persistence slow, fast;
  EXPECT_TRUE(slow.next(plan, at_time(1.0)).begins);
  EXPECT_TRUE(fast.next(plan, at_time(1.0)).begins);
  float kept_slow = 1.0f, kept_fast = 1.0f;
  for (int i = 1; i <= 4; ++i) kept_slow *= slow.next(plan, at_time(1.0 + 0.05 * i)).keep;
  for (int i = 1; i <= 40; ++i) kept_fast *= fast.next(plan, at_time(1.0 + 0.005 * i)).keep;
  EXPECT_NEAR(kept_slow, std::exp(-1.0f), 1e-5f) << "after one time constant";
  EXPECT_NEAR(kept_fast, std::exp(-1.0f), 1e-5f);
}

TEST(Persistence, SaysHowManyFramesItAverages) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.persistence_s = 0.1;
  const auto plan = make_plan(a, params);
  Persistence persistence;
  EXPECT_DOUBLE_EQ(persistence.next(plan, at_time(0.0)).frames, 1.0);
  double frames = 0.0;
  for (int i = 1; i < 200; ++i) frames = persistence.next(plan, at_time(0.02 * i)).frames;
  const double keep = std::exp(-0.2);
  EXPECT_NEAR(frames, (1.0 + keep) / (1.0 - keep), 1e-3);  // 10.03, of any exponential average
}

TEST(Persistence, AveragesNothingWithoutItsParameterAndThenBeginsAnew) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.median = Median::three;
  const auto without = make_plan(a, params);
  params.refine.persistence_s = 0.1;
  const auto with = make_plan(a, params, without);
  Persistence persistence;
  EXPECT_EQ(persistence.next(without, at_time(0.0)).frames, 0.0);
  EXPECT_TRUE(persistence.next(with, at_time(0.1)).begins);
  EXPECT_FALSE(persistence.next(with, at_time(0.2)).begins);
  EXPECT_EQ(persistence.next(without, at_time(0.3)).frames, 0.0);
  EXPECT_TRUE(persistence.next(with, at_time(0.4)).begins);
}

TEST(Persistence, BeginsAnewWhenThePictureIsAnother) {
  const AcquisitionPtr a = share(linear_acquisition());
  ImagingParams params = small_picture(*a);
  params.refine.persistence_s = 0.1;
  auto plan = make_plan(a, params);
  Persistence persistence;
  persistence.next(plan, at_time(0.0));
  const auto begins_with = [&](const ImagingParams& p, double time_s) {
    plan = make_plan(a, p, plan);
    return persistence.next(plan, at_time(time_s)).begins;
  };
  params.refine.median = Median::three;
  params.display.gain_db = 6.0;
  params.level.reference_db = 20.0;
  params.refine.persistence_s = 0.2;
  EXPECT_FALSE(begins_with(params, 0.1)) << "the amplitudes are the same";
  params.formation.sound_speed_m_s = 1500.0;
  EXPECT_TRUE(begins_with(params, 0.2));
  EXPECT_FALSE(begins_with(params, 0.3));
  params.formation.grid_nx += 1;
  EXPECT_TRUE(begins_with(params, 0.4));
  EXPECT_TRUE(begins_with(params, 0.0)) << "the recording begins again";
}

// The CPU sums whole rows at a time: every pixel as the function of one pixel has it, at the edges too.
TEST(Refine, SmoothedRowsAreTheSmoothedPixels) {
  WorkerPool pool(2);
  for (const auto& [nx, nz] : {std::pair{64, 50}, {9, 70}, {1, 30}, {30, 1}, {5, 4}}) {
    for (const bool polar : {false, true}) {
      Grid grid{.x0_m = 0.0, .x1_m = 1e-4 * (nx - 1), .z0_m = 5e-3, .z1_m = 5e-3 + 5e-5 * (nz - 1), .nx = nx, .nz = nz};
      if (polar) {
        grid = polar_grid(
            {.apex_z_m = -5e-3, .angle0_rad = -0.2, .angle1_rad = 0.2, .r0_m = 6e-3, .r1_m = 6e-3 + 5e-5 * nz}, nx, nz);
      }
      ImagingParams p;
      p.refine.smooth_axial_m = 0.2e-3;
      p.refine.smooth_lateral_m = 0.4e-3;
      const auto plan = make_refine_plan({p.refine, grid});
      Pixels first{nx, nz}, second{nx, nz};
      const std::vector<float> values = noise(first.db.size(), 7);
      if (plan == nullptr) continue;  // too few pixels for anything
      CpuRefiner refiner;
      refiner.set_plan(plan);
      std::vector<float> smoothed = values;
      refiner.filter(pool, smoothed.data());
      first.db = second.db = values;
      for (int iz = 0; iz < nz && plan->axial_reach > 0; ++iz) {
        for (int ix = 0; ix < nx; ++ix) {
          second.at(ix, iz) =
              smooth_axial_pixel(first.view(), {.taps = plan->axial_taps.data(), .reach = plan->axial_reach}, ix, iz);
        }
      }
      for (int iz = 0; iz < nz; ++iz) {
        for (int ix = 0; ix < nx; ++ix) {
          const SmoothTaps taps{.taps = plan->lateral_taps.data() + (plan->lateral_reach > 0 ? plan->taps_row(iz) : 0),
                                .reach = plan->lateral_reach};
          const float want =
              plan->lateral_reach > 0 ? smooth_lateral_pixel(second.view(), taps, ix, iz) : second.at(ix, iz);
          ASSERT_FLOAT_EQ(smoothed[static_cast<std::size_t>(iz * nx + ix)], want) << ix << ", " << iz;
        }
      }
    }
  }
}

}  // namespace
}  // namespace echoloop::refine_test
