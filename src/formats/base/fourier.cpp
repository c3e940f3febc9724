#include "formats/base/fourier.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

FourierTransform::FourierTransform(std::size_t size) {
  for (std::size_t k = 0; k < size / 2; ++k)
    turns_.push_back(std::polar(1.0, -2.0 * kPi * static_cast<double>(k) / static_cast<double>(size)));
}

void FourierTransform::run(std::vector<std::complex<double>>& x, double sign) const {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const std::size_t half = length / 2, step = n / length;
    for (std::size_t at = 0; at < n; at += length) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> even = x[at + k], odd = x[at + k + half], turn = turns_[k * step];
        const double re = odd.real() * turn.real() - sign * odd.imag() * turn.imag(),
                     im = odd.imag() * turn.real() + sign * odd.real() * turn.imag();
        x[at + k] = {even.real() + re, even.imag() + im};
        x[at + k + half] = {even.real() - re, even.imag() - im};
      }
    }
  }
}

}  // namespace echoloop
