// The kernels of the CPU for adaptive methods, of every instruction set that runs here, against the functors.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "backend/cpu/cpu_kernels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop::method_rows_test {
namespace {

// A grid of one row over a linear array; records that end within the row, an element of no weight, a transmit of none.
struct Scene {
  static constexpr int kWidth = 150, kElements = 37, kSamples = 220;
  int n_tx;
  std::vector<float> x_m, down_m, z_m{0.03f}, excess, weight, turns;
  std::vector<int> base;
  std::vector<ElementGeometry> elements;
  std::vector<Complex> lines;
  std::vector<float> cone;
  std::vector<PixelSpan> spans;
  DasGeometry geometry{};

  Scene(int transmits, bool polar, float f_number, float scale) : n_tx(transmits) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (int i = 0; i < kWidth; ++i) {
      const float place = -0.5f + static_cast<float>(i) / static_cast<float>(kWidth);
      x_m.push_back(polar ? std::sin(place) : 0.03f * place);
      down_m.push_back(std::cos(place));
    }
    for (int e = 0; e < kElements; ++e) {
      const float place = static_cast<float>(e) / static_cast<float>(kElements - 1) - 0.5f;
      elements.push_back({0.02f * place, 0.0f, 0.0f, 1.0f, place});
    }
    for (int t = 0; t < n_tx; ++t) {
      base.push_back(15 * t - 20);
      turns.push_back(0.13f * static_cast<float>(t));
      weight.push_back(t == 1 ? 0.0f : 1.0f + 0.2f * static_cast<float>(t));
      for (int i = 0; i < kWidth; ++i) excess.push_back(5.0f + std::sin(0.05f * static_cast<float>(i * (t + 1))));
    }
    for (int i = 0; i < n_tx * kElements * kSamples; ++i)
      lines.push_back({scale * normal(random), scale * normal(random)});
    geometry.nx = kWidth;
    geometry.nz = 1;
    geometry.n_tx = n_tx;
    geometry.n_el = kElements;
    geometry.n_line = geometry.n_valid = kSamples;
    geometry.x_m = x_m.data();
    geometry.z_m = z_m.data();
    geometry.down_m = polar ? down_m.data() : nullptr;
    geometry.elements = elements.data();
    geometry.row_base = base.data();
    geometry.row_turns = turns.data();
    geometry.tx_excess = excess.data();
    geometry.weights.all = weight.data();
    geometry.samples_per_m = 26000.0f;
    geometry.turns_per_sample = 0.25f;
    geometry.f_number = f_number;
    geometry.apodization = Apodization::hamming;  // a weight of nearly 0 counts, of 0 does not
  }

  // Transmits weigh something in a part of the row only, and where nothing does pixels are black.
  void add_cones() {
    for (int t = 0; t < n_tx; ++t) {
      const PixelSpan span{11 * t + 3, 11 * t + 80};
      spans.push_back(span);
      for (int i = 0; i < kWidth; ++i) {
        const bool inside = i >= span.begin && i < span.end;
        cone.push_back(inside ? 0.1f + 0.01f * static_cast<float>((i + 7 * t) % 30) : 0.0f);
      }
    }
    geometry.weights.cone = cone.data();
    geometry.weights.cone_span = spans.data();
  }
};

std::vector<MethodSettings> all_settings() {
  std::vector<MethodSettings> all;
  for (const Adaptive method : {Adaptive::coherence, Adaptive::generalized, Adaptive::phase, Adaptive::p_das}) {
    for (const AdaptiveAxis axis : {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both}) {
      for (const AdaptiveOrder order : {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded}) {
        for (const int bins : {0, 1, 2, 3, 7, kMostAdaptiveBins}) {
          if (method == Adaptive::generalized || bins == 2) {
            all.push_back({.method = method, .axis = axis, .order = order, .strength = 0.7f, .bins = bins});
          }
        }
      }
    }
  }
  all.push_back({.method = Adaptive::p_das, .root = 3.5f});
  return all;
}

