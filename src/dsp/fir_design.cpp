#include "dsp/fir_design.h"

namespace echoloop {
namespace {

// Returns the modified Bessel function of the first kind, order 0, by its series.
double bessel_i0(double x) {
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k < 60; ++k) {
    term *= 0.25 * x * x / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

// Designs an ideal band-pass with a Hamming window, gain 1 at `unity`; all in units of the Nyquist frequency.
std::vector<double> windowed_band(int n_taps, double low, double high, double unity) {
  std::vector<double> taps(static_cast<std::size_t>(n_taps));
  double gain = 0.0;
  for (int n = 0; n < n_taps; ++n) {
    const double m = n - 0.5 * (n_taps - 1);
    const double window = n_taps > 1 ? 0.54 - 0.46 * std::cos(2.0 * kPi * n / (n_taps - 1)) : 1.0;
    const double tap = window * (high * sinc(high * m) - low * sinc(low * m));
    taps[static_cast<std::size_t>(n)] = tap;
    gain += tap * std::cos(kPi * m * unity);
  }
  for (double& tap : taps) tap /= gain;
  return taps;
}

}  // namespace

std::vector<double> fir_bandpass_hamming(int n_taps, double low_hz, double high_hz, double fs_hz) {
  const double low = 2.0 * low_hz / fs_hz;  // in units of the Nyquist frequency
  const double high = 2.0 * high_hz / fs_hz;
  return windowed_band(n_taps, low, high, 0.5 * (low + high));
}

std::vector<double> fir_highpass_hamming(int n_taps, double cutoff) { return windowed_band(n_taps, cutoff, 1.0, 1.0); }

std::vector<double> fir_half_band(double width_hz, double fs_hz) {
  constexpr double kAttenuationDb = 70.0;
  const double beta = 0.1102 * (kAttenuationDb - 8.7);
  const double transition = 0.5 - width_hz / fs_hz;  // cycles a sample
  const double length = (kAttenuationDb - 7.95) / (14.36 * transition);
  const int n_taps = static_cast<int>(std::ceil(0.25 * length + 0.5));  // at odd places of one side
  const double reach = 2.0 * n_taps;
  std::vector<double> taps;
  double sum = 0.0;
  for (int j = 0; j < n_taps; ++j) {
    const double place = 2.0 * j + 1.0;
    const double window = bessel_i0(beta * std::sqrt(1.0 - (place / reach) * (place / reach))) / bessel_i0(beta);
    taps.push_back(0.5 * sinc(0.5 * place) * window);
    sum += 2.0 * taps.back();
  }
  for (double& tap : taps) tap *= 0.5 / sum;
  return taps;
}

std::vector<double> fir_band_shape(double width_hz, double fs_hz) {
  const int reach = static_cast<int>(20.0 * fs_hz / width_hz);
  std::vector<double> taps;
  double sum = 0.0;
  for (int n = -reach; n <= reach; ++n) {
    const double u = 0.1 * width_hz * n / fs_hz;  // time times the edge's width
    const double pole = 1.0 - 4.0 * u * u;
    const double edge = std::abs(pole) < 1e-9 ? 0.25 * kPi : std::cos(kPi * u) / pole;
    taps.push_back(sinc(9.0 * u) * edge);
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

double band_response(double f_hz, double low_hz, double high_hz) {
  const double half_width = 0.5 * (high_hz - low_hz);
  const double offset = std::abs(f_hz - 0.5 * (low_hz + high_hz));
  const double flat = 0.8 * half_width;
  if (offset <= flat) return 1.0;
  if (offset >= half_width) return 0.0;
  return 0.5 * (1.0 + std::cos(kPi * (offset - flat) / (half_width - flat)));
}

}  // namespace echoloop
