// The matrices of the tuned path's filter, read as the kernel reads them, against the filter's specification.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/units.h"
#include "dsp/packed_fir.h"
#include "support/packed_case.h"

namespace echoloop::packed_taps_test {
namespace {

using Case = testing::PackedCase;

PackedFir filter(const Case& c) { return design_packed_fir(testing::packed_spec(c, c.input_hz)); }  // no turning

double half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double mantissa = bits & 1023U;
  const double v = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024.0, exponent - 25);
  return (bits & 0x8000U) != 0 ? -v : v;
}

// Part (0: real, 1: imaginary) of the matrix's element for a stretch's value and an output.
double element(const PackedTaps& taps, int shift, int value, int output, int part) {
  const int lane = 4 * output + value % 8 / 2;
  const int word = ((shift * taps.n_steps + value / kTapStep) * 32 + lane) * 4 + 2 * part + value % kTapStep / 8;
  return half_value(taps.matrices[static_cast<std::size_t>(word)] >> (value % 2 * 16) & 0xffffU) /
         static_cast<double>(taps.scale);
}

class PackedTapMatrices : public ::testing::TestWithParam<Case> {};

TEST_P(PackedTapMatrices, MultiplyToTheSpecification) {
  const PackedFir fir = filter(GetParam());
  const PackedTaps taps = make_packed_taps(fir);
  constexpr int kSamples = 300;
  std::vector<float> x;
  for (int i = 0; i < kSamples * fir.components; ++i) x.push_back(static_cast<float>(std::sin(0.1 * i * i)));
  const int n_out = kSamples * fir.interpolation / fir.decimation;
  const std::vector<Complex> want = packed_fir_line(fir, {.x = x.data(), .n_samples = kSamples, .mean = 0.0}, n_out);
  for (const int shift : {0, 1, 6}) {
    const int n_stretch = kTapStep * taps.n_steps;
    std::vector<double> line(static_cast<std::size_t>(n_out * kChunk * taps.block_chunks + n_stretch), 0.0);
    for (int v = 0; v < static_cast<int>(x.size()); ++v) {
      const int place = v / fir.components * taps.spread * fir.components + v % fir.components;
      const auto at = static_cast<std::size_t>(kChunk * taps.front + shift + place);
      if (at < line.size()) line[at] = static_cast<double>(x[static_cast<std::size_t>(v)]);
    }
    double off = 0.0, norm = 0.0;
    for (int m = 0; m < n_out; ++m) {
      const int first = m / kFirBlock * kChunk * taps.block_chunks;
      std::complex<double> sum = 0.0;
      for (int k = 0; k < n_stretch; ++k) {
        sum +=
            line[static_cast<std::size_t>(first + k)] *
            std::complex<double>(element(taps, shift, k, m % kFirBlock, 0), element(taps, shift, k, m % kFirBlock, 1));
      }
      const double turns = fir.turns_per_sample * m;
      sum *= std::polar(1.0, -2.0 * kPi * turns);
      const Complex& w = want[static_cast<std::size_t>(m)];
      off += std::norm(sum - std::complex<double>(static_cast<double>(w.re), static_cast<double>(w.im)));
      norm += std::norm(sum);
    }
    EXPECT_LT(std::sqrt(off / norm), 4e-4) << shift;  // halves of taps
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, PackedTapMatrices,
                         ::testing::Values(Case{"RfKept", 20e6, 1, 1, 0.0}, Case{"RfDecimated", 80e6, 4, 1, 0.0},
                                           Case{"RfRaised", 15e6, 1, 2, 0.0}, Case{"IqDecimated", 64e6, 4, 1, 4.9e6},
                                           Case{"IqRaised", 10e6, 1, 2, 4.9e6},
                                           Case{"IqRaisedFourfold", 5e6, 1, 4, 4.9e6}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace echoloop::packed_taps_test
