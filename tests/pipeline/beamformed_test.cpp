// An image that came beamformed is shown as it is: every pixel is the envelope of its own column, whatever the
// aperture is set to.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "core/error.h"
#include "support/streaming.h"

namespace echoloop::beamformed_test {
namespace {

constexpr int kColumns = 48, kRows = 160;
constexpr double kColumnStep = 0.2e-3, kRowStep = 0.05e-3, kDepth = 4e-3;

struct Formed {
  Acquisition acquisition;
  std::vector<float> values;  // [column][row], I and Q
};

// Noise as smooth along z as a pulse makes it, with a bright column: what leaks into others would be seen.
Formed formed_picture() {
  Formed f;
  Acquisition& a = f.acquisition;
  a.data = DataKind::beamformed;
  a.probe = make_linear_probe("", kColumns, kColumnStep);
  a.transmits.resize(1);
  a.transmits[0].t0_s = 2.0 * kDepth / a.sound_speed_m_s;
  a.n_samples = kRows;
  a.signal = SignalKind::iq;
  a.sampling_hz = 0.5 * a.sound_speed_m_s / kRowStep;
  a.center_hz = a.demod_hz = 5e6;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int c = 0; c < kColumns; ++c) {
    std::complex<double> v;
    for (int r = 0; r < kRows; ++r) {
      v = 0.8 * v + std::complex(normal(random), normal(random)) * (c == 20 ? 30.0 : 1.0);
      f.values.push_back(static_cast<float>(v.real()));
      f.values.push_back(static_cast<float>(v.imag()));
    }
  }
  return f;
}

testing::Picture picture_of(const Formed& f, const ImagingParams& params) {
  const std::vector<std::vector<std::byte>> frames = {testing::to_bytes(f.values)};
  const auto source = std::make_shared<testing::FrameList>(testing::share(f.acquisition), frames);
  return testing::process({.source = source, .params = params}).at(0);
}

TEST(Beamformed, IsShownPixelByPixel) {
  const Formed f = formed_picture();
  ImagingParams params = default_params(f.acquisition);
  params.level.reference_db = 0.0;
  const testing::Picture picture = picture_of(f, params);
  ASSERT_EQ(picture.grid.nx, kColumns);
  ASSERT_EQ(picture.grid.nz, kRows);  // the last one too
  EXPECT_DOUBLE_EQ(picture.grid.x0_m, f.acquisition.probe.elements[0].x_m);
  EXPECT_NEAR(picture.grid.z0_m, kDepth, 1e-9);
  EXPECT_NEAR(picture.grid.dz_m(), kRowStep, 1e-9);
  double mean = 0.0, squares = 0.0;
  int n = 0;
  for (int c = 0; c < kColumns; ++c) {
    for (int r = 0; r < kRows; ++r) {
      const float* const iq = &f.values[static_cast<std::size_t>(2 * (c * kRows + r))];
      const double magnitude = std::hypot(iq[0], iq[1]);
      if (magnitude < 0.3) continue;
      const double off = static_cast<double>(picture.at(c, r)) - 20.0 * std::log10(magnitude);
      mean += off, squares += off * off, ++n;
    }
  }
  mean /= n;
  const double rms = std::sqrt(squares / n - mean * mean);
  std::printf("beamformed columns against their own envelope: rms %.3f dB, level %.3f dB\n", rms, mean);
  EXPECT_LT(rms, 0.05);
  EXPECT_NEAR(mean, 0.0, 0.01);
}

TEST(Beamformed, HasNoApertureAndNoFilter) {
  const Formed f = formed_picture();
  ImagingParams params = default_params(f.acquisition);
  params.level.reference_db = 0.0;
  const std::vector<float> as_it_is = picture_of(f, params).db;
  params.formation.f_number = 0.0;
  params.formation.apodization = Apodization::hann;
  params.formation.directivity = Directivity::on;
  params.formation.band_low_hz = 4e6, params.formation.band_high_hz = 6e6;
  EXPECT_EQ(picture_of(f, params).db, as_it_is);
}

TEST(Beamformed, NeedsEvenColumns) {
  Acquisition a = formed_picture().acquisition;
  a.validate("x");
  Acquisition uneven = a;
  uneven.probe.elements[3].x_m += 0.5 * kColumnStep;
  EXPECT_THROW(uneven.validate("x"), Error);
  Acquisition rounded = a;  // places in micrometres
  for (Element& column : rounded.probe.elements) column.x_m = std::round(column.x_m * 1e6) * 1e-6;
  rounded.probe.pitch_m = (rounded.probe.elements.back().x_m - rounded.probe.elements.front().x_m) / (kColumns - 1);
  EXPECT_NO_THROW(rounded.validate("x"));
  Acquisition two = a;
  two.transmits.resize(2);
  EXPECT_THROW(two.validate("x"), Error);
  Acquisition rf = a;
  rf.signal = SignalKind::rf;
  EXPECT_THROW(rf.validate("x"), Error);
  Acquisition steered = a;
  steered.transmits[0].angle_rad = 0.1;
  EXPECT_THROW(steered.validate("x"), Error);
  Acquisition reversed = a;
  std::swap(reversed.probe.elements.front(), reversed.probe.elements.back());
  EXPECT_THROW(reversed.validate("x"), Error);
}

}  // namespace
}  // namespace echoloop::beamformed_test
