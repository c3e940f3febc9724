// Delay laws made on paper from a wave, and the wave found again: flat and curved arrays, parts of them, rounded
// delays.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/readers/geometry.h"

namespace echoloop::wave_fit_test {
namespace {

constexpr double kSpeed_m_s = 1540.0, kTolerance_s = 5e-9;

const Probe kFlat = make_linear_probe("flat", 64, 0.3e-3), kBow = make_convex_probe("bow", 64, 0.5e-3, 0.05, 0.0);

Transmit wave(TransmitKind kind, double angle_rad, double x_m, double z_m) {
  Transmit t;
  t.kind = kind;
  t.angle_rad = angle_rad;
  t.source_x_m = x_m;
  t.source_z_m = z_m;
  return t;
}

// Firing times with the first at 0, and when the wave passes the origin on that clock.
std::vector<double> law(const Transmit& t, const Probe& probe, double& passage_s) {
  std::vector<double> delays_s;
  for (const Element& e : probe.elements) {
    const double distance = std::hypot(e.x_m - t.source_x_m, e.z_m - t.source_z_m);
    const double path = t.kind == TransmitKind::plane ? e.x_m * std::sin(t.angle_rad) + e.z_m * std::cos(t.angle_rad)
                        : t.kind == TransmitKind::diverging ? distance - std::hypot(t.source_x_m, t.source_z_m)
                                                            : std::hypot(t.source_x_m, t.source_z_m) - distance;
    delays_s.push_back(path / kSpeed_m_s);
  }
  passage_s = -*std::min_element(delays_s.begin(), delays_s.end());
  for (double& d : delays_s) d += passage_s;
  return delays_s;
}

TEST(WaveFit, FindsTheWaveOfALaw) {
  for (const Probe& probe : {kFlat, kBow}) {
    for (const Transmit& sent :
         {wave(TransmitKind::plane, 0.2, 0, 0), wave(TransmitKind::plane, -0.05, 0, 0),
          wave(TransmitKind::diverging, 0, 4e-3, -12e-3), wave(TransmitKind::diverging, 0, -2e-3, -30e-3),
          wave(TransmitKind::focused, 0, 0, 40e-3), wave(TransmitKind::focused, 0, -15e-3, 60e-3)}) {
      double passage_s = 0.0;
      std::vector<double> delays_s = law(sent, probe, passage_s);
      for (const bool part : {false, true}) {
        if (part) std::fill(delays_s.begin() + 40, delays_s.end(), NAN);
        const WaveFit fit = fit_wave(delays_s, probe, kSpeed_m_s, kTolerance_s, {});
        EXPECT_EQ(fit.transmit.kind, sent.kind) << probe.name << " " << sent.angle_rad << " " << sent.source_x_m;
        EXPECT_NEAR(fit.transmit.angle_rad, sent.angle_rad, 1e-6);
        EXPECT_NEAR(fit.transmit.source_x_m, sent.source_x_m, 1e-5);
        EXPECT_NEAR(fit.transmit.source_z_m, sent.source_z_m, 1e-5);
        EXPECT_NEAR(fit.passage_s, passage_s, 1e-9);
      }
    }
  }
}

TEST(WaveFit, DelaysRoundedToSamplesAreTheNearestWave) {
  constexpr double kSample_s = 25e-9, kRounded_s = 0.75 * kSample_s;
  for (const Probe& probe : {kFlat, kBow}) {
    for (const Transmit& sent :
         {wave(TransmitKind::plane, 0.2, 0, 0), wave(TransmitKind::plane, -0.03, 0, 0),
          wave(TransmitKind::diverging, 0, 4e-3, -12e-3), wave(TransmitKind::diverging, 0, -2e-3, -40e-3),
          wave(TransmitKind::focused, 0, 0, 40e-3), wave(TransmitKind::focused, 0, -15e-3, 60e-3)}) {
      double passage_s = 0.0;
      std::vector<double> delays_s = law(sent, probe, passage_s);
      for (double& d : delays_s) d = kSample_s * std::round(d / kSample_s);
      EXPECT_EQ(fit_wave(delays_s, probe, kSpeed_m_s, kTolerance_s, {}).transmit.kind, TransmitKind::delays);
      const WaveFit fit = fit_nearest_wave(delays_s, probe, kSpeed_m_s, kRounded_s);
      EXPECT_EQ(fit.transmit.kind, sent.kind) << probe.name << " " << sent.angle_rad << " " << sent.source_z_m;
      EXPECT_NEAR(fit.transmit.angle_rad, sent.angle_rad, 1e-3);
      EXPECT_NEAR(fit.transmit.source_x_m, sent.source_x_m, 0.02 * std::abs(sent.source_z_m));
      EXPECT_NEAR(fit.transmit.source_z_m, sent.source_z_m, 0.03 * std::abs(sent.source_z_m));
      EXPECT_NEAR(fit.passage_s, passage_s, 0.25 * kSample_s);
      EXPECT_NEAR(fit.transmit.aperture_m, aperture_width_m(probe, {}), 1e-12);
    }
  }
}

TEST(WaveFit, CodesAndFewElementsHaveNoNearestWave) {
  std::vector<double> code(64, 0.0);
  for (std::size_t e = 0; e < code.size(); e += 2) code[e] = 1e-7;  // half a period of 5 MHz
  EXPECT_EQ(fit_nearest_wave(code, kFlat, kSpeed_m_s, 0.24 * 2e-7).transmit.kind, TransmitKind::delays);
  std::vector<double> few(64, NAN);
  std::fill(few.begin(), few.begin() + 15, 0.0);
  EXPECT_EQ(fit_nearest_wave(few, kFlat, kSpeed_m_s, 1e-7).transmit.kind, TransmitKind::delays);
}

TEST(WaveFit, ADelayOutOfLineIsNoWave) {
  double passage_s = 0.0;
  for (const Probe& probe : {kFlat, kBow}) {
    std::vector<double> delays_s = law(wave(TransmitKind::focused, 0, 0, 40e-3), probe, passage_s);
    delays_s[20] += 3.0 * kTolerance_s;
    const WaveFit fit = fit_wave(delays_s, probe, kSpeed_m_s, kTolerance_s, {});
    EXPECT_EQ(fit.transmit.kind, TransmitKind::delays);
    EXPECT_EQ(fit.passage_s, 0.0);
  }
}

TEST(WaveFit, FewElementsFitAnyWaveAndNameNone) {
  const Probe three = make_linear_probe("three", 3, 0.5e-3);
  EXPECT_EQ(fit_wave({0, 5e-8, 0}, three, kSpeed_m_s, kTolerance_s, {}).transmit.kind, TransmitKind::delays);
  EXPECT_EQ(fit_wave({NAN, 0, 0}, three, kSpeed_m_s, kTolerance_s, {}).transmit.kind, TransmitKind::delays);
  const WaveFit alone = fit_wave({NAN, NAN, 1e-7}, three, kSpeed_m_s, kTolerance_s, {});
  EXPECT_EQ(alone.transmit.kind, TransmitKind::diverging);
  EXPECT_NEAR(alone.passage_s, 1e-7 + 0.5e-3 / kSpeed_m_s, 1e-15);
}

}  // namespace
}  // namespace echoloop::wave_fit_test
