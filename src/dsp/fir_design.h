// Linear-phase FIR design by the window method. Host only, double precision.
#pragma once

#include <cmath>
#include <vector>

#include "core/acquisition.h"
#include "core/params.h"
#include "core/units.h"
#include "dsp/complex.h"

namespace echoloop {

inline double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(kPi * x) / (kPi * x); }

// Band-pass of `n_taps` taps, Hamming window, -6 dB at the edges, gain 1 at the middle of the band: what
// scipy.signal.firwin(n_taps, [low, high], pass_zero=False, fs=fs) returns (Oppenheim & Schafer, ch. 7.5).
std::vector<double> fir_bandpass_hamming(int n_taps, double low_hz, double high_hz, double fs_hz);

// High-pass of `n_taps` (odd) taps, Hamming window, -6 dB at `cutoff` (as a share of the Nyquist frequency), gain 1 at
// Nyquist: what scipy.signal.firwin(n_taps, cutoff, pass_zero=False) returns.
std::vector<double> fir_highpass_hamming(int n_taps, double cutoff);

// Half-band low-pass at rate fs_hz for halving or doubling a rate: keeps |f| <= width_hz / 2, stops what would fold
// onto it (70 dB, Kaiser's window and his estimate of the length). Returns the taps at the odd places 1, 3, 5 ...; the
// filter is symmetric, its middle tap is 1/2, its other even taps are 0. Gain 1. width_hz < fs_hz / 2.
std::vector<double> fir_half_band(double width_hz, double fs_hz);

// Impulse response of band_response() for a band of width_hz about 0 (a flat band whose edges are raised cosines over
// a tenth of the width), sampled at fs_hz, cut off at 20 / width_hz to either side, where it has fallen to -58 dB (what
// is missing: 2e-3 of white noise). Symmetric, odd number of taps, gain 1.
std::vector<double> fir_band_shape(double width_hz, double fs_hz);

// The analytic recipe's filter, in the frequency domain: choose a band of the channel data's spectrum, move it to
// baseband and change the sampling rate, all by picking bins. Why bins: a spectrum of sampled RF is periodic in fs, so
// the same rule serves ordinary RF, bandpass-sampled RF (band above fs/2, e.g. fs = 4/3 fc) and IQ, and an inverse
// transform of another length gives decimated or interpolated IQ for free.

// Amplitude response at frequency f: 1 over the inner 80 % of the half width, raised cosine to 0 at both edges. Host
// only.
double band_response(double f_hz, double low_hz, double high_hz);

// Output bin m (0 <= m < n_out, FFT order) of one line.
//   spectrum: RF: bins 0 .. n_in/2 of the real transform; IQ: all n_in bins.  response: [n_out], scale included.
//   bin_offset: input bin that lands on output bin 0 (the demodulation frequency).
ECHO_HD Complex select_band(const Complex* spectrum, const float* response, int m, int n_in, int n_out, int bin_offset,
                            SignalKind input) {
  const float h = response[m];
  if (h == 0.0f) return {0.0f, 0.0f};
  const int signed_m = m < (n_out + 1) / 2 ? m : m - n_out;
  int k = (signed_m + bin_offset) % n_in;
  if (k < 0) k += n_in;
  if (input == SignalKind::iq) return h * spectrum[k];
  return k <= n_in / 2 ? h * spectrum[k] : h * conjugate(spectrum[n_in - k]);
}

// Window functions: receive apodization across the active aperture, and the Hamming window of the course's FIR.

// Weight at u in [-1/2, 1/2] across the aperture (0 = middle); 0 outside. A hair of tolerance counts a tie as inside.
//   boxcar 1 | hann cos^2(pi u) | hamming 0.54 + 0.46 cos(2 pi u)
//   tukey: flat over the inner half, Hann flanks (taper ratio 0.5) | gauss: exp(-u^2 / (2 * 0.2^2)), 0.044 at the rim
ECHO_HD float apodization_weight(Apodization window, float u) {
  const float a = u < 0.0f ? -u : u;
  const float inside = a <= 0.5000005f ? 1.0f : 0.0f;
  float w = 1.0f;
  if (window == Apodization::hann) w = 0.5f + 0.5f * unit_phasor(u).re;
  if (window == Apodization::hamming) w = 0.54f + 0.46f * unit_phasor(u).re;
  if (window == Apodization::tukey) w = a <= 0.25f ? 1.0f : 0.5f - 0.5f * unit_phasor(2.0f * u).re;
  if (window == Apodization::gauss) w = expf(-12.5f * u * u);
  return inside * w;
}

}  // namespace echoloop
