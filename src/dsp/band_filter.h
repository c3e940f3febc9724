// The analytic recipe's filter, in the frequency domain: choose a band of the channel data's spectrum, move it to
// baseband and change the sampling rate, all by picking bins. Why bins: a spectrum of sampled RF is periodic in fs, so
// the same rule serves ordinary RF, bandpass-sampled RF (band above fs/2, e.g. fs = 4/3 fc) and IQ, and an inverse
// transform of another length gives decimated or interpolated IQ for free.
#pragma once

#include "core/acquisition.h"
#include "dsp/complex.h"

namespace echoloop {

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

}  // namespace echoloop
