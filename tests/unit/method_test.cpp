// Adaptive methods on channels that are known: equal ones, noise, few, none; and the channels that executors give them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "backend/fp16/packed_plan.h"
#include "core/param_table.h"
#include "core/results/image.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"
#include "support/sanitized.h"
#include "support/streaming.h"
#include "unit/given_channels.h"

namespace echoloop::method_test {
namespace {

using testing::GivenChannels;

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
          EXPECT_NEAR(made.weight, 1.0f, 1e-6f) << n;
        } else {
          EXPECT_EQ(made.weight, 0.0f);
        }
      }
    }
  }
}

TEST(CoherenceFactor, OfNoiseIsOneOverTheNumberOfElements) {
  if (testing::kSanitized) GTEST_SKIP() << "means of many rounds";
  for (const int n : {16, 64}) {
    double sum = 0.0;
    constexpr unsigned kRounds = 40000;
    for (unsigned k = 0; k < kRounds; ++k) {
      sum += static_cast<double>(CoherenceFactor{1.0f}(noise_channels(1, window(Apodization::boxcar, n), k)).weight);
    }
    EXPECT_NEAR(sum / kRounds * n, 1.0, 0.02) << n;  // standard error: 1 / sqrt(40000) = 0.5 %
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

// A weight of 0 in a cyst would take its darkest pixels out of gCNR, which counts pixels with an echo.
TEST(AdaptiveWeights, OfZeroLeaveALevelWhereThereIsAnEcho) {
  const Complex pixels[] = {{3.0f, -4.0f}, {0.0f, 0.0f}};
  const float weights[] = {0.0f, 0.0f};
  const WeighedPixels weighed{pixels, weights};
  EXPECT_FLOAT_EQ(weighed.amplitude(0), 5.0f * kLeastWeight);
  EXPECT_GT(to_db(weighed.amplitude(0), 0.0f), static_cast<float>(kNoEcho_db));
  const WeighedPixels coherence{pixels, nullptr, PixelReading::coherence};
  EXPECT_GT(to_db(coherence.amplitude(1), 0.0f), static_cast<float>(kNoEcho_db));
  EXPECT_EQ(weighed.amplitude(1), 0.0f) << "no echo at all";
}

// The coherence factor alone, not compounded, as an image; the others in single precision whatever was chosen, said
// why.
TEST(AdaptiveMethods, WhichAreFormedInHalfPrecision) {
  const AcquisitionPtr acquisition = testing::share(testing::linear_acquisition(32, 400, {-8.0, 0.0, 5.0}));
  ImagingParams params = testing::small_picture(*acquisition, 9, 40);
  params.formation.precision = Precision::fp16;
  EXPECT_NE(make_plan(acquisition, params)->packed, nullptr);
  for (std::size_t k = 1; k < kBuiltInMethods; ++k) {
    params.formation.adaptive = static_cast<Adaptive>(k);
    const auto plan = make_plan(acquisition, params);
    const bool half = params.formation.adaptive == Adaptive::coherence;
    EXPECT_EQ(plan->packed != nullptr, half) << kAdaptiveMethods[k].name;
    EXPECT_EQ(plan->why_fp32 == nullptr, half) << kAdaptiveMethods[k].name;
  }
  params.formation.adaptive = Adaptive::coherence;
  params.formation.adaptive_order = AdaptiveOrder::compounded;
  EXPECT_EQ(make_plan(acquisition, params)->packed, nullptr);
  params.formation.adaptive_axis = AdaptiveAxis::both;
  const auto both = make_plan(acquisition, params);
  ASSERT_NE(both->packed, nullptr) << "the order is of elements";
  EXPECT_EQ(both->packed->tiles->method, PackedMethod::coherence);
  params.formation.adaptive_axis = AdaptiveAxis::transmits;
  const auto transmits = make_plan(acquisition, params, both);
  ASSERT_NE(transmits->packed, nullptr);
  EXPECT_EQ(transmits->packed->tiles->method, PackedMethod::coherence_of_transmits);
  params.formation.adaptive = Adaptive::off;
  EXPECT_EQ(make_plan(acquisition, params, transmits)->packed->tiles->method, PackedMethod::das);
  params.formation.adaptive = Adaptive::coherence;
  params.formation.adaptive_show = AdaptiveShow::weight;
  EXPECT_EQ(make_plan(acquisition, params)->packed, nullptr);
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
  for (std::size_t k = 1; k < kBuiltInMethods; ++k) {
    const MethodSettings settings{.method = static_cast<Adaptive>(k)};
    if (reads_rows(settings.method)) continue;
    bool ran = false;
    with_method(settings, [&]<class Method>(const Method& method) {
      ran = true;
      EXPECT_NE(Method::replaces, is_weight(settings.method)) << kAdaptiveMethods[k].name;
      EXPECT_NEAR(method(constant_channels(3, window(Apodization::hann, 32), {1.0f, 1.0f})).weight, 1.0f, 1e-6f);
    });
    EXPECT_TRUE(ran) << kAdaptiveMethods[k].name;
  }
}

constexpr AdaptiveAxis kAxes[] = {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both};
constexpr AdaptiveOrder kOrders[] = {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded};

float weight_of(const MethodSettings& settings, const GivenChannels& channels) {
  float weight = -1.0f;
  with_method(settings, [&](const auto& method) { weight = method(channels).weight; });
  return weight;
}

Complex pixel_of(const MethodSettings& settings, const GivenChannels& channels) {
  Complex pixel{0.0f, 0.0f};
  with_method(settings, [&](const auto& method) { pixel = method(channels).sum; });
  return pixel;
}

template <class Run>
void for_each_weight(const Run& run) {
  for (const auto method : {Adaptive::coherence, Adaptive::generalized, Adaptive::phase}) {
    for (const auto axis : kAxes) {
      for (const auto order : kOrders) run(MethodSettings{.method = method, .axis = axis, .order = order});
    }
  }
}

TEST(AdaptiveWeights, AreOneForEqualChannelsOnEveryAxis) {
  for (const auto kind : {Apodization::boxcar, Apodization::hann, Apodization::tukey}) {
    for_each_weight([&](const MethodSettings& settings) {
      for (const int n : {5, 64, 129}) {
        EXPECT_NEAR(weight_of(settings, constant_channels(6, window(kind, n), {0.6f, -0.8f})), 1.0f, 1e-6f) << n;
      }
    });
  }
}

double mean_weight(const MethodSettings& settings, int n_tx, int n_el, unsigned rounds) {
  double sum = 0.0;
  for (unsigned k = 0; k < rounds; ++k) {
    sum += static_cast<double>(weight_of(settings, noise_channels(n_tx, window(Apodization::boxcar, n_el), k)));
  }
  return sum / rounds;
}

TEST(AdaptiveWeights, OfNoiseAreOneOverTheNumberOfChannels) {
  if (testing::kSanitized) GTEST_SKIP() << "means of many rounds";
  MethodSettings both{.method = Adaptive::coherence, .axis = AdaptiveAxis::both};
  EXPECT_NEAR(mean_weight(both, 4, 16, 40000) * 64.0, 1.0, 0.02);  // standard error 0.5 %
  MethodSettings transmits{.method = Adaptive::coherence, .axis = AdaptiveAxis::transmits};
  EXPECT_NEAR(mean_weight(transmits, 32, 4, 40000) * 32.0, 1.0, 0.02);
  MethodSettings compounded{.method = Adaptive::coherence, .order = AdaptiveOrder::compounded};
  EXPECT_NEAR(mean_weight(compounded, 3, 32, 40000) * 32.0, 1.0, 0.02);
  for (const int bins : {0, 1, 2, 5, 16}) {
    MethodSettings generalized{.method = Adaptive::generalized, .bins = bins};
    EXPECT_NEAR(mean_weight(generalized, 1, 64, 40000) * 64.0 / (2.0 * bins + 1.0), 1.0, 0.02) << bins;
  }
}

TEST(GeneralizedCoherence, WithoutBinsIsTheCoherenceFactor) {
  const GivenChannels channels = noise_channels(5, window(Apodization::hann, 48), 7);
  for (const auto axis : kAxes) {
    for (const auto order : kOrders) {
      const float factor = weight_of({.method = Adaptive::coherence, .axis = axis, .order = order}, channels);
      const float none =
          weight_of({.method = Adaptive::generalized, .axis = axis, .order = order, .bins = 0}, channels);
      EXPECT_NEAR(none / factor, 1.0f, 1e-6f);
    }
  }
}

// As many frequencies as channels hold all of the energy: equal weights give exactly 1.
TEST(GeneralizedCoherence, OfAllFrequenciesIsOne) {
  for (const int n : {8, 9}) {
    const GivenChannels channels = noise_channels(2, window(Apodization::boxcar, n), 5);
    EXPECT_NEAR(weight_of({.method = Adaptive::generalized, .bins = 4}, channels), 1.0f, 1e-5f) << n;
  }
}

TEST(AdaptiveWeights, ElementsThatDoNotCountLeaveNoTraceOnAnyAxis) {
  GivenChannels channels = noise_channels(5, window(Apodization::boxcar, 40), 9);
  for (std::size_t e = 0; e < 10; ++e) channels.receive[e] = 0.0f;
  for (auto& row : channels.x) {
    for (std::size_t e = 30; e < 40; ++e) row[e] = {{0.0f, 0.0f}, false};
  }
  GivenChannels fewer = channels;
  fewer.receive.assign(20, 1.0f);
  for (std::size_t t = 0; t < fewer.x.size(); ++t) {
    fewer.x[t].assign(channels.x[t].begin() + 10, channels.x[t].begin() + 30);
  }
  for_each_weight(
      [&](const MethodSettings& settings) { EXPECT_EQ(weight_of(settings, channels), weight_of(settings, fewer)); });
  const MethodSettings p_das{.method = Adaptive::p_das};
  EXPECT_EQ(pixel_of(p_das, channels).re, pixel_of(p_das, fewer).re);
}

// A transmit that turns the phase, as motion between transmits does, destroys the agreement of transmits and of both,
// and leaves that of the elements of each transmit.
TEST(AdaptiveWeights, MotionBetweenTransmitsDestroysTransmitsAndBoth) {
  GivenChannels channels = constant_channels(4, window(Apodization::boxcar, 32), {1.0f, 0.0f});
  for (std::size_t t = 0; t < 4; ++t) {
    const Complex turn = unit_phasor(0.25f * static_cast<float>(t) + 0.02f * static_cast<float>(t * t));
    for (ChannelSample& sample : channels.x[t]) sample.value = turn;
  }
  const MethodSettings elements{.method = Adaptive::coherence};
  EXPECT_NEAR(weight_of(elements, channels), 1.0f, 1e-5f);
  EXPECT_LT(weight_of({.method = Adaptive::coherence, .axis = AdaptiveAxis::transmits}, channels), 0.2f);
  EXPECT_LT(weight_of({.method = Adaptive::coherence, .axis = AdaptiveAxis::both}, channels), 0.2f);
}

TEST(AdaptiveWeights, OfSilenceNothingAndFewChannelsAreNumbers) {
  const GivenChannels silence = constant_channels(3, window(Apodization::hann, 16), {0.0f, 0.0f});
  const GivenChannels closed = constant_channels(3, std::vector<float>(16, 0.0f), {1.0f, 0.0f});
  GivenChannels unrecorded = silence;
  for (auto& row : unrecorded.x) row.assign(16, {{0.0f, 0.0f}, false});
  const GivenChannels* const all[] = {&silence, &closed, &unrecorded};
  for_each_weight([&](const MethodSettings& settings) {
    for (const GivenChannels* channels : all) {
      EXPECT_EQ(weight_of(settings, *channels), 0.0f);
    }
    EXPECT_EQ(weight_of(settings, constant_channels(1, {1.0f}, {1.0f, 0.0f})), 1.0f);
  });
  for (const auto order : kOrders) {
    const MethodSettings p_das{.method = Adaptive::p_das, .order = order};
    for (const GivenChannels* channels : all) {
      EXPECT_EQ(magnitude(pixel_of(p_das, *channels)), 0.0f);
    }
  }
}

TEST(AdaptiveWeights, DoNotDependOnTheSizeOfTheSamples) {
  const GivenChannels channels = noise_channels(6, window(Apodization::hamming, 32), 3);
  for_each_weight([&](const MethodSettings& settings) {
    const float expected = weight_of(settings, channels);
    for (const float scale : {1e-30f, 1e-20f, 1e10f, 1e20f}) {
      GivenChannels scaled = channels;
      for (auto& row : scaled.x) {
        for (ChannelSample& sample : row) sample.value = scale * sample.value;
      }
      EXPECT_NEAR(weight_of(settings, scaled) / expected, 1.0f, 1e-5f) << scale;
    }
  });
}

TEST(PDas, OfEqualChannelsIsDelayAndSumAndScalesWithTheSamples) {
  for (const float root : {1.0f, 2.0f, 3.0f, 8.0f}) {
    for (const auto order : kOrders) {
      const MethodSettings settings{.method = Adaptive::p_das, .order = order, .root = root};
      const GivenChannels equal = constant_channels(3, window(Apodization::hann, 32), {0.3f, 0.4f});
      const Complex das = pixel_of({.method = Adaptive::coherence}, equal);
      EXPECT_NEAR(pixel_of(settings, equal).re / das.re, 1.0f, 1e-5f) << root;
      GivenChannels noise = noise_channels(3, window(Apodization::hann, 32), 2);
      const float before = magnitude(pixel_of(settings, noise));
      for (auto& row : noise.x) {
        for (ChannelSample& sample : row) sample.value = 1e-20f * sample.value;
      }
      EXPECT_NEAR(magnitude(pixel_of(settings, noise)) * 1e20f / before, 1.0f, 1e-4f) << root;
    }
  }
}

TEST(PDas, OfRootOneIsDelayAndSum) {
  const GivenChannels noise = noise_channels(5, window(Apodization::tukey, 48), 8);
  const Complex das = pixel_of({.method = Adaptive::coherence}, noise);
  for (const auto order : kOrders) {
    for (const Complex made :
         {PDas{1.0f, order}(noise).sum, pixel_of({.method = Adaptive::p_das, .order = order, .root = 1.0f}, noise)}) {
      EXPECT_LE(magnitude(made + -1.0f * das), 1e-6f * magnitude(das));
    }
  }
}

std::vector<GivenChannels> noise_rows(int n_el, unsigned seed) {
  std::vector<GivenChannels> rows;
  for (unsigned r = 0; r < 5; ++r) rows.push_back(noise_channels(2, window(Apodization::boxcar, n_el), seed + r));
  return rows;
}

Complex minimum_variance_of(const MinimumVariance& method, const std::vector<GivenChannels>& rows, int neighbours) {
  const int n = n_channels(rows[0].n_elements(), neighbours);
  const testing::StoredRows slices(
      rows, n + 1, [&](const GivenChannels& channels, Strided to) { store_channels(channels, neighbours, to); });
  std::vector<Complex> scratch(static_cast<std::size_t>(method.n_scratch(n)));
  return method.pixel(slices.around(2, 2), n, {scratch.data(), 1});
}

// Loading of 1000 leaves equal weights v: delay-and-sum under the window box(L) * box(P).
TEST(MinimumVariance, UnderHeavyLoadingIsDelayAndSumUnderATrapezoid) {
  for (const int n : {16, 24, 32}) {
    const std::vector<GivenChannels> rows = noise_rows(n, 11);
    const int length = n / 2;
    const int count = n - length + 1;
    Complex expected{0.0f, 0.0f};
    for (int e = 0; e < n; ++e) {
      const int shares = std::min({e + 1, length, count, n - e});
      Complex s{0.0f, 0.0f};
      for (const auto& transmit : rows[2].x) s = s + transmit[static_cast<std::size_t>(e)].value;
      expected = expected + static_cast<float>(shares) * static_cast<float>(n) / static_cast<float>(length * count) * s;
    }
    const Complex made = minimum_variance_of({0.5f, 1000.0f}, rows, 1);
    EXPECT_NEAR(20.0f * std::log10(magnitude(made) / magnitude(expected)), 0.0f, 0.01f) << n;
  }
}

TEST(MinimumVariance, OfEqualChannelsIsDelayAndSum) {
  for (const int neighbours : {1, 3, 4}) {
    const std::vector<GivenChannels> rows(5, constant_channels(2, window(Apodization::boxcar, 30), {0.3f, -0.4f}));
    const Complex made = minimum_variance_of({0.5f, 0.01f}, rows, neighbours);
    EXPECT_NEAR(made.re / (60.0f * 0.3f), 1.0f, 1e-4f);
    EXPECT_NEAR(made.im / (60.0f * -0.4f), 1.0f, 1e-4f);
  }
}

struct HalfThatCounts {
  std::vector<GivenChannels> rows;   // 40 elements: 10 outside of the aperture, 10 without a sample
  std::vector<GivenChannels> fewer;  // the 20 that count
};

HalfThatCounts rows_of_which_half_count() {
  HalfThatCounts made{noise_rows(40, 3), noise_rows(40, 3)};
  auto& [rows, fewer] = made;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t e = 0; e < 10; ++e) rows[r].receive[e] = 0.0f;
    for (std::size_t e = 30; e < 40; ++e) {
      for (auto& transmit : rows[r].x) transmit[e] = {{0.0f, 0.0f}, false};
    }
    fewer[r].receive.assign(20, 1.0f);
    for (std::size_t t = 0; t < fewer[r].x.size(); ++t) {
      fewer[r].x[t].assign(rows[r].x[t].begin() + 10, rows[r].x[t].begin() + 30);
    }
  }
  return made;
}

