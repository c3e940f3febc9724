// Frequency band of the echoes of a frame, measured from the samples. Any thread.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

struct EchoSpectrum {
  double center_hz = 0.0;              // centroid of the band
  double low_hz = 0.0, high_hz = 0.0;  // half power
  std::vector<float> power;            // relative to the maximum, from first_hz in steps of step_hz
  double first_hz = 0.0, step_hz = 0.0;
};

// Averages spectra of up to 1024 samples (Hann window) from up to 127 lines of `frame`, a frame of `a`, and subtracts
// the noise (the lower fifth). Returns nullopt if silent, too short or without a distinct band.
std::optional<EchoSpectrum> measure_spectrum(const Acquisition& a, std::span<const std::byte> frame);

// Returns the time of the maximum of a pulse's envelope: mixed down from the centre frequency, averaged over one
// period.
double pulse_peak_s(std::span<const double> waveform, double sampling_hz, double center_hz);

// Discrete Fourier transform for the reader process, which links no library for it.

// FFT of `size` values, a power of two; in place, radix 2 (Cooley and Tukey, 1965). Not scaled: forward and inverse
// yield `size` times the values.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t size);
  void forward(std::vector<std::complex<double>>& x) const { run(x, 1.0); }
  void inverse(std::vector<std::complex<double>>& x) const { run(x, -1.0); }

 private:
  void run(std::vector<std::complex<double>>& x, double sign) const;

  std::vector<std::complex<double>> turns_;  // exp(-2 pi i k / size), k below size / 2
};

}  // namespace echoloop
