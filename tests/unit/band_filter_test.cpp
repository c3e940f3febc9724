// The analytic recipe's filter: its response, and which tone select_band() leaves in each of the three kinds of data.
// The transforms here are plain sums written for this test.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "backend/plan.h"
#include "core/units.h"
#include "dsp/fir_design.h"
#include "support/acquisitions.h"

namespace echoloop::band_filter_test {
namespace {

using testing::linear_acquisition;
using testing::share;
using Value = std::complex<double>;

TEST(BandResponse, FlatOverTheInnerPartCosineToZero) {
  // 4..8 MHz: half width 2, flat to 6 +- 1.6, zero from 6 +- 2; half way down the flank (6 +- 1.8) it is 1/2.
  EXPECT_DOUBLE_EQ(band_response(6e6, 4e6, 8e6), 1.0);
  EXPECT_DOUBLE_EQ(band_response(4.4e6, 4e6, 8e6), 1.0);
  EXPECT_DOUBLE_EQ(band_response(7.6e6, 4e6, 8e6), 1.0);
  EXPECT_NEAR(band_response(4.2e6, 4e6, 8e6), 0.5, 1e-9);
  EXPECT_NEAR(band_response(7.8e6, 4e6, 8e6), 0.5, 1e-9);
  EXPECT_NEAR(band_response(7.7e6, 4e6, 8e6), 0.5 * (1.0 + std::sqrt(0.5)), 1e-9);  // a quarter down: cos(pi / 4)
  EXPECT_DOUBLE_EQ(band_response(4e6, 4e6, 8e6), 0.0);
  EXPECT_DOUBLE_EQ(band_response(8e6, 4e6, 8e6), 0.0);
  EXPECT_DOUBLE_EQ(band_response(-6e6, 4e6, 8e6), 0.0);
}

std::vector<Value> fourier(const std::vector<Value>& in, double sign) {
  const auto n = in.size();
  std::vector<Value> roots(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    roots[i] = std::polar(1.0, sign * 2.0 * kPi * static_cast<double>(i) / static_cast<double>(n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) out[k] += in[i] * roots[k * i % n];
  }
  return out;
}

// The conditioned line of one raw line, through BandPlan and select_band().
std::vector<Value> condition(const BandPlan& plan, std::vector<Value> raw) {
  raw.resize(static_cast<std::size_t>(plan.n_in));
  std::vector<Complex> spectrum;
  for (const Value& bin : fourier(raw, -1.0)) {
    spectrum.push_back({static_cast<float>(bin.real()), static_cast<float>(bin.imag())});
  }
  if (plan.input == SignalKind::rf)
    spectrum.resize(static_cast<std::size_t>(plan.n_in / 2 + 1));  // what a real transform gives
  std::vector<Value> selected;
  for (int m = 0; m < plan.n_out; ++m) {
    const Complex v =
        select_band(spectrum.data(), plan.response.data(), m, plan.n_in, plan.n_out, plan.bin_offset, plan.input);
    selected.emplace_back(v.re, v.im);
  }
  return fourier(selected, 1.0);
}

// Every line must be the tone's envelope, demodulated with demod_hz: exp(i 2 pi (f - demod_hz) t), t from sample 0.
void expect_tone(const BandPlan& plan, const std::vector<Value>& line, double f_hz) {
  // The record's ends ring (a tone cut off); its middle third must be right to 1 %, which is what the filter's ringing
  // over this distance leaves.
  for (int m = plan.n_valid / 3; m < 2 * plan.n_valid / 3; ++m) {
    const Value expected = std::polar(1.0, 2.0 * kPi * (f_hz - plan.demod_hz) * m / plan.line_rate_hz);
    EXPECT_LT(std::abs(line[static_cast<std::size_t>(m)] - expected), 0.01) << "sample " << m;
  }
}

std::shared_ptr<const BandPlan> band_of(const Acquisition& a, double low_hz, double high_hz) {
  ImagingParams p = testing::small_picture(a);
  p.formation.band_low_hz = low_hz;
  p.formation.band_high_hz = high_hz;
  return make_plan(share(a), p)->band;
}

std::vector<Value> cosine(const Acquisition& a, double f_hz) {
  std::vector<Value> line;
  for (int n = 0; n < a.n_samples; ++n) line.emplace_back(std::cos(2.0 * kPi * f_hz * n / a.sampling_hz), 0.0);
  return line;
}

TEST(SelectBand, OrdinaryRf) {
  const Acquisition a = linear_acquisition(2, 600);
  const auto plan = band_of(a, 2.5e6, 7.5e6);
  ASSERT_NEAR(plan->demod_hz, 5e6, a.sampling_hz / plan->n_in);
  for (const double f : {3.3e6, 5.0e6, 6.4e6}) expect_tone(*plan, condition(*plan, cosine(a, f)), f);
  const std::vector<Value> stopped = condition(*plan, cosine(a, 9.0e6));
  for (int m = plan->n_valid / 3; m < 2 * plan->n_valid / 3; ++m) {
    EXPECT_LT(std::abs(stopped[static_cast<std::size_t>(m)]), 0.01) << "sample " << m;
  }
}

TEST(SelectBand, BandpassSampledRf) {
  // fs = 4/3 fc: the band 3.33..6.67 MHz lies in the second Nyquist zone and reaches the spectrum mirrored. The true
  // frequency must come out, not its alias.
  Acquisition a = linear_acquisition(2, 600);
  a.sampling_hz = 20e6 / 3.0;
  const auto plan = band_of(a, 10e6 / 3.0, 20e6 / 3.0);
  for (const double f : {4.4e6, 5.0e6, 5.8e6}) expect_tone(*plan, condition(*plan, cosine(a, f)), f);
}

TEST(SelectBand, IqOfOneSideband) {
  Acquisition a = linear_acquisition(2, 600);
  a.signal = SignalKind::iq;
  a.demod_hz = 5e6;
  a.sampling_hz = 5e6;
  const auto plan = band_of(a, 3e6, 7e6);
  EXPECT_EQ(plan->input, SignalKind::iq);
  for (const double f : {3.8e6, 5.0e6, 6.1e6}) {
    std::vector<Value> line;
    for (int n = 0; n < a.n_samples; ++n) {
      line.push_back(std::polar(1.0, 2.0 * kPi * (f - a.demod_hz) * n / a.sampling_hz));
    }
    expect_tone(*plan, condition(*plan, line), f);
  }
}

TEST(SelectBand, ResponseScalesOnceForRfAndHalfForIq) {
  const Acquisition rf = linear_acquisition(2, 600);
  const auto plan = band_of(rf, 2.5e6, 7.5e6);
  EXPECT_NEAR(plan->response[0], 2.0 / plan->n_in, 1e-9);
  EXPECT_GE(plan->line_rate_hz, 3.99 * 5e6);  // about four samples a hertz of band, see make_plan.cpp
  EXPECT_NEAR(plan->line_rate_hz, rf.sampling_hz * plan->n_out / plan->n_in, 1e-6);
}

}  // namespace
}  // namespace echoloop::band_filter_test
