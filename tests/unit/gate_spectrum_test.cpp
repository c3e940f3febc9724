// One column of a spectrogram from synthetic slow time: where a line lies, how strong, what the wall filter takes away,
// and what the curves read.
#include "dsp/gate_spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/units.h"

namespace echoloop::gate_spectrum_test {
namespace {

constexpr double kPrf_hz = 1000.0;

// [frames][bands] of one frequency a band.
std::vector<Complex> lines(int frames, const std::vector<double>& frequency_hz, double magnitude) {
  std::vector<Complex> out;
  for (int t = 0; t < frames; ++t) {
    for (const double f : frequency_hz) {
      const double angle = 2.0 * kPi * f * t / kPrf_hz + 0.3;
      out.push_back({static_cast<float>(magnitude * std::cos(angle)), static_cast<float>(magnitude * std::sin(angle))});
    }
  }
  return out;
}

std::vector<float> spectrum_of(const std::vector<Complex>& samples, const GateSpectrumPlan& plan) {
  GateSpectrum spectrum(plan);
  std::vector<float> power(static_cast<std::size_t>(spectrum.bins()));
  spectrum.compute(samples.data(), static_cast<int>(plan.frequency_share.size()), power);
  return power;
}

double frequency_at(std::size_t bin, std::size_t bins) {
  return (static_cast<double>(bin) / static_cast<double>(bins) - 0.5) * kPrf_hz;
}

std::size_t strongest(const std::vector<float>& power) {
  return static_cast<std::size_t>(std::max_element(power.begin(), power.end()) - power.begin());
}

TEST(GateSpectrum, ALineLiesWhereItBelongsWithItsSignItsAliasAndItsPower) {
  for (const double f : {125.0, -125.0, 0.0, 421.875, 700.0, -612.5}) {
    const std::vector<float> power =
        spectrum_of(lines(64, {f}, 3.0), {.frames = 64, .cutoff_hz = 0.0, .prf_hz = kPrf_hz, .frequency_share = {1.0}});
    ASSERT_EQ(power.size(), 128U);
    const double want = std::remainder(f, kPrf_hz);  // 700 Hz appears at -300 Hz
    EXPECT_NEAR(frequency_at(strongest(power), power.size()), want, 0.51 * kPrf_hz / 128) << f;
    EXPECT_NEAR(10.0 * std::log10(power[strongest(power)]), 20.0 * std::log10(3.0), 0.4) << f;
  }
}

// The same velocity shifts a higher frequency by more: bands agree on a velocity.
TEST(GateSpectrum, BandsAgreeOnAVelocity) {
  const GateSpectrumPlan plan{.frames = 128, .cutoff_hz = 0.0, .prf_hz = kPrf_hz, .frequency_share = {0.9, 1.0, 1.1}};
  const std::vector<float> power = spectrum_of(lines(128, {180.0, 200.0, 220.0}, 1.0), plan);
  EXPECT_NEAR(frequency_at(strongest(power), power.size()), 200.0, 0.6 * kPrf_hz / 256);
  EXPECT_NEAR(power[strongest(power)], 1.0, 0.1);
  const std::vector<float> apart = spectrum_of(lines(128, {200.0, 200.0, 200.0}, 1.0), plan);
  EXPECT_LT(apart[strongest(apart)], 0.5) << "one frequency in all bands is not one velocity";
}

TEST(GateSpectrum, TheWallFilterTakesSlowThingsOnly) {
  const double cutoff_hz = 60.0;
  const auto level_db = [&](double f) {
    const std::vector<float> power = spectrum_of(
        lines(64, {f}, 1.0), {.frames = 64, .cutoff_hz = cutoff_hz, .prf_hz = kPrf_hz, .frequency_share = {1.0}});
    return 10.0 * std::log10(static_cast<double>(power[strongest(power)]) + 1e-30);
  };
  EXPECT_LT(level_db(0.0), -100.0);
  EXPECT_LT(level_db(0.5 * cutoff_hz), -40.0);
  EXPECT_LT(level_db(-0.5 * cutoff_hz), -40.0);
  EXPECT_GT(level_db(1.6 * cutoff_hz), -2.0);
  EXPECT_GT(level_db(-4.0 * cutoff_hz), -0.5);
  EXPECT_EQ(gate_wall_degree(0.0, kPrf_hz, 64), -1);
  EXPECT_EQ(gate_wall_degree(1e5, kPrf_hz, 64), 16) << "something is always left";
}

// Laminar flow has all velocities up to the fastest: a flat spectrum with an edge, in noise 30 dB below.
TEST(GateTraces, TheEnvelopeIsTheEdgeOfTheFlow) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kFrames = 128;
  for (const double edge_hz : {300.0, -300.0}) {
    double envelope = 0.0, mean = 0.0;
    constexpr int kRuns = 40;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<Complex> samples(3 * kFrames, Complex{0.0f, 0.0f});  // three bands, for this narrow enough to be one
      for (int line = 0; line < 450; ++line) {
        const double f = edge_hz * (line + 0.5) / 450.0;
        const double re = normal(random), im = normal(random);
        for (int t = 0; t < kFrames; ++t) {
          const double angle = 2.0 * kPi * f * t / kPrf_hz;
          samples[static_cast<std::size_t>(3 * t + line % 3)].re +=
              static_cast<float>(re * std::cos(angle) - im * std::sin(angle));
          samples[static_cast<std::size_t>(3 * t + line % 3)].im +=
              static_cast<float>(re * std::sin(angle) + im * std::cos(angle));
        }
      }
      for (Complex& v : samples) {
        v.re += static_cast<float>(0.4 * normal(random));
        v.im += static_cast<float>(0.4 * normal(random));
      }
      const std::vector<float> power = spectrum_of(
          samples, {.frames = kFrames, .cutoff_hz = 0.0, .prf_hz = kPrf_hz, .frequency_share = {1.0, 1.0, 1.0}});
      const GateTraces traces = gate_traces(power, kFrames);
      envelope += static_cast<double>(traces.envelope) * 0.5 * kPrf_hz / kRuns;
      mean += static_cast<double>(traces.mean) * 0.5 * kPrf_hz / kRuns;
    }
    EXPECT_NEAR(envelope / edge_hz, 1.0, 0.05) << edge_hz;
    EXPECT_NEAR(mean / edge_hz, 0.5, 0.04) << edge_hz;
  }
}

