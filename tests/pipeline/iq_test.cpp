// IQ data make the image that the RF made, also when every transmit's record starts at another time: the phase of the
// demodulation is counted from time zero, not from the first sample.
#include <gtest/gtest.h>

#include <cmath>

#include "source/phantom.h"
#include "support/streaming.h"

namespace echoloop::iq_test {
namespace {

constexpr int kLatest = 60;  // samples that the record of the last transmit starts later than the first one's

struct Recorded {
  Acquisition acquisition;
  std::vector<float> values;
};

// Transmit t starts 30 t samples late; `demod_hz` 0 keeps RF.
Recorded record_late(SeekableSource& phantom, double demod_hz) {
  const Acquisition& a = *phantom.acquisition();
  std::vector<std::byte> slot(a.frame_bytes());
  const auto* rf = reinterpret_cast<const std::int16_t*>(phantom.at(0, slot).data());
  Recorded r{a, {}};
  r.acquisition.n_samples = a.n_samples - kLatest;
  r.acquisition.sample_type = SampleType::float32;
  if (demod_hz > 0.0) r.acquisition.signal = SignalKind::iq;
  r.acquisition.demod_hz = demod_hz;
  for (int t = 0; t < a.n_transmits(); ++t) {
    const int late = 30 * t;
    r.acquisition.transmits[static_cast<std::size_t>(t)].t0_s += late / a.sampling_hz;
    for (int e = 0; e < a.n_elements(); ++e) {
      for (int n = late; n < late + r.acquisition.n_samples; ++n) {
        const double v = rf[(t * a.n_elements() + e) * a.n_samples + n];
        const auto mixed = v * std::polar(1.0, -2.0 * kPi * demod_hz * n / a.sampling_hz);
        r.values.push_back(static_cast<float>(mixed.real()));
        if (demod_hz > 0.0) r.values.push_back(static_cast<float>(mixed.imag()));
      }
    }
  }
  return r;
}

std::vector<float> picture_of(const Recorded& r, const ImagingParams& params) {
  const std::vector<std::vector<std::byte>> frames = {testing::to_bytes(r.values)};
  const auto source = std::make_shared<testing::FrameList>(testing::share(r.acquisition), frames);
  return testing::process({.source = source, .params = params}).at(0).db;
}

TEST(IqData, MakeThePictureThatTheRfMade) {
  PhantomSettings settings;
  settings.name = "points";
  const std::shared_ptr<SeekableSource> phantom = make_phantom(settings);
  ImagingParams params = default_params(*phantom->acquisition());
  params.formation.depth_min_m = 8e-3;
  params.formation.depth_max_m = 30e-3;
  params.formation.grid_nx = 97;
  params.formation.grid_nz = 221;
  const std::vector<float> rf = picture_of(record_late(*phantom, 0.0), params);
  // The pulse's own frequency, and one that shares no phase with the sampling.
  for (const double demod_hz : {5e6, 4.37e6}) {
    const std::vector<float> iq = picture_of(record_late(*phantom, demod_hz), params);
    double squares = 0.0;
    int n = 0;
    for (std::size_t i = 0; i < rf.size(); ++i) {
      if (rf[i] < -50.0f) continue;
      squares += std::pow(static_cast<double>(iq[i] - rf[i]), 2);
      ++n;
    }
    ASSERT_GT(n, 1000);
    // Interpolating lines of another demodulation frequency: 0.05 dB; a transmit out of phase costs many dB.
    EXPECT_LE(std::sqrt(squares / n), 0.05) << demod_hz;
    std::printf("IQ at %.2f MHz against RF: rms %.4f dB\n", demod_hz * 1e-6, std::sqrt(squares / n));
  }
}

}  // namespace
}  // namespace echoloop::iq_test
