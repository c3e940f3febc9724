// The int16 window kernels of every instruction set that this processor has, against das_pixel() in double precision:
// relative L2 at most 5e-4 (what int16 leaves is 1e-4 to 3e-4), for all arrays, transmits, grids and windows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backend/cpu/cpu_steps.h"
#include "support/acquisitions.h"
#include "support/das_double.h"

namespace echoloop::das_window_test {
namespace {

using namespace testing;

class DasWindow : public ::testing::TestWithParam<CpuKernel> {
 protected:
  void SetUp() override {
    if (!has_cpu_kernel(GetParam())) GTEST_SKIP() << "this processor does not have it";
  }
};

std::vector<Complex> noise_lines(const Plan& plan) {
  const DasGeometry& g = plan.das->geometry;
  const std::size_t n = static_cast<std::size_t>(g.n_tx * g.n_el) * static_cast<std::size_t>(g.n_line);
  const std::vector<float> values = testing::noise(2 * n, 7);
  std::vector<Complex> lines(n);
  for (std::size_t i = 0; i < n; ++i) lines[i] = {values[2 * i], values[2 * i + 1]};
  return lines;
}

std::vector<float> peaks_of(const Plan& plan, const std::vector<Complex>& lines) {
  const DasGeometry& g = plan.das->geometry;
  std::vector<float> peaks(static_cast<std::size_t>(g.n_tx * g.n_el), 0.0f);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    float& peak = peaks[i / static_cast<std::size_t>(g.n_line)];
    if (static_cast<int>(i % static_cast<std::size_t>(g.n_line)) >= g.n_valid) continue;
    peak = std::max({peak, std::abs(lines[i].re), std::abs(lines[i].im)});
  }
  return peaks;
}

std::vector<Complex> window_image(const Plan& plan, const std::vector<Complex>& lines, CpuKernel kernel,
                                  int threads = 2) {
  const CpuKernels& kernels = cpu_kernels(kernel);
  WorkerPool pool(threads);
  WindowDas das;
  std::vector<Complex> image(plan.grid.pixels(), Complex{1e30f, 1e30f});
  EXPECT_TRUE(das.set_plan(plan.das, threads));
  EXPECT_TRUE(das.quantise(pool, *kernels.steps, lines.data(), peaks_of(plan, lines).data()));
  das.run(pool, kernels.das_tile, image.data());
  return image;
}

double relative_error(const Plan& plan, const std::vector<Complex>& lines, const std::vector<Complex>& image) {
  double off = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto [iz, ix] = std::div(static_cast<int>(i), plan.grid.nx);
    const std::complex<double> truth = testing::das_pixel_double(plan, lines, ix, iz);
    off += std::norm(std::complex<double>(image[i].re, image[i].im) - truth);
    energy += std::norm(truth);
  }
  EXPECT_GT(energy, 0.0) << "the picture is empty";
  return std::sqrt(off / energy);
}

void expect_image(const Acquisition& a, const ImagingParams& params, CpuKernel kernel) {
  const auto plan = make_plan(share(a), params);
  const std::vector<Complex> lines = noise_lines(*plan);
  EXPECT_LE(relative_error(*plan, lines, window_image(*plan, lines, kernel)), 5e-4);
}

ImagingParams picture(const Acquisition& a, int nx, int nz, double f_number = 0.0) {
  ImagingParams p = testing::small_picture(a, nx, nz);
  p.formation.f_number = f_number;
  return p;
}

TEST_P(DasWindow, EveryWindowAndFNumber) {
  const Acquisition a = linear_acquisition(24, 256, {-5.0, 5.0});
  for (const Apodization window :
       {Apodization::boxcar, Apodization::hann, Apodization::hamming, Apodization::tukey, Apodization::gauss}) {
    for (const double f_number : {0.0, 1.5}) {
      ImagingParams p = picture(a, 37, 40, f_number);
      p.formation.apodization = window;
      SCOPED_TRACE(::testing::Message() << "window " << static_cast<int>(window) << " F " << f_number);
      expect_image(a, p, GetParam());
      p.formation.directivity = Directivity::on;
      expect_image(a, p, GetParam());
    }
  }
}

TEST_P(DasWindow, OddSizes) {
  for (const int n_elements : {1, 3, 17, 33}) {
    for (const int nx : {1, 2, 7, 31, 65}) {
      const Acquisition a = linear_acquisition(n_elements, 201);
      SCOPED_TRACE(::testing::Message() << n_elements << " elements, " << nx << " columns");
      expect_image(a, picture(a, nx, 13), GetParam());
    }
  }
}

