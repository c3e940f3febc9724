// Doppler and low-rank mathematics from paper: wall filters, Kasai's estimate, energies, automatic components.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/flow_engine.h"
#include "core/units.h"
#include "dsp/fir_design.h"
#include "dsp/flow.h"
#include "test_paths.h"

namespace echoloop::flow_math_test {
namespace {

nlohmann::json reference() {
  std::ifstream file(ECHO_SOURCE_DIR "/tests/reference/flow_reference.json");
  return nlohmann::json::parse(file);
}

// Gain of a wall matrix for a signal exp(i pi f t), f a share of Nyquist: power behind over power before.
double gain(const std::vector<float>& w, int n, double f) {
  double sum = 0.0;
  for (int t = 0; t < n; ++t) {
    double re = 0.0;
    double im = 0.0;
    for (int s = 0; s < n; ++s) {
      const auto v = static_cast<double>(w[static_cast<std::size_t>(s * n + t)]);
      re += v * std::cos(kPi * f * s);
      im += v * std::sin(kPi * f * s);
    }
    sum += re * re + im * im;
  }
  return sum / n;
}

TEST(WallFilter, TapsAreScipys) {
  const std::vector<double> taps = fir_highpass_hamming(kWallTaps, ImagingParams{}.color_flow.wall_cutoff);
  const nlohmann::json want = reference().at("taps");
  ASSERT_EQ(taps.size(), 129U);
  for (std::size_t k = 0; k < want.size(); ++k) {
    EXPECT_NEAR(taps[k], want[k].get<double>(), 1e-14) << k;
    EXPECT_NEAR(taps[128 - k], want[k].get<double>(), 1e-14) << k;
  }
}

TEST(WallFilter, FirStopsTheSlowAndLetsTheFastPass) {
  const int n = 256;
  const std::vector<float> w =
      fir_wall_matrix(fir_highpass_hamming(kWallTaps, ImagingParams{}.color_flow.wall_cutoff), n);
  EXPECT_LT(gain(w, n, 0.0), 1e-5);
  EXPECT_LT(gain(w, n, 0.1), 1e-2);
  EXPECT_NEAR(gain(w, n, 0.4), 1.0, 0.02);
  EXPECT_NEAR(gain(w, n, 0.9), 1.0, 0.02);
}

TEST(WallFilter, PolynomialsVanishAndTheRestKeepsItsSize) {
  const int n = 32;
  for (const int order : {0, 1, 3, 12}) {
    const std::vector<float> w = polynomial_wall_matrix(order, n);
    for (int degree = 0; degree <= order; ++degree) {
      for (int t = 0; t < n; ++t) {
        double y = 0.0;
        for (int s = 0; s < n; ++s) {
          y += static_cast<double>(w[static_cast<std::size_t>(s * n + t)]) * std::pow(2.0 * s / (n - 1) - 1.0, degree);
        }
        EXPECT_NEAR(y, 0.0, 2e-6) << "order " << order << " degree " << degree << " frame " << t;
      }
    }
    double trace = 0.0;  // of a projection: its rank
    for (int t = 0; t < n; ++t) trace += static_cast<double>(w[static_cast<std::size_t>(t * n + t)]);
    EXPECT_NEAR(trace, n - order - 1, 1e-5);
  }
}

TEST(Kasai, TowardsTheProbeIsPositive) {
  // c = 1540 m/s, f0 = 5 MHz, 1 kHz: 1540 * 1000 / (4 pi 5e6) = 24.51 mm/s a radian, aliasing at 77 mm/s.
  const double scale = flow_scale_m_s(1540.0, 1000.0, 5e6, 0.0);
  EXPECT_NEAR(scale, 0.024510, 1e-6);
  EXPECT_NEAR(kPi * scale, 0.077, 1e-12);
  EXPECT_NEAR(flow_scale_m_s(1540.0, 1000.0, 5e6, 60.0 * kRadiansPerDegree), 2.0 * scale, 1e-12);
  // 10 mm/s towards the probe: the echo comes earlier, a pixel's phase grows by 4 pi f0 v / (c f_prf).
  const double phase = 4.0 * kPi * 5e6 * 0.010 / (1540.0 * 1000.0);
  const Complex before{2.0f, 0.0f};
  const Complex now{static_cast<float>(2.0 * std::cos(phase)), static_cast<float>(2.0 * std::sin(phase))};
  EXPECT_NEAR(kasai_velocity_m_s(lag_product(now, before), static_cast<float>(scale)), 0.010, 1e-7);
  EXPECT_NEAR(kasai_velocity_m_s(lag_product(before, now), static_cast<float>(scale)), -0.010, 1e-7);
  EXPECT_EQ(kasai_velocity_m_s({0.0f, 0.0f}, 1.0f), 0.0f);
}

TEST(Kasai, TheReceivedFrequencyScalesVelocities) {
  const double nominal = 4.0 * kPi / 3.0;  // rows a third of a wavelength apart: more than half a turn
  const auto lag = [](double angle, double coherence) {
    return AxialLag{.re = coherence * std::cos(angle), .im = coherence * std::sin(angle), .power = 1.0};
  };
  EXPECT_NEAR(received_frequency_share(lag(nominal, 0.9), nominal), 1.0, 1e-12);
  EXPECT_NEAR(received_frequency_share(lag(0.96 * nominal, 0.9), nominal), 0.96, 1e-12);
  EXPECT_NEAR(received_frequency_share(lag(1.1 * nominal, 0.9), nominal), 1.1, 1e-12);
  EXPECT_EQ(received_frequency_share(lag(0.96 * nominal, 0.1), nominal), 1.0) << "rows have nothing in common";
  EXPECT_EQ(received_frequency_share({}, nominal), 1.0);
}

TEST(Kasai, PowerIsOnThePicturesScale) {
  EXPECT_NEAR(power_db(100.0f, 0.0f), 20.0f, 1e-5f);  // a magnitude of 10
  EXPECT_NEAR(power_db(100.0f, 25.0f), -5.0f, 1e-5f);
  EXPECT_TRUE(std::isfinite(power_db(0.0f, 0.0f)));
  const FlowSums mixed = persist({4.0f, {1.0f, 0.0f}}, {8.0f, {0.0f, 1.0f}}, 0.25f);
  EXPECT_FLOAT_EQ(mixed.power, 7.0f);
  EXPECT_FLOAT_EQ(mixed.r1.re, 0.25f);
  EXPECT_FLOAT_EQ(mixed.r1.im, 0.75f);
}

TEST(LowRank, ErrorsAreTheEnergiesLeftOut) {
  const std::vector<double> sigma = {4.0, 2.0, 2.0, 1.0};  // energies 16, 4, 4, 1 of 25
  EXPECT_DOUBLE_EQ(reconstruction_error(sigma, {.first = 1, .last = 1}), 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(reconstruction_error(sigma, {.first = 2, .last = 4}), 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(reconstruction_error(sigma, {.first = 1, .last = 4}), 0.0);
  EXPECT_DOUBLE_EQ(reconstruction_error(std::vector<double>{0.0, 0.0}, {.first = 1, .last = 1}), 0.0);
}

// Temporal vectors exp(i pi f t) of the given frequencies.
Decomposition with_frequencies(const std::vector<double>& f) {
  Decomposition d{.n = static_cast<int>(f.size()), .singular_values = {}, .temporal_vectors = {}};
  for (const double share : f) {
    d.singular_values.push_back(100.0 / static_cast<double>(d.singular_values.size() + 1));
    for (int t = 0; t < d.n; ++t) d.temporal_vectors.push_back(std::polar(1.0 / std::sqrt(d.n), kPi * share * t));
  }
  return d;
}

TEST(LowRank, TissueIsStrongAndSlow) {
  const Decomposition d = with_frequencies({0.05, -0.1, 0.15, 0.4, 0.02, -0.6});
  EXPECT_NEAR(mean_frequency(std::span(d.temporal_vectors).subspan(6, 6)), -0.1, 1e-12);
  EXPECT_EQ(tissue_components(d, 0.19), 3);
  EXPECT_EQ(tissue_components(d, 0.12), 2);
  EXPECT_EQ(tissue_components(d, 0.01), 0);
  EXPECT_EQ(tissue_components(with_frequencies({0.0, 0.0, 0.0}), 0.19), 2) << "one is left";
}

TEST(LowRank, NoiseEndsAtTheThresholdOfGavishAndDonoho) {
  // Many pixels: omega = 1.43; the noise's level is 1.
  const std::vector<double> sigma = {50.0, 9.0, 1.5, 1.4, 1.02, 1.0, 1.0, 0.99};
  EXPECT_EQ(last_above_noise(sigma, 1'000'000), 3);
  EXPECT_EQ(last_above_noise(std::vector<double>{1.0, 1.0, 1.0, 1.0}, 1000), 1);
  // Motion in all but the last few: a falling end is no plateau of noise.
  std::vector<double> moving(24, 10.0);
  moving.insert(moving.end(), {9.0, 8.0, 6.0, 4.0, 3.0, 2.0, 1.6, 1.0});
  EXPECT_GE(last_above_noise(moving, 100'000), 30);
}

TEST(LowRank, WhoeverChoosesIsObeyed) {
  const Decomposition d = with_frequencies({0.05, -0.1, 0.5, 0.4, 0.3, -0.6});
  ImagingParams p;
  p.color_flow.mode = FlowMode::power;
  EXPECT_EQ(choose_components(d, p, 1000).first, 3);
  p.color_flow.svd_low = 2;
  p.color_flow.svd_high = 5;
  EXPECT_EQ(choose_components(d, p, 1000), (ComponentRange{2, 5}));
  p.color_flow.svd_low = p.color_flow.svd_high = 400;  // more than there are
  EXPECT_EQ(choose_components(d, p, 1000), (ComponentRange{6, 6}));
  p.color_flow.mode = FlowMode::low_rank;
  p.color_flow.svd_low = p.color_flow.svd_high = 0;
  EXPECT_EQ(choose_components(d, p, 1000), (ComponentRange{1, 2})) << "the tissue";
}

// One component alone would have one velocity everywhere.
TEST(LowRank, MotionThatFillsAllComponentsLikeNoiseIsKeptWhole) {
  Decomposition d = with_frequencies({0.05, -0.4, 0.5, 0.4, 0.3, -0.6});
  ImagingParams p;
  p.color_flow.mode = FlowMode::velocity;
  d.singular_values = {50.0, 1.1, 1.05, 1.02, 1.0, 0.98};
  EXPECT_EQ(choose_components(d, p, 100'000), (ComponentRange{2, 6}));
  d.singular_values = {50.0, 9.0, 8.0, 1.02, 1.0, 0.98};
  EXPECT_EQ(choose_components(d, p, 100'000), (ComponentRange{2, 3}));
}

TEST(LowRank, BothWaysToTheMatrixAgree) {
  // Five of six components: the identity less one; three: their sum. Together with the others both make the identity.
  Decomposition d = with_frequencies({0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, -2.0 / 3.0, -1.0 / 3.0});  // orthonormal
  for (const int last : {1, 3, 5}) {
    const auto head = component_matrix(d, {.first = 1, .last = last});
    const auto tail = component_matrix(d, {.first = last + 1, .last = 6});
    for (std::size_t i = 0; i < head.size(); ++i) {
      EXPECT_NEAR(std::abs(head[i] + tail[i] - (i % 7 == 0 ? 1.0f : 0.0f)), 0.0f, 1e-6f);
    }
  }
}

}  // namespace
}  // namespace echoloop::flow_math_test
