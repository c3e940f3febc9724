// Adaptive methods on channels that are known: equal ones, noise, few, none; and the channels that executors give them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/param_table.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"
#include "support/streaming.h"

namespace echoloop::method_test {
namespace {

// Channels of one pixel by value: x[transmit][element].
struct GivenChannels {
  struct Element {
    float weight;
    int index;
  };
  struct Transmit {
    float weight;
    int index;
  };
  std::vector<std::vector<ChannelSample>> x;
  std::vector<float> receive, transmits;

  [[nodiscard]] int n_elements() const { return static_cast<int>(receive.size()); }
  [[nodiscard]] int n_transmits() const { return static_cast<int>(transmits.size()); }
  [[nodiscard]] Element element(int e) const { return {receive[static_cast<std::size_t>(e)], e}; }
  [[nodiscard]] Transmit transmit(int t) const { return {transmits[static_cast<std::size_t>(t)], t}; }
  [[nodiscard]] ChannelSample sample(const Transmit& t, const Element& e) const {
    return x[static_cast<std::size_t>(t.index)][static_cast<std::size_t>(e.index)];
  }
};

std::vector<float> window(Apodization kind, int n) {
  std::vector<float> weights;
  for (int e = 0; e < n; ++e) {
    weights.push_back(
        apodization_weight(kind, n > 1 ? static_cast<float>(e) / static_cast<float>(n - 1) - 0.5f : 0.0f));
  }
  return weights;
}

GivenChannels constant_channels(int n_tx, std::vector<float> receive, Complex value) {
  const std::vector<ChannelSample> row(receive.size(), ChannelSample{value, true});
  return {std::vector<std::vector<ChannelSample>>(static_cast<std::size_t>(n_tx), row), std::move(receive),
          std::vector<float>(static_cast<std::size_t>(n_tx), 1.0f)};
}

GivenChannels noise_channels(int n_tx, std::vector<float> receive, unsigned seed) {
  GivenChannels channels = constant_channels(n_tx, std::move(receive), {});
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (auto& row : channels.x) {
    for (ChannelSample& sample : row) sample.value = {normal(random), normal(random)};
  }
  return channels;
}

constexpr float kStrengths[] = {0.0f, 0.5f, 1.0f};

TEST(CoherenceFactor, IsOneForEqualChannelsUnderAnyWindow) {
  for (const auto kind :
       {Apodization::boxcar, Apodization::hann, Apodization::hamming, Apodization::tukey, Apodization::gauss}) {
    for (const int n : {1, 2, 3, 4, 5, 64, 129}) {
      for (const float strength : kStrengths) {
        const MethodPixel made = CoherenceFactor{strength}(constant_channels(5, window(kind, n), {0.6f, -0.8f}));
        const bool open = magnitude(made.sum) > 0.0f;  // the ends of a Hann window are zero
        if (open) {
          EXPECT_NEAR(made.weight, 1.0f, 2e-6f) << n;  // sums of up to 129 floats
        } else {
          EXPECT_EQ(made.weight, 0.0f);
        }
      }
    }
  }
}

TEST(CoherenceFactor, OfNoiseIsOneOverTheNumberOfElements) {
  for (const int n : {16, 64, 128}) {
    double sum = 0.0;
    constexpr unsigned kRounds = 6000;
    for (unsigned k = 0; k < kRounds; ++k) {
      sum += static_cast<double>(CoherenceFactor{1.0f}(noise_channels(1, window(Apodization::boxcar, n), k)).weight);
    }
    EXPECT_NEAR(sum / kRounds * n, 1.0, 0.04) << n;  // standard error: 1 / sqrt(6000) = 1.3 %
  }
}

TEST(CoherenceFactor, WienerIsBetweenTheFactorAndOne) {
  const GivenChannels channels = noise_channels(3, window(Apodization::hann, 48), 7);
  const float factor = CoherenceFactor{1.0f}(channels).weight;
  const float half = CoherenceFactor{0.5f}(channels).weight;
  const float wiener = CoherenceFactor{0.0f}(channels).weight;
  EXPECT_LT(factor, half);
  EXPECT_LT(half, wiener);
  EXPECT_LT(wiener, 1.0f);
}

TEST(CoherenceFactor, ElementsWithoutASampleDoNotCount) {
  GivenChannels channels = noise_channels(2, window(Apodization::boxcar, 40), 9);
  GivenChannels fewer = channels;
  for (std::size_t e = 20; e < 40; ++e) {
    channels.receive[e] = e < 30 ? 0.0f : 1.0f;
    for (auto& row : channels.x) {
      if (e >= 30) row[e] = {{0.0f, 0.0f}, false};
    }
  }
  fewer.receive.resize(20);
  EXPECT_EQ(CoherenceFactor{1.0f}(channels).weight, CoherenceFactor{1.0f}(fewer).weight);
}

TEST(CoherenceFactor, FadesToOneForFewChannelsAndIsZeroWithoutAny) {
  float last = 0.0f;
  for (const int n : {4, 3, 2, 1}) {
    GivenChannels channels = constant_channels(1, window(Apodization::boxcar, n), {1.0f, 0.0f});
    if (n > 1) channels.x[0][0].value = {0.0f, 1.0f};
    const float weight = CoherenceFactor{1.0f}(channels).weight;
    EXPECT_GT(weight, last * 0.5f);
    last = weight;
  }
  EXPECT_EQ(last, 1.0f);
  const MethodPixel none = CoherenceFactor{1.0f}(constant_channels(2, std::vector<float>(8, 0.0f), {1.0f, 0.0f}));
  EXPECT_EQ(none.weight, 0.0f);
  EXPECT_EQ(none.sum.re, 0.0f);
}

TEST(CoherenceFactor, DoesNotDependOnTheSizeOfTheSamples) {
  const GivenChannels channels = noise_channels(6, window(Apodization::hamming, 32), 3);
  const float expected = CoherenceFactor{1.0f}(channels).weight;
  for (const float scale : {1e-30f, 1e-20f, 1e-10f, 1e10f, 1e20f}) {
    GivenChannels scaled = channels;
    for (auto& row : scaled.x) {
      for (ChannelSample& sample : row) sample.value = scale * sample.value;
    }
    EXPECT_NEAR(CoherenceFactor{1.0f}(scaled).weight / expected, 1.0f, 1e-5f) << scale;
  }
}

// The channels of the executors make das_pixel()'s sum, on grids and transmits of every kind.
TEST(DasChannels, SumToDelayAndSum) {
  for (const bool convex : {false, true}) {
    Acquisition a =
        convex ? testing::convex_acquisition(40, 500) : testing::linear_acquisition(24, 400, {-8.0, 0.0, 5.0});
    ImagingParams params = testing::small_picture(a, 23, 31);
    params.formation.grid_kind = convex ? GridChoice::polar : GridChoice::cartesian;
    params.formation.f_number = 1.5;
    params.formation.apodization = Apodization::hann;
    const auto plan = make_plan(testing::share(a), params);
    const DasGeometry& g = plan->das->geometry;
    const std::vector<float> noise = testing::noise(
        2 * static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(g.n_el) * static_cast<std::size_t>(g.n_line),
        4);
    std::vector<Complex> lines;
    for (std::size_t i = 0; i < noise.size(); i += 2) lines.push_back({noise[i], noise[i + 1]});
    for (int i = 0; i < g.nx * g.nz; ++i) {
      const Complex expected = das_pixel(g, lines.data(), i % g.nx, i / g.nx);
      const MethodPixel made =
          CoherenceFactor{1.0f}(DasChannels<DasForm::general>(g, lines.data(), i % g.nx, i / g.nx));
      EXPECT_NEAR(made.sum.re, expected.re, 2e-5f * (1.0f + magnitude(expected))) << i;
      EXPECT_NEAR(made.sum.im, expected.im, 2e-5f * (1.0f + magnitude(expected))) << i;
      EXPECT_LE(made.weight * magnitude(made.sum), 1e3f);
    }
  }
}

TEST(AdaptiveMethods, EachHasAFunctor) {
  for (std::size_t k = 1; k < kAdaptiveMethods.size(); ++k) {
    FormationParams params;
    params.adaptive = static_cast<Adaptive>(k);
    bool ran = false;
    with_method(params, [&](const auto& method) {
      ran = true;
      EXPECT_NEAR(method(constant_channels(3, window(Apodization::hann, 32), {1.0f, 1.0f})).weight, 1.0f, 2e-6f);
    });
    EXPECT_TRUE(ran) << kAdaptiveMethods[k].name;
  }
}

}  // namespace
}  // namespace echoloop::method_test