// A grid beside the array's middle has no mirror image.
TEST_P(DasWindow, GridToOneSide) {
  const Acquisition a = linear_acquisition(32, 300, {-7.0, 3.0});
  ImagingParams p = picture(a, 51, 30, 1.0);
  p.formation.lateral_min_m = -3.1e-3;
  p.formation.lateral_max_m = 7.7e-3;
  expect_image(a, p, GetParam());
}

TEST_P(DasWindow, AnyNumberOfTransmits) {
  for (const int n_tx : {1, 2, 4, 5, 7, 11}) {
    std::vector<double> degrees;
    for (int t = 0; t < n_tx; ++t) degrees.push_back(t * 2.0 - 5.0);
    const Acquisition a = linear_acquisition(20, 220, degrees);
    SCOPED_TRACE(n_tx);
    expect_image(a, picture(a, 33, 21, 1.5), GetParam());
  }
}

TEST_P(DasWindow, DivergingFocusedAndExplicitDelays) {
  Acquisition a = linear_acquisition(32, 400, {0.0, 0.0, 0.0});
  a.probe.kind = ProbeKind::phased;
  a.transmits[0].kind = TransmitKind::diverging;
  a.transmits[0].source_x_m = 2e-3;
  a.transmits[0].source_z_m = -8e-3;
  a.transmits[1].kind = TransmitKind::focused;
  a.transmits[1].source_x_m = -1e-3;
  a.transmits[1].source_z_m = 9e-3;
  a.transmits[2].kind = TransmitKind::delays;
  for (int e = 0; e < 32; ++e) a.transmits[2].element_delays_s.push_back(e % 5 == 0 ? std::nan("") : 2e-8 * e);
  a.transmits[1].t0_s = 3e-7;
  expect_image(a, picture(a, 45, 60), GetParam());
  expect_image(a, picture(a, 45, 60, 1.0), GetParam());
}

TEST_P(DasWindow, CurvedArrayWithDirectivityAndPixelsBehindTheChord) {
  const Acquisition a = convex_acquisition(40, 500);
  ImagingParams p = picture(a, 41, 37, 1.2);
  p.formation.depth_min_m = -3e-3;
  p.formation.directivity = Directivity::on;
  expect_image(a, p, GetParam());
  p.formation.f_number = 0.0;
  p.formation.apodization = Apodization::hann;
  expect_image(a, p, GetParam());
}

TEST_P(DasWindow, SectorsOfPhasedArrays) {
  const Acquisition a = phased_acquisition();
  for (const int n_lines : {1, 2, 31, 64}) {
    for (const double f_number : {0.0, 1.0}) {
      ImagingParams p = small_sector(a, n_lines, 30);
      p.formation.f_number = f_number;
      SCOPED_TRACE(::testing::Message() << n_lines << " lines, F " << f_number);
      expect_image(a, p, GetParam());
      p.formation.sector_min_rad = -0.3;  // no mirror image
      expect_image(a, p, GetParam());
      p.formation.apodization = Apodization::hann;
      expect_image(a, p, GetParam());
    }
  }
}

TEST_P(DasWindow, SectorsOfCurvedArrays) {
  const Acquisition a = convex_acquisition(40, 500);
  for (const double f_number : {0.0, 1.2}) {
    ImagingParams p = small_sector(a, 41, 37);
    p.formation.f_number = f_number;
    expect_image(a, p, GetParam());
    p.formation.sector_max_rad = 0.2;
    p.formation.directivity = Directivity::on;
    expect_image(a, p, GetParam());
  }
}

TEST_P(DasWindow, IqInput) {
  Acquisition a = linear_acquisition(16, 200, {-4.0, 4.0});
  a.signal = SignalKind::iq;
  a.demod_hz = 4.7e6;
  a.transmits[1].t0_s = 1.3e-6;
  expect_image(a, picture(a, 33, 30, 1.0), GetParam());
}

// From pixels so near that one register holds their samples to pixels too far apart for any window.
TEST_P(DasWindow, AnyPixelPitch) {
  const Acquisition a = linear_acquisition(48, 800, {-10.0, 8.0});
  for (const double half_width_m : {0.2e-3, 2e-3, 6e-3, 20e-3, 60e-3, 200e-3}) {
    ImagingParams p = picture(a, 48, 24);
    p.formation.lateral_min_m = -half_width_m;
    p.formation.lateral_max_m = half_width_m;
    SCOPED_TRACE(half_width_m);
    expect_image(a, p, GetParam());
  }
}

