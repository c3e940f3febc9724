// The band that the echoes of a frame lie in, as it is measured from their samples. Any thread.
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
  double low_hz = 0.0, high_hz = 0.0;  // where the power is half of its maximum
  std::vector<float> power;            // against its maximum, from first_hz in steps of step_hz
  double first_hz = 0.0, step_hz = 0.0;
};

// `frame`: one of `a`. Averages of segments of up to 1024 samples, Hann's window, over up to 64 lines; the noise (the
// lower fifth of the spectrum) is subtracted. Nothing: silent, too short, or no band stands out.
std::optional<EchoSpectrum> measure_spectrum(const Acquisition& a, std::span<const std::byte> frame);

// The discrete Fourier transform, for the reader process, which has no library of it.

// Of `size` values, a power of two; in place, radix 2 (Cooley and Tukey, 1965). Not scaled: forward and inverse give
// `size` times the values.
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
