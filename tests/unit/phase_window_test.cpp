// Phasors against std::polar; window functions against their formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "core/units.h"
#include "dsp/complex.h"
#include "dsp/fir_design.h"

namespace echoloop::phase_window_test {
namespace {

double phasor_error(float turns) {
  const std::complex<double> exact = std::polar(1.0, 2.0 * kPi * static_cast<double>(turns));
  const Complex v = unit_phasor(turns);
  return std::abs(exact - std::complex<double>(v.re, v.im));
}

double worst_error(float turns) {
  double worst = 0.0;
  for (int i = -20000; i <= 20000; ++i) worst = std::max(worst, phasor_error(turns * static_cast<float>(i) * 5e-5f));
  return worst;
}

// The polynomials' own errors are below 5e-8. Floats add a rounding or two of s and c, which the double angle formulas
// multiply by up to 4 where s is near 1: a few 6e-8 near 0, at most 8e-7 at half a turn.
constexpr double kWorst = 8e-7;

TEST(UnitPhasor, ErrorIsThatOfAFewRoundings) {
  EXPECT_LE(worst_error(0.15f), 2e-7);
  EXPECT_LE(worst_error(1.0f), kWorst);
}

TEST(UnitPhasor, ErrorGrowsOnlyWithTheSpacingOfItsArgument) {
  // The nearest integer is found from turns + 0.5, which rounds: half a spacing of the float at that size, in turns.
  for (float scale = 2.0f; scale < 2e6f; scale *= 3.7f) {
    const double spacing = std::nextafter(scale, 2.0f * scale) - scale;
    EXPECT_LE(worst_error(scale), kWorst + 2.0 * kPi * 0.5 * spacing) << "around " << scale;
  }
}

TEST(UnitPhasor, WholeTurnsAreOneAndQuartersAreExactEnough) {
  for (const float whole : {-1000.0f, -1.0f, 0.0f, 1.0f, 123456.0f}) {
    EXPECT_FLOAT_EQ(unit_phasor(whole).re, 1.0f);
    EXPECT_NEAR(unit_phasor(whole).im, 0.0, 1e-7);
    EXPECT_NEAR(unit_phasor(whole + 0.25f).im, 1.0, 3e-7);
    EXPECT_NEAR(unit_phasor(whole + 0.5f).re, -1.0, kWorst);
  }
}

TEST(FloorToInt, IsFloorOnBothSidesOfZero) {
  for (const float v : {-2.0f, -1.5f, -1.0f, -0.25f, 0.0f, 0.25f, 1.0f, 1.5f, 1e6f, -1e6f, 8388607.5f}) {
    EXPECT_EQ(floor_to_int(v), static_cast<int>(std::floor(v))) << v;
  }
}

double formula(Apodization window, double u) {
  switch (window) {
    case Apodization::boxcar:
      return 1.0;
    case Apodization::hann:
      return std::pow(std::cos(kPi * u), 2);
    case Apodization::hamming:
      return 0.54 + 0.46 * std::cos(2.0 * kPi * u);
    case Apodization::tukey:
      return std::abs(u) <= 0.25 ? 1.0 : 0.5 * (1.0 + std::cos(kPi * (std::abs(u) - 0.25) / 0.25));
    case Apodization::gauss:
      break;
  }
  return std::exp(-0.5 * u * u / (0.2 * 0.2));
}

constexpr Apodization kWindows[] = {Apodization::boxcar, Apodization::hann, Apodization::hamming, Apodization::tukey,
                                    Apodization::gauss};

TEST(ApodizationWindow, FollowsItsFormulaAndIsSymmetric) {
  for (const Apodization window : kWindows) {
    for (int i = 0; i <= 500; ++i) {
      const float u = static_cast<float>(i) * 1e-3f;
      // Absolute 5e-7: two phasor errors of 2e-7 and the float sum.
      EXPECT_NEAR(apodization_weight(window, u), formula(window, static_cast<double>(u)), 5e-7)
          << "window " << static_cast<int>(window) << " at " << u;
      EXPECT_NEAR(apodization_weight(window, u), apodization_weight(window, -u), 2.5e-7);
    }
    EXPECT_FLOAT_EQ(apodization_weight(window, 0.0f), 1.0f);
  }
}

TEST(ApodizationWindow, EdgesBelongOutsideDoesNot) {
  // A pixel exactly on the rim counts as inside, also when rounding moved it by a unit or two.
  EXPECT_FLOAT_EQ(apodization_weight(Apodization::boxcar, 0.5f), 1.0f);
  EXPECT_FLOAT_EQ(apodization_weight(Apodization::boxcar, std::nextafter(0.5f, 1.0f)), 1.0f);
  EXPECT_NEAR(apodization_weight(Apodization::hann, 0.5f), 0.0, 1e-6);
  EXPECT_NEAR(apodization_weight(Apodization::tukey, -0.5f), 0.0, 1e-6);
  EXPECT_NEAR(apodization_weight(Apodization::hamming, 0.5f), 0.08, 1e-6);
  EXPECT_NEAR(apodization_weight(Apodization::gauss, 0.5f), 0.0439369, 1e-6);
  for (const Apodization window : kWindows) {
    for (const float u : {0.50001f, -0.50001f, 1.0f, 100.0f}) EXPECT_EQ(apodization_weight(window, u), 0.0f) << u;
  }
}

}  // namespace
}  // namespace echoloop::phase_window_test