// The vector is cut to the elements that count, and the subarray with it.
TEST(MinimumVariance, ElementsThatDoNotCountLeaveNoTrace) {
  const auto [rows, fewer] = rows_of_which_half_count();
  const Complex made = minimum_variance_of({0.4f, 0.01f}, rows, 1);
  const Complex expected = minimum_variance_of({0.4f, 0.01f}, fewer, 1);
  EXPECT_EQ(made.re, expected.re);
  EXPECT_EQ(made.im, expected.im);
}

// A silent element in the middle would take all of the weight if it stayed in the vector.
TEST(MinimumVariance, ASilentElementDoesNotDarkenTheImage) {
  std::vector<GivenChannels> rows(5, constant_channels(1, window(Apodization::boxcar, 32), {1.0f, 0.0f}));
  for (GivenChannels& row : rows) row.x[0][13] = {{0.0f, 0.0f}, true};
  EXPECT_NEAR(minimum_variance_of({0.5f, 1e-4f}, rows, 1).re, 32.0f, 0.01f);
}

TEST(MinimumVariance, OfSilenceTinyAndFewChannelsAreNumbers) {
  for (const int n : {1, 2, 3, 5}) {
    const std::vector<GivenChannels> silent(5, constant_channels(1, window(Apodization::boxcar, n), {0.0f, 0.0f}));
    EXPECT_EQ(magnitude(minimum_variance_of({0.5f, 1e-4f}, silent, 1)), 0.0f);
    const std::vector<GivenChannels> closed(
        5, constant_channels(1, std::vector<float>(static_cast<std::size_t>(n), 0.0f), {1.0f, 0.0f}));
    EXPECT_EQ(magnitude(minimum_variance_of({0.5f, 1e-4f}, closed, 1)), 0.0f);
    const std::vector<GivenChannels> tiny(5, constant_channels(1, window(Apodization::boxcar, n), {1e-25f, 0.0f}));
    EXPECT_NEAR(magnitude(minimum_variance_of({0.5f, 1e-4f}, tiny, 1)) / (1e-25f * static_cast<float>(n)), 1.0f, 1e-3f);
  }
}

