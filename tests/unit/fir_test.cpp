// The course's FIR design against scipy.signal.firwin(n, [low, high], pass_zero=False, fs=fs) (scipy 1.10).
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "core/units.h"
#include "dsp/fir_design.h"

namespace echoloop::fir_test {
namespace {

using Taps = std::vector<std::pair<std::size_t, double>>;

// Absolute tolerance 1e-15: a tap is a sum of a few terms below 1 in double precision.
void expect_taps(const std::vector<double>& taps, const Taps& expected) {
  for (const auto& [n, value] : expected) {
    EXPECT_NEAR(taps[n], value, 1e-15) << "tap " << n;
    EXPECT_NEAR(taps[n], taps[taps.size() - 1 - n], 1e-15) << "linear phase, tap " << n;
  }
}

TEST(FirBandpassHamming, EqualsFirwinForTheCourse) {
  const std::vector<double> taps = fir_bandpass_hamming(64, 2.5e6, 7.5e6, 100e6);
  ASSERT_EQ(taps.size(), 64U);
  expect_taps(taps, {{0, 0.0014198535309729696},
                     {1, 0.0017141786128336452},
                     {10, -0.0018130882736542811},
                     {20, -0.035449344401018212},
                     {24, -0.04930504188051682},
                     {31, 0.099953159407936643}});
}

TEST(FirBandpassHamming, EqualsFirwinAtTwentyMegahertz) {
  expect_taps(fir_bandpass_hamming(64, 2.5e6, 7.5e6, 20e6), {{0, -0.00043834189117836973},
                                                             {7, 0.0013217385707924652},
                                                             {20, 0.010944039175031986},
                                                             {31, 0.34499685163122124}});
}

TEST(FirBandpassHamming, EqualsFirwinForAnOddCount) {
  const std::vector<double> taps = fir_bandpass_hamming(33, 3e6, 7e6, 40e6);
  ASSERT_EQ(taps.size(), 33U);
  expect_taps(taps, {{0, -0.003061774481343081},
                     {1, -0.0026964548590773037},
                     {5, 0.0036379665163345817},
                     {10, 0.0},
                     {15, 0.13944679625522913},
                     {16, 0.20227711082841621}});
}

double gain_at(const std::vector<double>& taps, double f_hz, double fs_hz) {
  std::complex<double> sum;
  for (std::size_t n = 0; n < taps.size(); ++n) {
    sum += taps[n] * std::polar(1.0, -2.0 * kPi * f_hz / fs_hz * static_cast<double>(n));
  }
  return std::abs(sum);
}

TEST(FirBandpassHamming, PassesTheMiddleHalvesTheEdgesStopsTheRest) {
  const std::vector<double> taps = fir_bandpass_hamming(201, 2.5e6, 7.5e6, 40e6);
  EXPECT_NEAR(gain_at(taps, 5e6, 40e6), 1.0, 1e-12);
  EXPECT_NEAR(gain_at(taps, 2.5e6, 40e6), 0.5, 0.01);  // -6 dB, as near as the window's ripple (0.2 %) lets it
  EXPECT_NEAR(gain_at(taps, 7.5e6, 40e6), 0.5, 0.01);
  EXPECT_LT(gain_at(taps, 12e6, 40e6), 3e-3);  // Hamming: at least 50 dB down
  EXPECT_LT(gain_at(taps, 0.0, 40e6), 3e-3);
}

TEST(FirBandpassHamming, OneTapIsUnity) { EXPECT_DOUBLE_EQ(fir_bandpass_hamming(1, 2.5e6, 7.5e6, 20e6).at(0), 1.0); }

}  // namespace
}  // namespace echoloop::fir_test