void expect_like_functor(const CpuKernels& kernels, const Scene& scene, const MethodSettings& settings) {
  const DasGeometry& g = scene.geometry;
  std::vector<float> scratch(static_cast<std::size_t>(method_row_floats(settings, g.n_tx)), NAN);
  std::vector<Complex> pixels(Scene::kWidth);
  std::vector<float> weights(Scene::kWidth);
  kernels.method_row(settings, {g, scene.lines.data(), 0, scratch.data(), pixels.data(), weights.data()});
  with_method(settings, [&](const auto& method) {
    float peak = 0.0f;
    std::vector<MethodPixel> expected;
    for (int ix = 0; ix < Scene::kWidth; ++ix) {
      expected.push_back(method(DasChannels<DasForm::general>(g, scene.lines.data(), ix, 0)));
      peak = std::max(peak, magnitude(expected.back().sum));
    }
    ASSERT_GT(peak, 0.0f);
    for (int ix = 0; ix < Scene::kWidth; ++ix) {
      const auto i = static_cast<std::size_t>(ix);
      const MethodPixel& want = expected[i];
      ASSERT_NEAR(pixels[i].re, want.sum.re, 2e-5f * peak) << ix;
      ASSERT_NEAR(pixels[i].im, want.sum.im, 2e-5f * peak) << ix;
      // A weight is the ratio of two sums: as uncertain as the smaller one.
      const float share = magnitude(want.sum) / peak;
      ASSERT_NEAR(weights[i], want.weight, 1e-4f + 1e-4f / std::max(share, 1e-6f)) << ix;
    }
  });
}

TEST(MethodRows, AreTheFunctorsOnEveryInstructionSet) {
  int sets = 0;
  for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::avx2, CpuKernel::avx512}) {
    if (!has_cpu_kernel(kernel)) continue;
    ++sets;
    for (const int n_tx : {1, 6}) {
      for (const bool polar : {false, true}) {
        for (const float f_number : {0.0f, 1.5f}) {
          Scene scene(n_tx, polar, f_number, 1.0f);
          if (polar) scene.add_cones();
          for (const MethodSettings& settings : all_settings()) {
            SCOPED_TRACE(std::string(cpu_kernels(kernel).name) + ", transmits " + std::to_string(n_tx) + ", method " +
                         std::to_string(static_cast<int>(settings.method)) + ", axis " +
                         std::to_string(static_cast<int>(settings.axis)) + ", order " +
                         std::to_string(static_cast<int>(settings.order)) + ", bins " + std::to_string(settings.bins));
            expect_like_functor(cpu_kernels(kernel), scene, settings);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GE(sets, 1);
}

TEST(MethodRows, OfTinyAndHugeSamplesToo) {
  for (const float scale : {1e-25f, 1e25f}) {
    const Scene scene(3, false, 1.0f, scale);
    for (const MethodSettings& settings : all_settings()) {
      expect_like_functor(cpu_kernels(CpuKernel::automatic), scene, settings);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MethodRows, OfSilenceAreBlackWithoutNan) {
  Scene scene(3, false, 1.0f, 1.0f);
  for (const int n_valid : {Scene::kSamples, 1}) {
    scene.geometry.n_valid = n_valid;
    std::fill(scene.lines.begin(), scene.lines.end(), Complex{0.0f, 0.0f});
    for (const MethodSettings& settings : all_settings()) {
      std::vector<float> scratch(static_cast<std::size_t>(method_row_floats(settings, 3)), NAN);
      std::vector<Complex> pixels(Scene::kWidth, {NAN, NAN});
      std::vector<float> weights(Scene::kWidth, NAN);
      cpu_kernels(CpuKernel::automatic)
          .method_row(settings, {scene.geometry, scene.lines.data(), 0, scratch.data(), pixels.data(), weights.data()});
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        ASSERT_EQ(pixels[i].re, 0.0f);
        ASSERT_EQ(pixels[i].im, 0.0f);
        ASSERT_TRUE(weights[i] >= 0.0f && weights[i] <= 1.0f) << weights[i];
      }
    }
  }
}

}  // namespace
}  // namespace echoloop::method_rows_test
