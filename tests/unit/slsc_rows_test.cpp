// The rows of short-lag spatial coherence on the CPU, of every instruction set that runs here, against the functor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/cpu_steps.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/slsc.h"
#include "unit/method_scene.h"

namespace echoloop::slsc_rows_test {
namespace {

using testing::MethodScene;

std::vector<float> image_of(CpuKernel kernel, int threads, const MethodScene& scene, const MethodSettings& settings) {
  WorkerPool pool(threads);
  MethodScratch scratch;
  scratch.own.resize(static_cast<std::size_t>(threads));
  std::vector<Complex> pixels(static_cast<std::size_t>(scene.geometry.nx * scene.geometry.nz), {NAN, NAN});
  std::vector<float> weights(pixels.size(), NAN);
  method_das(pool, cpu_kernels(kernel), settings, {scene.geometry, scene.lines.data()}, scratch, pixels.data(),
             weights.data());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_EQ(pixels[i].re, weights[i]);
    EXPECT_EQ(pixels[i].im, 0.0f);
  }
  return weights;
}

std::vector<float> image_by_functor(const MethodScene& scene, const MethodSettings& settings) {
  const DasGeometry& g = scene.geometry;
  const ShortLagCoherence method{settings.lags};
  const int n_terms = method.n_terms();
  std::vector<float> image(static_cast<std::size_t>(g.nx * g.nz));
  std::vector<Complex> elements(static_cast<std::size_t>(g.n_el) + 1);
  std::vector<Complex> terms(static_cast<std::size_t>(n_terms * g.nz));
  for (int ix = 0; ix < g.nx; ++ix) {
    for (int iz = 0; iz < g.nz; ++iz) {
      store_channels(DasChannels<DasForm::general>(g, scene.lines.data(), ix, iz), 1, {elements.data(), 1});
      method.store_terms(ScaledElements({elements.data(), 1}, g.n_el), g.n_el,
                         Strided{&terms[static_cast<std::size_t>(iz * n_terms)], 1});
    }
    for (int iz = 0; iz < g.nz; ++iz) {
      const int first = std::max(iz - settings.rows, 0), last = std::min(iz + settings.rows, g.nz - 1);
      image[static_cast<std::size_t>(iz * g.nx + ix)] =
          method.pixel(StridedRows{.first = &terms[static_cast<std::size_t>(first * n_terms)],
                                   .row_step = n_terms,
                                   .step = 1,
                                   .count = last - first + 1,
                                   .centre = iz - first});
    }
  }
  return image;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    largest = std::isnan(difference) ? HUGE_VALF : std::max(largest, difference);
  }
  return largest;
}

MethodSettings slsc(int lags, int rows) { return {.method = Adaptive::slsc, .lags = lags, .rows = rows}; }

TEST(SlscRows, AreTheFunctorOnEveryInstructionSet) {
  int sets = 0;
  for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::avx2, CpuKernel::avx512}) {
    if (!has_cpu_kernel(kernel)) continue;
    ++sets;
    for (const int n_tx : {1, 6}) {
      for (const bool polar : {false, true}) {
        for (const float f_number : {0.0f, 1.5f}) {
          MethodScene scene({.n_tx = n_tx, .n_rows = 5}, polar, f_number, 1.0f);
          if (polar) scene.add_cones();
          for (const MethodSettings& settings : {slsc(1, 0), slsc(6, 1), slsc(10, 2), slsc(32, 4), slsc(40, 1)}) {
            const std::vector<float> expected = image_by_functor(scene, settings);
            EXPECT_GT(*std::ranges::max_element(expected), 0.03f);
            EXPECT_LT(*std::ranges::min_element(expected), -0.03f) << "the sign is kept";
            // A mean of correlations of up to 37 x 9 products each.
            EXPECT_LT(largest_difference(image_of(kernel, 1, scene, settings), expected), 3e-5f)
                << cpu_kernels(kernel).name << ", transmits " << n_tx << ", lags " << settings.lags;
          }
        }
      }
    }
  }
  EXPECT_GE(sets, 1);
}

// More rows than are kept at once; the same values for any number of threads.
TEST(SlscRows, OfATallImage) {
  const MethodScene scene({.n_tx = 2, .n_rows = 150}, false, 1.0f, 1.0f);
  for (const int rows : {0, 3, 80}) {
    const std::vector<float> image = image_of(CpuKernel::automatic, 1, scene, slsc(7, rows));
    EXPECT_LT(largest_difference(image, image_by_functor(scene, slsc(7, rows))), 3e-5f) << rows;
    for (const int threads : {2, 5, 20}) {
      EXPECT_EQ(image_of(CpuKernel::automatic, threads, scene, slsc(7, rows)), image) << rows << ", " << threads;
    }
  }
}

TEST(SlscRows, OfTinyHugeAndSilentSamples) {
  const std::vector<float> usual =
      image_of(CpuKernel::automatic, 1, MethodScene({.n_tx = 3, .n_rows = 4}, false, 1.0f, 1.0f), slsc(5, 1));
  for (const float scale : {1e-25f, 1e25f}) {
    const MethodScene scene({.n_tx = 3, .n_rows = 4}, false, 1.0f, scale);
    EXPECT_LT(largest_difference(image_of(CpuKernel::automatic, 1, scene, slsc(5, 1)), usual), 1e-4f) << scale;
  }
  MethodScene silent({.n_tx = 3, .n_rows = 4}, false, 1.0f, 0.0f);
  for (const int n_valid : {silent.size.n_samples, 1}) {
    silent.geometry.n_valid = n_valid;
    for (const float value : image_of(CpuKernel::automatic, 1, silent, slsc(5, 1))) EXPECT_EQ(value, 0.0f);
  }
}

// Samples from 1e-25 to 1e25 along each line: the rows around a pixel differ by many orders of magnitude.
TEST(SlscRows, OfALevelThatRisesSteeplyAreNumbers) {
  MethodScene scene({.n_tx = 2, .n_rows = 12}, false, 1.0f, 1.0f);
  for (std::size_t i = 0; i < scene.lines.size(); ++i) {
    const auto sample = static_cast<float>(i % static_cast<std::size_t>(scene.size.n_samples));
    scene.lines[i] = std::pow(10.0f, sample / 220.0f * 50.0f - 25.0f) * scene.lines[i];
  }
  for (const float value : image_of(CpuKernel::automatic, 2, scene, slsc(8, 5))) ASSERT_LE(std::abs(value), 1.0f);
  for (const float value : image_by_functor(scene, slsc(8, 5))) ASSERT_LE(std::abs(value), 1.0f);
}

}  // namespace
}  // namespace echoloop::slsc_rows_test
