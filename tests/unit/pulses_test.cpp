// Beats in velocity curves that are made with a known rate, peak and end of diastole.
#include "measure/pulses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/units.h"

namespace echoloop::pulses_test {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

struct Flow {
  double rate_per_min = 72, peak_m_s = 0.44, end_m_s = 0.11;
  double noise_m_s = 0.0;
  double sign = 1.0;
  double step_s = 0.005, seconds = 4.0;
  unsigned int seed = 1;
};

// A systolic peak, a smaller one after it, and a slow fall to the end of diastole.
double artery(const Flow& f, double phase) {
  const auto hump = [phase](double at, double width) { return std::exp(-std::pow((phase - at) / width, 2.0)); };
  return f.end_m_s + (f.peak_m_s - f.end_m_s) * (hump(0.2, 0.07) + 0.3 * hump(0.45, 0.06));
}

double sine(const Flow& f, double phase) {
  return 0.5 * (f.peak_m_s + f.end_m_s) + 0.5 * (f.peak_m_s - f.end_m_s) * std::cos(2.0 * kPi * phase);
}

template <class Shape>
std::vector<float> curve(const Flow& f, const Shape& shape) {
  std::mt19937 random(f.seed);
  std::normal_distribution<double> noise(0.0, 1.0);
  std::vector<float> v;
  for (int i = 0; static_cast<double>(i) * f.step_s < f.seconds; ++i) {
    const double beats = static_cast<double>(i) * f.step_s * f.rate_per_min / 60.0 + 0.37;
    v.push_back(static_cast<float>(f.sign * (shape(f, beats - std::floor(beats)) + f.noise_m_s * noise(random))));
  }
  return v;
}

void expect_values(const PulseValues& found, const Flow& f, double tolerance) {
  const double ri = (f.peak_m_s - f.end_m_s) / f.peak_m_s;
  EXPECT_NEAR(found.beats_per_minute, f.rate_per_min, 0.02 * f.rate_per_min + 0.3);
  EXPECT_NEAR(found.peak_m_s, f.sign * f.peak_m_s, tolerance * f.peak_m_s);
  EXPECT_NEAR(found.end_diastole_m_s, f.sign * f.end_m_s, tolerance * f.peak_m_s);
  EXPECT_NEAR(found.resistance_index, ri, 1.5 * tolerance);
}

TEST(Pulses, OfAnArteryAtAnyRateAndWithNoise) {
  for (const double rate : {40.0, 55.0, 72.0, 100.0, 140.0, 180.0}) {
    for (const double noise : {0.0, 0.01, 0.03}) {
      for (const double sign : {1.0, -1.0}) {
        SCOPED_TRACE(::testing::Message() << rate << " /min, noise " << noise);
        const Flow f{.rate_per_min = rate, .noise_m_s = noise, .sign = sign};
        expect_values(measure_pulses(curve(f, artery), f.step_s, 0.9), f, noise == 0.0 ? 0.06 : 0.1);
      }
    }
  }
}

// Columns of a recording: at most 200 a second, at a PRF of 25 Hz one per frame.
TEST(Pulses, OfAnyPrf) {
  for (const double prf_hz : {25.0, 50.0, 200.0, 1000.0, 5000.0}) {
    for (const double rate : {40.0, 72.0, 120.0, 180.0}) {
      SCOPED_TRACE(::testing::Message() << prf_hz << " Hz, " << rate << " /min");
      const Flow f{
          .rate_per_min = rate, .noise_m_s = 0.005, .step_s = std::ceil(prf_hz / 200.0) / prf_hz, .seconds = 8};
      expect_values(measure_pulses(curve(f, sine), f.step_s, 0.9), f, 0.08);
    }
  }
}

TEST(Pulses, SteadyFlowHasNone) {
  for (unsigned int seed = 1; seed <= 200; ++seed) {
    for (const double step_s : {0.005, 0.04}) {
      const Flow f{.end_m_s = 0.44, .noise_m_s = 0.03, .step_s = step_s, .seed = seed};
      std::vector<float> v = curve(f, artery);
      EXPECT_TRUE(std::isnan(measure_pulses(v, f.step_s, 0.9).beats_per_minute)) << seed << " " << step_s;
      for (std::size_t i = 0; i < v.size(); ++i) v[i] *= 1.0F + static_cast<float>(i) / static_cast<float>(v.size());
      EXPECT_TRUE(std::isnan(measure_pulses(v, f.step_s, 1.8).peak_m_s)) << seed << ", faster and faster";
    }
  }
}

TEST(Pulses, NothingOfOneBeatAnAliasedCurveOrNoCurve) {
  const Flow f;
  const std::vector<float> v = curve(f, artery);
  const auto unknown = [&](std::span<const float> part, double limit_m_s) {
    const PulseValues found = measure_pulses(part, f.step_s, limit_m_s);
    return std::isnan(found.peak_m_s) && std::isnan(found.end_diastole_m_s) && std::isnan(found.resistance_index) &&
           std::isnan(found.beats_per_minute);
  };
  EXPECT_FALSE(unknown(v, 0.9));
  EXPECT_TRUE(unknown(std::span(v).first(250), 0.9)) << "1.5 beats";
  EXPECT_TRUE(unknown(v, 0.35)) << "the peaks reach the limit";
  EXPECT_TRUE(unknown({}, 0.9));
  EXPECT_TRUE(unknown(std::vector<float>(800, kNone), 0.9));
  EXPECT_TRUE(unknown(std::vector<float>(800, 0.0F), 0.9));
}

// Missing frames: the beats around the gap count.
TEST(Pulses, AGapIsNoBeat) {
  const Flow f{.noise_m_s = 0.005};
  std::vector<float> v = curve(f, artery);
  std::fill(v.begin() + 300, v.begin() + 400, kNone);
  expect_values(measure_pulses(v, f.step_s, 0.9), f, 0.06);
}

}  // namespace
}  // namespace echoloop::pulses_test