float slsc_of(const std::vector<GivenChannels>& rows, int lags, int k) {
  const ShortLagCoherence method{lags};
  const int n = rows[0].n_elements();
  const testing::StoredRows terms(rows, method.n_terms(), [&](const GivenChannels& channels, Strided to) {
    std::vector<Complex> elements(static_cast<std::size_t>(n) + 1);
    store_channels(channels, 1, {elements.data(), 1});
    method.store_terms(ScaledElements({elements.data(), 1}, n), n, to);
  });
  return method.pixel(terms.around(2, k));
}

TEST(ShortLagCoherence, IsOneForEqualElementsMinusOneForOppositeNeighboursAndSmallForNoise) {
  std::vector<GivenChannels> rows(5, constant_channels(2, window(Apodization::hann, 32), {0.6f, 0.8f}));
  EXPECT_NEAR(slsc_of(rows, 10, 2), 1.0f, 1e-5f);
  for (GivenChannels& row : rows) {
    for (auto& transmit : row.x) {
      for (std::size_t e = 1; e < 32; e += 2) transmit[e].value = {-0.6f, -0.8f};
    }
  }
  EXPECT_NEAR(slsc_of(rows, 1, 2), -1.0f, 1e-5f);  // the sign is kept
  EXPECT_NEAR(slsc_of(noise_rows(128, 5), 10, 2), 0.0f, 0.1f);
}

