#include "backend/band_plan.h"

#include <algorithm>
#include <cmath>

#include "dsp/band_filter.h"

namespace echoloop {
namespace {

bool is_fast_size(int n) {
  for (const int factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

int fast_fft_size(int at_least, int multiple_of) {
  int n = (at_least + multiple_of - 1) / multiple_of * multiple_of;
  while (!is_fast_size(n / multiple_of)) n += multiple_of;
  return n;
}

// Linear interpolation of baseband lines: with 6 samples per hertz of band the picture of points and speckle is within
// 0.15 dB rms of the exact one (0.33 dB with 4, for one plane wave and a narrow aperture). A hair below 6: a band of
// exactly fs / 6 keeps fs.
constexpr double kSamplesPerHertz = 5.999;

// The tuned path's filter gives back what linear interpolation takes from the band's edges. The images that it leaves
// (34 dB down at the edges, with 4 samples per hertz of band) differ from element to element and average out: reference
// pictures come out within 0.03 dB rms (plane waves) and 0.06 dB (bandpass-sampled disk). A little below 4: a band of
// fs / 4, or a hair more, keeps fs.
constexpr double kPackedSamplesPerHertz = 3.9;

// Lines at the lowest rate that has so many samples per hertz of band; without their response.
std::shared_ptr<BandPlan> make_rates(const Acquisition& a, const ImagingParams& p, double samples_per_hertz) {
  auto plan = std::make_shared<BandPlan>();
  const double width_hz = p.formation.band_high_hz - p.formation.band_low_hz;
  plan->input = a.signal;
  plan->band_width_hz = width_hz;
  plan->n_samples = a.n_samples;
  // Rates are powers of two times fs, so that both transforms keep the same bin width.
  int halvings = 0;
  while (halvings > -3 && std::ldexp(a.sampling_hz, -halvings) < samples_per_hertz * width_hz) --halvings;
  while (halvings < 6 && std::ldexp(a.sampling_hz, -halvings - 1) >= samples_per_hertz * width_hz) ++halvings;
  // The filter rings for the inverse of its transition band (a tenth of the band): pad so that it does not wrap around.
  const int ringing = static_cast<int>(std::min(2.0 * a.sampling_hz / (0.1 * width_hz), 0.5 * a.n_samples + 64.0));
  plan->n_in = fast_fft_size(a.n_samples + std::max(ringing, 16), 1 << std::max(halvings, 1));
  plan->n_out = halvings >= 0 ? plan->n_in >> halvings : plan->n_in << -halvings;
  plan->n_valid = static_cast<int>(static_cast<long long>(a.n_samples - 1) * plan->n_out / plan->n_in) + 1;
  plan->line_rate_hz = a.sampling_hz * plan->n_out / plan->n_in;

  const double bin_hz = a.sampling_hz / plan->n_in;
  const double input_hz = plan->input == SignalKind::rf ? 0.0 : a.demod_hz;
  plan->bin_offset =
      static_cast<int>(std::lround((0.5 * (p.formation.band_low_hz + p.formation.band_high_hz) - input_hz) / bin_hz));
  plan->demod_hz = input_hz + plan->bin_offset * bin_hz;
  plan->band_shift_hz = 0.5 * (p.formation.band_low_hz + p.formation.band_high_hz) - plan->demod_hz;
  return plan;
}

}  // namespace

std::shared_ptr<const BandPlan> make_band(const Acquisition& a, const ImagingParams& p) {
  const auto plan = make_rates(a, p, kSamplesPerHertz);
  const double bin_hz = a.sampling_hz / plan->n_in;
  plan->response.resize(static_cast<std::size_t>(plan->n_out));
  for (int m = 0; m < plan->n_out; ++m) {
    const int signed_m = m < (plan->n_out + 1) / 2 ? m : m - plan->n_out;
    const double f_hz = plan->demod_hz + signed_m * bin_hz;
    double gain = band_response(f_hz, p.formation.band_low_hz, p.formation.band_high_hz);
    if (a.data == DataKind::beamformed) gain = std::abs(f_hz - a.demod_hz) <= 0.5 * a.sampling_hz ? 1.0 : 0.0;
    plan->response[static_cast<std::size_t>(m)] =
        static_cast<float>((plan->input == SignalKind::rf ? 2.0 : 1.0) * gain / plan->n_in);
  }
  return plan;
}

std::shared_ptr<const BandPlan> make_packed_rates(const Acquisition& a, const ImagingParams& p) {
  return make_rates(a, p, kPackedSamplesPerHertz);
}

}  // namespace echoloop
