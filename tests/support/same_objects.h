// Compares two results for one image: counts, labels and positions are equal, sums nearly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/results/analysis_images.h"

namespace echoloop::testing {

inline void expect_same(const Background& got, const Background& want) {
  EXPECT_EQ(got.pixels, want.pixels);
  EXPECT_EQ(got.rounds, want.rounds);
  EXPECT_EQ(got.median_db, want.median_db);
  EXPECT_NEAR(got.mean_db, want.mean_db, 1e-9);
  EXPECT_NEAR(got.sigma_db, want.sigma_db, 1e-9);
  EXPECT_EQ(got.lowest_db, want.lowest_db);
  EXPECT_EQ(got.highest_db, want.highest_db);
}

inline void expect_same(const ObjectImage& got, const ObjectImage& want, const std::string& name) {
  SCOPED_TRACE(name);
  expect_same(got.background, want.background);
  expect_same(got.smoothed, want.smoothed);
  EXPECT_NEAR(got.threshold_db, want.threshold_db, 1e-8 * std::max(1.0, std::abs(want.threshold_db)));
  EXPECT_TRUE(got.histogram == want.histogram);
  EXPECT_EQ(got.found, want.found);
  EXPECT_TRUE(got.labels == want.labels);
  EXPECT_TRUE(got.objects == want.objects);
}

}  // namespace echoloop::testing