TEST(GateTraces, NoiseAloneHasNone) {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  int found = 0;
  for (int run = 0; run < 100; ++run) {
    std::vector<Complex> samples(64);
    for (Complex& v : samples) v = {normal(random), normal(random)};
    const GateTraces traces = gate_traces(
        spectrum_of(samples, {.frames = 64, .cutoff_hz = 0.0, .prf_hz = kPrf_hz, .frequency_share = {1.0}}), 64);
    if (std::isfinite(traces.envelope)) ++found;
  }
  EXPECT_LE(found, 10) << "of 100";
}

TEST(Gate, IsAFilterForItsFrequencyHoweverLong) {
  for (const int rows : {1, 7, 60, 200}) {
    GateGeometry gate{.first = 0, .stride = 1, .rows = rows, .bands = 1, .norm = 0.0f, .turns_per_row = {0.65f}};
    float sum = 0.0f;
    for (int row = 0; row < rows; ++row) sum += gate_window(row, rows);
    gate.norm = 1.0f / sum;
    const auto response = [&](double turns_per_row) {
      Complex total{0.0f, 0.0f};
      for (int row = 0; row < rows; ++row) {
        const double angle = 2.0 * kPi * turns_per_row * row;
        total =
            total + gate_term(gate, 0, row, {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
      }
      return std::hypot(total.re, total.im);
    };
    EXPECT_NEAR(response(0.65), 1.0, 1e-3) << rows;
    if (rows > 1) {
      EXPECT_LT(response(0.65 + 2.0 / rows), 0.2) << rows;
    }
  }
}

}  // namespace
}  // namespace echoloop::gate_spectrum_test
