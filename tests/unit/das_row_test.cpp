// The CPU's rows against the specification das_pixel(), for all windows, F-numbers, odd sizes, transmits and arrays.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/cpu/cpu_steps.h"
#include "backend/plan.h"
#include "support/acquisitions.h"

namespace echoloop::das_row_test {
namespace {

using namespace testing;

std::vector<Complex> random_lines(const Plan& plan) {
  const DasGeometry& g = plan.das->geometry;
  const auto n =
      static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(g.n_el) * static_cast<std::size_t>(g.n_line);
  const std::vector<float> values = testing::noise(2 * n, 7);
  std::vector<Complex> lines(n);
  for (std::size_t i = 0; i < n; ++i) lines[i] = {values[2 * i], values[2 * i + 1]};
  return lines;
}

// das_row() chooses at run time: the version for machines without AVX2 must be asked for by name.
constexpr decltype(&das_row) kVersions[] = {&das_row, &portable::das_row};

// Both sum in the same order; what remains are fused multiply-adds and where the rounding of a position falls:
// 1e-5 of the image's energy, 1e-4 of its largest value at any pixel.
// A sector of a curved array counts from its apex: paths are shorter by the radius, 650 samples, and have fewer digits.
void expect_rows_equal_pixels(decltype(&das_row) version, const DasGeometry& g, const std::vector<Complex>& lines) {
  const double tolerance = g.apex_z_m < 0.0f ? 3e-4 : 1e-5;
  std::vector<Complex> row(static_cast<std::size_t>(g.nx));
  std::vector<float> scratch(row_scratch(g.nx, g.n_tx));
  double energy = 0.0, difference = 0.0, largest = 0.0, worst = 0.0;
  for (int iz = 0; iz < g.nz; ++iz) {
    version(g, lines.data(), iz, scratch.data(), row.data());
    for (int ix = 0; ix < g.nx; ++ix) {
      const Complex expected = das_pixel(g, lines.data(), ix, iz);
      const Complex found = row[static_cast<std::size_t>(ix)];
      const double size = std::hypot(expected.re, expected.im);
      const double off = std::hypot(found.re - expected.re, found.im - expected.im);
      energy += size * size;
      difference += off * off;
      largest = std::max(largest, size);
      worst = std::max(worst, off);
    }
  }
  ASSERT_GT(energy, 0.0) << "the picture is empty";
  EXPECT_LE(std::sqrt(difference / energy), tolerance);
  EXPECT_LE(worst, 10.0 * tolerance * largest);
}

void expect_rows_equal_pixels(const Acquisition& acquisition, const ImagingParams& params) {
  const auto plan = make_plan(share(acquisition), params);
  const std::vector<Complex> lines = random_lines(*plan);
  for (const decltype(&das_row) version : kVersions) expect_rows_equal_pixels(version, plan->das->geometry, lines);
}

ImagingParams picture(const Acquisition& a, int nx, int nz, double f_number, Apodization window) {
  ImagingParams p = testing::small_picture(a, nx, nz);
  p.formation.f_number = f_number;
  p.formation.apodization = window;
  return p;
}

TEST(DasRow, EveryWindowAndFNumber) {
  const Acquisition a = linear_acquisition(16, 256, {-5.0, 5.0});
  for (const Apodization window :
       {Apodization::boxcar, Apodization::hann, Apodization::hamming, Apodization::tukey, Apodization::gauss}) {
    for (const double f_number : {0.0, 1.5}) {
      SCOPED_TRACE(::testing::Message() << "window " << static_cast<int>(window) << " F " << f_number);
      expect_rows_equal_pixels(a, picture(a, 32, 40, f_number, window));
    }
  }
}

TEST(DasRow, OddSizes) {
  for (const int n_elements : {1, 3, 17}) {
    for (const int nx : {1, 2, 7, 31, 65}) {
      const Acquisition a = linear_acquisition(n_elements, 101);
      SCOPED_TRACE(::testing::Message() << n_elements << " elements, " << nx << " columns");
      expect_rows_equal_pixels(a, picture(a, nx, 13, 0.0, Apodization::boxcar));
    }
  }
}

TEST(DasRow, MoreTransmitsThanOneGroup) {
  static_assert(kTransmitGroup == 4);
  for (const std::size_t n_tx : {3U, 4U, 5U, 9U}) {
    std::vector<double> degrees;
    for (std::size_t t = 0; t < n_tx; ++t) degrees.push_back(static_cast<double>(t) * 2.0 - 5.0);
    const Acquisition a = linear_acquisition(12, 200, degrees);
    SCOPED_TRACE(n_tx);
    expect_rows_equal_pixels(a, picture(a, 33, 21, 1.5, Apodization::hann));
  }
}

TEST(DasRow, CurvedArrayWithDirectivityAndPixelsBehindTheChord) {
  const Acquisition a = convex_acquisition(32, 400);
  ImagingParams p = picture(a, 41, 37, 1.2, Apodization::boxcar);
  p.formation.depth_min_m = -3e-3;
  p.formation.directivity = Directivity::on;
  expect_rows_equal_pixels(a, p);
  p.formation.f_number = 0.0;
  expect_rows_equal_pixels(a, p);
}

TEST(DasRow, Sectors) {
  for (const double f_number : {0.0, 1.2}) {
    ImagingParams p = small_sector(phased_acquisition(), 37, 41);
    p.formation.f_number = f_number;
    expect_rows_equal_pixels(phased_acquisition(), p);
    p = small_sector(convex_acquisition(32, 400), 33, 40);
    p.formation.f_number = f_number;
    p.formation.directivity = Directivity::on;
    expect_rows_equal_pixels(convex_acquisition(32, 400), p);
  }
}

// Line by line: columns against pixels.
TEST(DasRow, ColumnsOfScanLines) {
  for (const int extra : {0, 1}) {  // with a second transmit on one line
    Acquisition a = scan_line_acquisition();
    if (extra > 0) a.transmits.push_back(a.transmits[4]);
    ImagingParams p = small_sector(a, 0, 60);
    p.formation.f_number = extra > 0 ? 1.0 : 0.0;
    const auto plan = make_plan(share(a), p);
    const DasGeometry& g = plan->das->geometry;
    ASSERT_NE(g.columns, nullptr);
    ASSERT_EQ(g.nx, 9);
    ASSERT_EQ(g.n_tx, 1 + extra);
    const std::vector<float> values =
        testing::noise(a.transmits.size() * 32U * static_cast<std::size_t>(g.n_line) * 2, 3);
    std::vector<Complex> lines;
    for (std::size_t i = 0; i < values.size(); i += 2) lines.push_back({values[i], values[i + 1]});
    std::vector<Complex> image(plan->grid.pixels(), Complex{1, 1});
    std::vector<float> scratch(row_scratch(g.nz, g.n_tx));
    double energy = 0.0, off = 0.0;
    for (const auto column : {&das_column, &portable::das_column}) {
      for (int ix = 0; ix < g.nx; ++ix) column(g, lines.data(), ix, scratch.data(), image.data());
      for (int i = 0; i < g.nx * g.nz; ++i) {
        const Complex want = das_pixel(g, lines.data(), i % g.nx, i / g.nx);
        const Complex got = image[static_cast<std::size_t>(i)];
        energy += std::pow(std::hypot(want.re, want.im), 2);
        off += std::pow(std::hypot(got.re - want.re, got.im - want.im), 2);
      }
    }
    ASSERT_GT(energy, 0.0);
    EXPECT_LE(std::sqrt(off / energy), 2e-4);  // delays that count from the first row have fewer digits
  }
}

TEST(DasRow, PixelsBeyondTheRecordAreZeroNotRubbish) {
  const Acquisition a = linear_acquisition(8, 64);
  ImagingParams p = picture(a, 9, 9, 0.0, Apodization::boxcar);
  p.formation.depth_min_m = 0.2;
  p.formation.depth_max_m = 0.5;
  const auto plan = make_plan(share(a), p);
  std::vector<float> scratch(row_scratch(9, 1));
  std::vector<Complex> row(9, Complex{1, 1});
  das_row(plan->das->geometry, random_lines(*plan).data(), 4, scratch.data(), row.data());
  for (const Complex v : row) EXPECT_EQ(std::hypot(v.re, v.im), 0.0f);
}

// A line of a single usable sample has no neighbour to interpolate with: nothing may be read beside it.
TEST(DasRow, LinesOfOneUsableSampleContributeNothing) {
  Acquisition a = linear_acquisition(4, 2);
  ImagingParams p = picture(a, 5, 5, 0.0, Apodization::boxcar);
  p.formation.band_low_hz = 4.9e6;
  p.formation.band_high_hz = 5.1e6;
  const auto plan = make_plan(share(a), p);
  ASSERT_LT(plan->das->geometry.n_valid, 2);
  std::vector<float> scratch(row_scratch(5, 1));
  std::vector<Complex> row(5, Complex{1, 1});
  const std::vector<Complex> lines = random_lines(*plan);
  for (const decltype(&das_row) version : kVersions) {
    for (int iz = 0; iz < 5; ++iz) {
      version(plan->das->geometry, lines.data(), iz, scratch.data(), row.data());
      for (const Complex v : row) EXPECT_EQ(std::hypot(v.re, v.im), 0.0f);
    }
  }
}

}  // namespace
}  // namespace echoloop::das_row_test
