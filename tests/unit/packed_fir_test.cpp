// The tuned path's filters against what they stand for: the band of dsp/fir_design.h, moved to baseband, with the gain
// that linear interpolation takes away later.
#include "dsp/packed_fir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "core/units.h"
#include "support/packed_case.h"

namespace echoloop::packed_fir_test {
namespace {

using Value = std::complex<double>;

using Case = testing::PackedCase;

PackedFirSpec spec_of(const Case& c) { return testing::packed_spec(c, 5.01e6); }

double line_rate(const Case& c) { return c.sampling_hz * c.interpolation / c.decimation; }

// A wave of frequency f and amplitude 1 through the filter: the amplitude in the middle of the line, referred to the
// demodulated wave's own phase.
Value response(const Case& c, double f_hz) {
  constexpr int kSamples = 1200;
  const PackedFir fir = design_packed_fir(spec_of(c));
  std::vector<float> x;
  for (int n = 0; n < kSamples; ++n) {
    const double phase = 2.0 * kPi * (f_hz - c.input_hz) * n / c.sampling_hz;
    x.push_back(static_cast<float>(std::cos(phase)));
    if (c.input_hz > 0.0) x.push_back(static_cast<float>(std::sin(phase)));
  }
  const int middle = static_cast<int>(0.5 * kSamples * line_rate(c) / c.sampling_hz);
  const std::vector<Complex> y = packed_fir_line(fir, {.x = x.data(), .n_samples = kSamples, .mean = 0.0}, middle + 1);
  const Value at(static_cast<double>(y.back().re), static_cast<double>(y.back().im));
  return at * std::polar(1.0, -2.0 * kPi * (f_hz - spec_of(c).demod_hz) * middle / line_rate(c));
}

class PackedFirs : public ::testing::TestWithParam<Case> {};

TEST_P(PackedFirs, KeepTheMiddleOfTheBandAndGiveBackTheDroop) {
  const Case& c = GetParam();
  for (const double f : {3.9e6, 5.0e6, 6.1e6}) {
    const double v = kPi * (f - 5e6) / line_rate(c);
    const double droop = v == 0.0 ? 1.0 : std::pow(std::sin(v) / v, 2);
    // The truncated series ripples by 1 %.
    EXPECT_NEAR(std::abs(response(c, f) * droop - 1.0), 0.0, 0.02) << f;
  }
}

TEST_P(PackedFirs, TakeAwayWhatIsOutside) {
  const Case& c = GetParam();
  for (const double f : {1.5e6, 2.4e6, 7.6e6}) EXPECT_LT(std::abs(response(c, f)), 0.02) << f;
}

TEST_P(PackedFirs, NeverExceedTheirBound) {
  const Case& c = GetParam();
  const PackedFir fir = design_packed_fir(spec_of(c));
  // The worst line for one output sample: each sample with the sign of its tap.
  constexpr int kSamples = 300;
  std::vector<float> x(static_cast<std::size_t>(kSamples * fir.components));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i * 2654435761U % 7 < 3 ? 1.0f : -1.0f;
  const int n_out = static_cast<int>(kSamples * line_rate(c) / c.sampling_hz);
  const double bound = static_cast<double>(fir.gain_bound) * fir.components;
  for (const Complex& y : packed_fir_line(fir, {.x = x.data(), .n_samples = kSamples, .mean = 0.0}, n_out)) {
    EXPECT_LE(std::hypot(static_cast<double>(y.re), static_cast<double>(y.im)), bound);
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, PackedFirs,
                         ::testing::Values(Case{"RfKept", 20e6, 1, 1, 0.0}, Case{"RfDecimated", 80e6, 4, 1, 0.0},
                                           Case{"IqRaised", 10e6, 1, 2, 4.9e6}, Case{"IqKept", 16e6, 1, 1, 4.9e6}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace echoloop::packed_fir_test
