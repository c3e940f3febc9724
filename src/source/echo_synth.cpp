#include "source/echo_synth.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "source/echo_pulse.h"

namespace echoloop {
namespace {

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Fills the polynomial of sin(q)/q, q = pi w sin(theta) / lambda, to q^8: within 0.01 up to w = 1.1 lambda.
void set_directivity(kernels::ElementGeometry& geometry, const Acquisition& a) {
  const double q = kPi * a.probe.element_width_m * a.center_hz / a.sound_speed_m_s;
  const double factorials[5] = {1.0, -6.0, 120.0, -5040.0, 362880.0};
  for (int k = 0; k < 5; ++k) geometry.directivity[k] = static_cast<float>(std::pow(q * q, k) / factorials[k]);
}

}  // namespace

EchoSynth::EchoSynth(const Acquisition& acquisition, double fractional_bandwidth)
    : acquisition_(acquisition),
      n_transmits_(acquisition.transmits.size()),
      n_samples_(static_cast<std::size_t>(acquisition.n_samples)) {
  const double fine_hz = acquisition.sampling_hz * kernels::kOversampling;
  const double sigma_s = pulse_sigma_s(acquisition.center_hz, fractional_bandwidth);
  const int half = static_cast<int>(std::ceil(kPulseSigmas * sigma_s * fine_hz));
  for (int k = -half; k <= half; ++k) {
    taps_.push_back(static_cast<float>(pulse_value(k / fine_hz, acquisition.center_hz, sigma_s)));
  }
  taps_.resize(round_up(taps_.size(), kernels::kTapBlock), 0.0F);
  // Output m is fine sample 4 m of the signal, whose taps reach `half` to both sides: the line starts `half` earlier.
  n_phase_ = n_samples_ + taps_.size() / kernels::kOversampling + 1;
  limit_ = static_cast<int>(kernels::kOversampling * n_phase_);
  line_stride_ = round_up(static_cast<std::size_t>(limit_) + 2, 16);
  offset_ = static_cast<float>(half);
  geometry_.samples_per_m = static_cast<float>(fine_hz / acquisition.sound_speed_m_s);
  set_directivity(geometry_, acquisition);
  lines_.resize(n_transmits_ * line_stride_);
  phases_.resize(kernels::kOversampling * n_phase_);
  rf_.resize(n_transmits_ * n_samples_);
}

void EchoSynth::begin(const Scatterers& scatterers) {
  scatterers_ = &scatterers;
  const std::size_t n = scatterers.size();
  there_.resize(n_transmits_ * n);
  const double fine_hz = acquisition_.sampling_hz * kernels::kOversampling;
  const double samples_per_m = fine_hz / acquisition_.sound_speed_m_s;
  for (std::size_t t = 0; t < n_transmits_; ++t) {
    const Transmit& transmit = acquisition_.transmits[t];
    const double offset = offset_ - transmit.t0_s * fine_hz;
    kernels::plane_wave_positions(scatterers.x_m.data(), scatterers.z_m.data(), n,
                                  static_cast<float>(samples_per_m * std::sin(transmit.angle_rad)),
                                  static_cast<float>(samples_per_m * std::cos(transmit.angle_rad)),
                                  static_cast<float>(offset), there_.data() + t * n);
  }
}

void EchoSynth::accumulate_element(int e) {
  const Scatterers& s = *scatterers_;
  const std::size_t n = s.size();
  geometry_.x_m = static_cast<float>(acquisition_.probe.elements[static_cast<std::size_t>(e)].x_m);
  alignas(64) float back[kernels::kBlock];
  alignas(64) float weight[kernels::kBlock];
  for (std::size_t first = 0; first < n; first += kernels::kBlock) {
    const std::size_t count = std::min(kernels::kBlock, n - first);
    kernels::element_echoes(s.x_m.data() + first, s.z_m.data() + first, s.amplitude.data() + first, count, geometry_,
                            back, weight);
    for (std::size_t t = 0; t < n_transmits_; ++t) {
      kernels::accumulate(there_.data() + t * n + first, back, weight, count, limit_, lines_.data() + t * line_stride_);
    }
  }
}

std::span<const float> EchoSynth::element(int e) {
  std::ranges::fill(lines_, 0.0F);
  accumulate_element(e);
  for (std::size_t t = 0; t < n_transmits_; ++t) {
    kernels::split_phases(lines_.data() + t * line_stride_, n_phase_, n_phase_, phases_.data());
    kernels::pulse_filter(phases_.data(), n_phase_, taps_.data(), taps_.size(), n_samples_,
                          rf_.data() + t * n_samples_);
  }
  return {rf_.data(), n_transmits_ * n_samples_};
}

// Speckle of level 1 has variance 1 a resolution cell. Its echoes that meet at one instant lie within a pulse's
// length of an arc about the element; integral of the squared pulse = sigma sqrt(pi) / 2 seconds, half of it in depth:
//   variance = (1 / cell) (c / 2) (sigma sqrt(pi) / 2) integral of directivity^2 dx, for the element in the middle.
double speckle_variance(const Acquisition& acquisition, double fractional_bandwidth, const Field& field,
                        double depth_m) {
  kernels::ElementGeometry geometry;
  set_directivity(geometry, acquisition);
  constexpr int kSteps = 256;
  const double dx_m = 2.0 * field.x1_m() / kSteps;
  double arc_m = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const auto x = static_cast<float>(-field.x1_m() + (i + 0.5) * dx_m);
    const auto z = static_cast<float>(depth_m);
    const float one = 1.0F;
    float position = 0.0F;
    float weight = 0.0F;
    kernels::element_echoes(&x, &z, &one, 1, geometry, &position, &weight);
    arc_m += static_cast<double>(weight * weight) * dx_m;
  }
  const double energy_s = 0.5 * std::sqrt(kPi) * pulse_sigma_s(acquisition.center_hz, fractional_bandwidth);
  return 0.5 * acquisition.sound_speed_m_s * energy_s * arc_m / field.cell_area_m2;
}

}  // namespace echoloop