// Windows over both ends of the record, pixels wholly outside, and nothing read beside a line.
TEST_P(DasWindow, EndsOfTheRecord) {
  for (const double t0_s : {-4e-6, 0.0, 6e-6}) {
    Acquisition a = linear_acquisition(24, 160, {-6.0, 6.0});
    for (Transmit& t : a.transmits) t.t0_s = t0_s;
    ImagingParams p = picture(a, 40, 64);
    p.formation.depth_min_m = 0.3e-3;
    p.formation.depth_max_m = 12e-3;
    SCOPED_TRACE(t0_s);
    expect_image(a, p, GetParam());
  }
  const Acquisition a = linear_acquisition(8, 64);
  ImagingParams p = picture(a, 9, 9);
  p.formation.depth_min_m = 0.2;
  p.formation.depth_max_m = 0.5;
  const auto plan = make_plan(share(a), p);
  for (const Complex v : window_image(*plan, noise_lines(*plan), GetParam())) {
    EXPECT_EQ(std::hypot(v.re, v.im), 0.0f);
  }
}

// One scatterer: all the energy of the lines in a few samples, the image in a few pixels.
TEST_P(DasWindow, PointScatterer) {
  const Acquisition a = linear_acquisition(32, 400, {-6.0, 0.0, 6.0});
  const auto plan = make_plan(share(a), picture(a, 64, 80));
  const DasGeometry& g = plan->das->geometry;
  std::vector<Complex> lines(static_cast<std::size_t>(g.n_tx * g.n_el * g.n_line), Complex{0.0f, 0.0f});
  for (int t = 0; t < g.n_tx; ++t) {
    for (int e = 0; e < g.n_el; ++e) {
      const double x = 1e-3, z = 8e-3;
      const double delay_s = transmit_delay_s(a.transmits[static_cast<std::size_t>(t)], a.probe, x, z, 1540.0) +
                             std::hypot(x - a.probe.elements[static_cast<std::size_t>(e)].x_m, z) / 1540.0;
      for (int n = 0; n < g.n_valid; ++n) {
        const double late_s = n / plan->band->line_rate_hz - delay_s;
        const double size = 5e-11 * std::exp(-std::pow(late_s / 0.2e-6, 2));  // as small as simulated echoes may be
        const double phase = -2.0 * kPi * plan->band->demod_hz * delay_s;
        lines[static_cast<std::size_t>((t * g.n_el + e) * g.n_line + n)] = {static_cast<float>(size * std::cos(phase)),
                                                                            static_cast<float>(size * std::sin(phase))};
      }
    }
  }
  EXPECT_LE(relative_error(*plan, lines, window_image(*plan, lines, GetParam())), 5e-4);
}

// The greatest sum there can be: 16 elements side by side hear the same full-scale phasor. It must not overflow.
TEST_P(DasWindow, FullScaleInPhaseFitsTheIntegerSums) {
  Acquisition a = linear_acquisition(16, 400);
  for (Element& e : a.probe.elements) e.x_m *= 1e-4;
  ImagingParams p = picture(a, 21, 400);
  p.formation.lateral_min_m = -1e-5;
  p.formation.lateral_max_m = 1e-5;
  const auto plan = make_plan(share(a), p);
  for (const float sign : {1.0f, -1.0f}) {
    const std::vector<Complex> lines(noise_lines(*plan).size(), Complex{sign, 1.0f});
    EXPECT_LE(relative_error(*plan, lines, window_image(*plan, lines, GetParam())), 5e-4);
  }
}

TEST_P(DasWindow, ThreadsDoNotMatter) {
  const Acquisition a = linear_acquisition(24, 256, {-5.0, 5.0});
  const auto plan = make_plan(share(a), picture(a, 67, 45, 1.5));
  const std::vector<Complex> lines = noise_lines(*plan);
  const std::vector<Complex> one = window_image(*plan, lines, GetParam(), 1);
  for (const int threads : {2, 3, 7}) {
    const std::vector<Complex> many = window_image(*plan, lines, GetParam(), threads);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_TRUE(many[i].re == one[i].re && many[i].im == one[i].im) << threads << " threads, pixel " << i;
    }
  }
}

TEST_P(DasWindow, RefusesWhatHasNoScale) {
  const Acquisition a = linear_acquisition(4, 100);
  const auto plan = make_plan(share(a), picture(a, 8, 8));
  WorkerPool pool(1);
  WindowDas das;
  ASSERT_TRUE(das.set_plan(plan->das, 1));
  const std::vector<Complex> lines = noise_lines(*plan);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float peak : {0.0f, kNan, kInfinity, 1e-36f}) {
    const std::vector<float> peaks = {0.0f, peak, 0.0f, 0.0f};
    EXPECT_FALSE(das.quantise(pool, *cpu_kernels(GetParam()).steps, lines.data(), peaks.data())) << peak;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, DasWindow, ::testing::Values(CpuKernel::avx2, CpuKernel::avx512),
                         [](const auto& info) { return info.param == CpuKernel::avx2 ? "avx2" : "avx512"; });

}  // namespace
}  // namespace echoloop::das_window_test
