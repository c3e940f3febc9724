// Linear-phase FIR design by the window method. Host only, double precision.
#pragma once

#include <vector>

namespace echoloop {

// Band-pass of `n_taps` taps, Hamming window, -6 dB at the edges, gain 1 at the middle of the band: what
// scipy.signal.firwin(n_taps, [low, high], pass_zero=False, fs=fs) returns (Oppenheim & Schafer, ch. 7.5).
std::vector<double> fir_bandpass_hamming(int n_taps, double low_hz, double high_hz, double fs_hz);

}  // namespace echoloop
