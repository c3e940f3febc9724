// Linear-phase FIR design by the window method. Host only, double precision.
#pragma once

#include <cmath>
#include <vector>

#include "core/units.h"

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

}  // namespace echoloop
