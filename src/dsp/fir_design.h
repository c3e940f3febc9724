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

// Designs a band-pass of `n_taps` taps, Hamming window, -6 dB at the edges, gain 1 at the centre of the band: equal to
// scipy.signal.firwin(n_taps, [low, high], pass_zero=False, fs=fs) (Oppenheim & Schafer, ch. 7.5).
std::vector<double> fir_bandpass_hamming(int n_taps, double low_hz, double high_hz, double fs_hz);

// Designs a high-pass of `n_taps` (odd) taps, Hamming window, -6 dB at `cutoff` (share of the Nyquist frequency), gain
// 1 at Nyquist: equal to scipy.signal.firwin(n_taps, cutoff, pass_zero=False).
std::vector<double> fir_highpass_hamming(int n_taps, double cutoff);

// Designs a half-band low-pass at rate fs_hz for halving or doubling a rate: passes |f| <= width_hz / 2, stops
// frequencies that would alias onto it (70 dB, Kaiser's window and length estimate). Returns the taps at the odd places
// 1, 3, 5 ...; the filter is symmetric, its middle tap is 1/2, its other even taps are 0. Gain 1. width_hz < fs_hz / 2.
std::vector<double> fir_half_band(double width_hz, double fs_hz);

// Returns the impulse response of band_response() for a band of width_hz about 0 (flat, with raised cosine edges of a
// tenth of the width), sampled at fs_hz, truncated at 20 / width_hz to each side, where it is at -58 dB (error: 2e-3 of
// white noise). Symmetric, odd number of taps, gain 1.
std::vector<double> fir_band_shape(double width_hz, double fs_hz);

// Filter of the analytic recipe, in the frequency domain: selects a band of the channel data's spectrum, moves it to
// baseband and changes the sampling rate, all by picking bins. A spectrum of sampled RF is periodic in fs, so one rule
// serves ordinary RF, bandpass-sampled RF (band above fs/2, e.g. fs = 4/3 fc) and IQ, and an inverse transform of
// another length decimates or interpolates.

// Returns the amplitude response at frequency f: 1 over the inner 80 % of the half width, raised cosine to 0 at both
// edges. Host only.
double band_response(double f_hz, double low_hz, double high_hz);

// Returns output bin m (0 <= m < n_out, FFT order) of one line.
//   spectrum: RF: bins 0 .. n_in/2 of the real transform; IQ: all n_in bins.  response: [n_out], scale included.
//   bin_offset: input bin of output bin 0 (the demodulation frequency).
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

}  // namespace echoloop
