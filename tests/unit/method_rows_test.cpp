// The kernels of the CPU for adaptive methods, of every instruction set that runs here, against the functors.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_steps.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"
#include "support/sanitized.h"
#include "unit/method_scene.h"

namespace echoloop::method_rows_test {
namespace {

using testing::MethodScene;

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

void expect_like_functor(const CpuKernels& kernels, const MethodScene& scene, const MethodSettings& settings) {
  const DasGeometry& g = scene.geometry;
  std::vector<float> scratch(static_cast<std::size_t>(method_row_floats(settings, g.n_tx)), NAN);
  std::vector<Complex> pixels(MethodScene::kWidth);
  std::vector<float> weights(MethodScene::kWidth);
  kernels.method_row(settings, {g, scene.lines.data(), 0, scratch.data(), pixels.data(), weights.data()});
  with_method(settings, [&](const auto& method) {
    float peak = 0.0f;
    std::vector<MethodPixel> expected;
    for (int ix = 0; ix < MethodScene::kWidth; ++ix) {
      expected.push_back(method(DasChannels<DasForm::general>(g, scene.lines.data(), ix, 0)));
      peak = std::max(peak, magnitude(expected.back().sum));
    }
    ASSERT_GT(peak, 0.0f);
    for (int ix = 0; ix < MethodScene::kWidth; ++ix) {
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
    for (const auto& [n_tx, samples] : {std::pair{1, 220}, std::pair{6, 220}, std::pair{3, 600}}) {
      if (testing::kSanitized && n_tx != 6) continue;
      for (const bool polar : {false, true}) {
        for (const float f_number : {0.0f, 1.5f}) {
          MethodScene scene({.n_tx = n_tx, .n_samples = samples}, polar, f_number, 1.0f);
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

// Samples without a phase that are 1 wherever they are recorded: every pixel has equal channels, at the edges of the
// aperture and of the record as well.
TEST(MethodRows, OfEqualChannelsWeighOneAtEveryPixel) {
  int pixels_with_echo = 0;
  for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::avx2, CpuKernel::avx512}) {
    if (!has_cpu_kernel(kernel)) continue;
    for (const bool polar : {false, true}) {
      for (const float f_number : {0.0f, 0.7f, 1.5f, 4.0f}) {
        for (const Apodization window : {Apodization::boxcar, Apodization::hann, Apodization::tukey}) {
          if (testing::kSanitized && window != Apodization::tukey) continue;
          MethodScene scene({.n_tx = 3}, polar, f_number, 1.0f);
          std::fill(scene.lines.begin(), scene.lines.end(), Complex{0.6f, -0.8f});
          std::fill(scene.turns.begin(), scene.turns.end(), 0.0f);
          scene.geometry.turns_per_sample = 0.0f;
          scene.geometry.apodization = window;
          for (const MethodSettings& settings : all_settings()) {
            if (settings.method == Adaptive::p_das) continue;
            std::vector<float> scratch(static_cast<std::size_t>(method_row_floats(settings, 3)), NAN);
            std::vector<Complex> pixels(MethodScene::kWidth);
            std::vector<float> weights(MethodScene::kWidth);
            cpu_kernels(kernel).method_row(
                settings, {scene.geometry, scene.lines.data(), 0, scratch.data(), pixels.data(), weights.data()});
            for (std::size_t i = 0; i < pixels.size(); ++i) {
              if (magnitude(pixels[i]) == 0.0f) continue;
              ++pixels_with_echo;
              // Transmits of unequal numbers of recorded elements are unequal channels.
              if (settings.axis == AdaptiveAxis::transmits) continue;
              if (settings.order == AdaptiveOrder::compounded && settings.axis == AdaptiveAxis::elements) continue;
              ASSERT_NEAR(weights[i], 1.0f, 1e-6f)
                  << cpu_kernels(kernel).name << ", method " << static_cast<int>(settings.method) << ", axis "
                  << static_cast<int>(settings.axis) << ", bins " << settings.bins << ", F " << f_number << ", window "
                  << static_cast<int>(window) << ", pixel " << i;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(pixels_with_echo, 10000);
}

TEST(MethodRows, OfTinyAndHugeSamplesToo) {
  for (const float scale : {1e-25f, 1e25f}) {
    const MethodScene scene({.n_tx = 3}, false, 1.0f, scale);
    for (const MethodSettings& settings : all_settings()) {
      expect_like_functor(cpu_kernels(CpuKernel::automatic), scene, settings);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MethodRows, OfSilenceAreBlackWithoutNan) {
  MethodScene scene({.n_tx = 3}, false, 1.0f, 1.0f);
  for (const int n_valid : {scene.size.n_samples, 1}) {
    scene.geometry.n_valid = n_valid;
    std::fill(scene.lines.begin(), scene.lines.end(), Complex{0.0f, 0.0f});
    for (const MethodSettings& settings : all_settings()) {
      std::vector<float> scratch(static_cast<std::size_t>(method_row_floats(settings, 3)), NAN);
      std::vector<Complex> pixels(MethodScene::kWidth, {NAN, NAN});
      std::vector<float> weights(MethodScene::kWidth, NAN);
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