// Lags are those of the array: elements outside of the aperture and samples that were not recorded leave no pairs.
TEST(ShortLagCoherence, ElementsThatDoNotCountLeaveNoTrace) {
  const auto [rows, fewer] = rows_of_which_half_count();
  EXPECT_EQ(slsc_of(rows, 10, 2), slsc_of(fewer, 10, 2));
}

TEST(ShortLagCoherence, OfSilenceFewAndTinyElementsAreNumbers) {
  const std::vector<GivenChannels> silent(5, constant_channels(1, window(Apodization::boxcar, 8), {0.0f, 0.0f}));
  EXPECT_EQ(slsc_of(silent, 32, 2), 0.0f);
  const std::vector<GivenChannels> one(5, constant_channels(1, {1.0f}, {1.0f, 0.0f}));
  EXPECT_EQ(slsc_of(one, 32, 2), 0.0f);
  std::vector<GivenChannels> tiny(5, constant_channels(1, window(Apodization::boxcar, 8), {1e-25f, 0.0f}));
  EXPECT_NEAR(slsc_of(tiny, 32, 2), 1.0f, 1e-5f);
}

// A faint row between loud ones: squares of the ratio of their levels are no float.
TEST(ShortLagCoherence, OfAFaintRowBetweenLoudOnesIsANumber) {
  std::vector<GivenChannels> rows = noise_rows(32, 5);
  for (auto& transmit : rows[2].x) {
    for (ChannelSample& sample : transmit) sample.value = 1e-20f * sample.value;
  }
  const float with = slsc_of(rows, 10, 2);
  rows.erase(rows.begin() + 2);
  rows.insert(rows.begin() + 2, constant_channels(2, window(Apodization::boxcar, 32), {1e-20f, 0.0f}));
  EXPECT_NEAR(slsc_of(rows, 10, 2), with, 1e-6f) << "the loud rows decide";
  EXPECT_TRUE(std::abs(with) < 1.0f) << with;
}

}  // namespace
}  // namespace echoloop::method_test
