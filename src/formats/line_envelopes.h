// Complex envelopes of some lines of a frame, from which the coherence of its channels is measured (time_zero.cpp). Any
// thread. Internal to src/formats.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Of at most 7 transmits and 48 elements, every few samples: mixed with the centre frequency and low-passed, or IQ as
// it is.
class LineEnvelopes {
 public:
  using Complex = std::complex<float>;
  static constexpr std::size_t kMostTransmits = 7, kMostElements = 48;

  LineEnvelopes(const Acquisition& acquisition, std::span<const std::byte> frame);

  [[nodiscard]] const std::vector<std::size_t>& transmits() const { return transmits_; }
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }

  // Of transmit and element by their place among the chosen; `sample` from the first one.
  [[nodiscard]] Complex at(std::size_t transmit, std::size_t element, double sample) const;
  [[nodiscard]] double mix_hz() const { return mix_hz_; }
  void count_phase_from(std::vector<double> cycles) { offsets_ = std::move(cycles); }
  void conjugate();

 private:
  [[nodiscard]] std::vector<Complex> mixing_taps() const;
  void fill_row(const std::vector<Complex>& line, const std::vector<Complex>& taps, Complex* out) const;

  const Acquisition& a_;
  std::vector<std::size_t> transmits_, elements_;
  std::size_t stride_ = 1, length_ = 0;
  double mix_hz_ = 0.0;
  std::vector<double> offsets_;
  std::vector<Complex> values_;
};

}  // namespace echoloop
