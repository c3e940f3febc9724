// The discrete Fourier transform, for the reader process, which has no library of it.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace echoloop {

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
