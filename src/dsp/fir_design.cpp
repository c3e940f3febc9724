#include "dsp/fir_design.h"

#include <cmath>

#include "core/units.h"

namespace echoloop {
namespace {

double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(kPi * x) / (kPi * x); }

}  // namespace

std::vector<double> fir_bandpass_hamming(int n_taps, double low_hz, double high_hz, double fs_hz) {
  const double low = 2.0 * low_hz / fs_hz;  // in units of the Nyquist frequency
  const double high = 2.0 * high_hz / fs_hz;
  const double middle = 0.5 * (low + high);
  std::vector<double> taps(static_cast<std::size_t>(n_taps));
  double gain = 0.0;
  for (int n = 0; n < n_taps; ++n) {
    const double m = n - 0.5 * (n_taps - 1);
    const double window = n_taps > 1 ? 0.54 - 0.46 * std::cos(2.0 * kPi * n / (n_taps - 1)) : 1.0;
    const double tap = window * (high * sinc(high * m) - low * sinc(low * m));
    taps[static_cast<std::size_t>(n)] = tap;
    gain += tap * std::cos(kPi * m * middle);
  }
  for (double& tap : taps) tap /= gain;
  return taps;
}

}  // namespace echoloop
