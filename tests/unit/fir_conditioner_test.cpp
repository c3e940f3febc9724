// Conditioning by filters against conditioning by FFT, the specification: the same lines to the filters' -70 dB and the
// cut of their impulse response.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/cpu_steps.h"
#include "support/acquisitions.h"

namespace echoloop::fir_conditioner_test {
namespace {

using testing::linear_acquisition;
using testing::to_bytes;

class Filters : public ::testing::TestWithParam<CpuKernel> {
 protected:
  void SetUp() override {
    if (!has_cpu_kernel(GetParam())) GTEST_SKIP() << "this processor does not have it";
  }

  struct Result {
    std::vector<Complex> lines;
    std::vector<float> peaks;
  };

  [[nodiscard]] Result filtered(const Plan& plan, const std::vector<std::byte>& frame) const {
    const Acquisition& a = *plan.acquisition;
    WorkerPool pool(2);
    FirConditioner filters;
    EXPECT_TRUE(filters.set_plan(plan.band, a.sampling_hz, *cpu_kernels(GetParam()).steps, 2));
    const int n_lines = a.n_elements() * a.n_transmits();
    Result r{std::vector<Complex>(static_cast<std::size_t>(n_lines * plan.band->n_out)),
             std::vector<float>(static_cast<std::size_t>(n_lines))};
    InvalidSamples invalid;
    invalid.begin(a.n_elements());
    filters.run(pool, frame, a.sample_type, n_lines, {r.lines.data(), r.peaks.data()}, invalid);
    return r;
  }
};

std::vector<Complex> transformed(const Plan& plan, const std::vector<std::byte>& frame) {
  const Acquisition& a = *plan.acquisition;
  WorkerPool pool(1);
  BandConditioner fft;
  fft.set_plan(plan.band, 1);
  const int n_lines = a.n_elements() * a.n_transmits();
  std::vector<Complex> lines(static_cast<std::size_t>(n_lines * plan.band->n_out));
  InvalidSamples invalid;
  invalid.begin(a.n_elements());
  fft.run(pool, frame, a.sample_type, n_lines, lines.data(), invalid);
  return lines;
}

// Over the samples that the beamformer uses.
double relative_difference(const Plan& plan, const std::vector<Complex>& found, const std::vector<Complex>& expected) {
  double off = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (static_cast<int>(i % static_cast<std::size_t>(plan.band->n_out)) >= plan.band->n_valid) continue;
    off += std::pow(found[i].re - expected[i].re, 2) + std::pow(found[i].im - expected[i].im, 2);
    energy += std::pow(expected[i].re, 2) + std::pow(expected[i].im, 2);
  }
  EXPECT_GT(energy, 0.0);
  return std::sqrt(off / energy);
}

struct Band {
  const char* what;
  double sampling_hz, low_hz, high_hz;
  double demod_hz;  // 0: RF
};

// The rates of the data we know: doubled, halved, both; bandpass-sampled; narrow; IQ, also with its whole band.
constexpr Band kBands[] = {{"phantom", 20e6, 2.75e6, 7.25e6, 0.0},
                           {"course", 100e6, 2.5e6, 7.5e6, 0.0},
                           {"course, narrow", 100e6, 3e6, 7e6, 0.0},
                           {"bandpass-sampled", 6.667e6, 3.34e6, 6.66e6, 0.0},
                           {"whole Nyquist zone", 20e6, 0.0, 10e6, 0.0},
                           {"narrow", 40e6, 4.2e6, 5.8e6, 0.0},
                           {"IQ", 10e6, 3e6, 7e6, 5e6},
                           {"IQ beside its middle", 10e6, 4e6, 6e6, 4.37e6},
                           {"IQ, whole band", 5e6, 2.5e6, 7.5e6, 5e6}};

TEST_P(Filters, MakeTheLinesThatTransformsMake) {
  for (const Band& band : kBands) {
    SCOPED_TRACE(band.what);
    Acquisition a = linear_acquisition(6, 701, {-3.0, 3.0});
    a.sampling_hz = band.sampling_hz;
    a.signal = band.demod_hz > 0.0 ? SignalKind::iq : SignalKind::rf;
    a.demod_hz = band.demod_hz;
    ImagingParams p = testing::small_picture(a);
    p.formation.band_low_hz = band.low_hz;
    p.formation.band_high_hz = band.high_hz;
    const auto plan = make_plan(testing::share(a), p);
    const auto frame = to_bytes(testing::noise(a.frame_values(), 4));
    const Result found = filtered(*plan, frame);
    const double difference = relative_difference(*plan, found.lines, transformed(*plan, frame));
    EXPECT_LE(difference, 3e-3);
    std::printf("%s: %.2e\n", band.what, difference);
    for (std::size_t i = 0; i < found.peaks.size(); ++i) {
      float peak = 0.0f;
      for (int n = 0; n < plan->band->n_valid; ++n) {
        const Complex v = found.lines[i * static_cast<std::size_t>(plan->band->n_out) + static_cast<std::size_t>(n)];
        peak = std::max({peak, std::abs(v.re), std::abs(v.im)});
      }
      EXPECT_EQ(found.peaks[i], peak);
    }
  }
}

TEST_P(Filters, ShortRecords) {
  for (const int n_samples : {2, 3, 17, 64}) {
    const Acquisition a = linear_acquisition(3, n_samples);
    const auto plan = make_plan(testing::share(a), testing::small_picture(a));
    const auto frame = to_bytes(testing::noise(a.frame_values(), 5));
    SCOPED_TRACE(n_samples);
    EXPECT_LE(relative_difference(*plan, filtered(*plan, frame).lines, transformed(*plan, frame)), 2e-2);
  }
}

TEST_P(Filters, SmallAmplitudesOffsetsAndInt16) {
  Acquisition a = linear_acquisition(5, 300);
  const auto plan = make_plan(testing::share(a), testing::small_picture(a));
  std::vector<float> values = testing::noise(a.frame_values(), 6);
  const std::vector<Complex> lines = filtered(*plan, to_bytes(values)).lines;
  std::vector<float> small = values, shifted = values, whole = values;
  std::vector<std::int16_t> steps;
  for (float& v : small) v *= 0x1p-34f;  // 6e-11
  for (float& v : shifted) v += 3.0f;
  for (float& v : whole) {
    steps.push_back(static_cast<std::int16_t>(std::lround(1000.0f * v)));
    v = steps.back();
  }
  const std::vector<Complex> of_small = filtered(*plan, to_bytes(small)).lines;
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(of_small[i].re, lines[i].re * 0x1p-34f);
  EXPECT_LE(relative_difference(*plan, filtered(*plan, to_bytes(shifted)).lines, lines), 1e-5);
  const std::vector<Complex> of_whole = filtered(*plan, to_bytes(whole)).lines;
  a.sample_type = SampleType::int16;
  const auto int16_plan = make_plan(testing::share(a), testing::small_picture(a));
  const std::vector<Complex> of_int16 = filtered(*int16_plan, to_bytes(steps)).lines;
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(of_int16[i].re, of_whole[i].re);
}

TEST(FiltersPlan, RefuseABandWiderThanTheInput) {
  BandPlan band;
  band.line_rate_hz = 40e6;
  band.band_width_hz = 6e6;
  FirConditioner filters;
  EXPECT_FALSE(filters.set_plan(std::make_shared<BandPlan>(band), 5e6, LineSteps{}, 1));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Filters, ::testing::Values(CpuKernel::avx2, CpuKernel::avx512),
                         [](const auto& info) { return info.param == CpuKernel::avx2 ? "avx2" : "avx512"; });

}  // namespace
}  // namespace echoloop::fir_conditioner_test
