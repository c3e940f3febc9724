// The spectrum of a temporal singular vector: where a tone lies, with its sign, and how far its window lets it leak.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "measure/levels.h"

namespace echoloop::component_spectrum_test {
namespace {

std::vector<std::complex<float>> transfer(double of_nyquist, int frames) {
  std::vector<std::complex<float>> temporal_vector;
  for (int t = 0; t < frames; ++t)
    temporal_vector.push_back(std::polar(0.125F, static_cast<float>(kPi * of_nyquist * t)));
  return temporal_vector;
}

TEST(ComponentSpectrum, AToneLiesWhereItIsWithItsSign) {
  for (const double f : {-0.75, -0.2, 0.0, 0.31, 0.9}) {
    const auto levels = component_spectrum_db(transfer(f, 64), 401, -80.0);
    ASSERT_EQ(levels.size(), 401U);
    const auto peak = std::ranges::max_element(levels) - levels.begin();
    EXPECT_NEAR(static_cast<double>(peak) / 200.0 - 1.0, f, 0.006) << f;
    EXPECT_EQ(levels[static_cast<std::size_t>(peak)], 0.0F);
  }
}

TEST(ComponentSpectrum, AroundAToneItFallsAsTheHannWindowDoes) {
  const auto levels = component_spectrum_db(transfer(0.0, 64), 1025, -120.0);
  const auto at = [&](double bins_of_the_vector) {  // 2 / 64 of Nyquist each
    return levels[static_cast<std::size_t>(std::lround(512.0 + 512.0 * bins_of_the_vector * 2.0 / 64.0))];
  };
  EXPECT_NEAR(at(1.0), -6.0, 0.1);    // half of the main lobe
  EXPECT_LT(at(2.0), -100.0);         // its end
  EXPECT_NEAR(at(2.36), -31.5, 0.5);  // the largest side lobe
  EXPECT_LT(at(10.5), -60.0);
}

TEST(ComponentSpectrum, WhatHasNoPowerLiesOnTheFloor) {
  EXPECT_TRUE(component_spectrum_db({}, 9, -60.0).empty());
  const std::vector<std::complex<float>> silent(16);
  for (const float level : component_spectrum_db(silent, 9, -60.0)) EXPECT_EQ(level, -60.0F);
  const auto levels = component_spectrum_db(transfer(0.5, 64), 65, -60.0);
  EXPECT_EQ(*std::ranges::min_element(levels), -60.0F);
}

}  // namespace
}  // namespace echoloop::component_spectrum_test
