// Complex envelopes of some lines of a frame, from which the coherence of its channels is measured (time_zero.cpp). Any
// thread. Internal to src/formats.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Of at most 7 transmits and 48 elements, every few samples: mixed with the centre frequency and low-passed, or IQ as
// it is. Zeros within a period of both ends of a line, of RF.
class LineEnvelopes {
 public:
  using Complex = std::complex<float>;
  static constexpr std::size_t kMostTransmits = 7, kMostElements = 48;
  using Turns = std::array<Complex, 4096>;

  LineEnvelopes(const Acquisition& acquisition, std::span<const std::byte> frame);

  [[nodiscard]] const std::vector<std::size_t>& transmits() const { return transmits_; }
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }

  // Of transmit and element by their place among the chosen; `sample` from the first one.
  [[nodiscard]] Complex at(std::size_t transmit, std::size_t element, double sample) const {
    const double place = sample / static_cast<double>(stride_);
    if (!(place >= 0.0) || place + 1.0 >= static_cast<double>(length_)) return {};
    const auto k = static_cast<std::size_t>(place);
    const auto part = static_cast<float>(place - static_cast<double>(k));
    const Complex* const row = &values_[(transmit * elements_.size() + element) * length_ + k];
    const float re = row[0].real() + part * (row[1].real() - row[0].real()),
                im = row[0].imag() + part * (row[1].imag() - row[0].imag());
    const Complex turned = turn(mix_hz_ * sample / a_.sampling_hz + offsets_[transmit]);
    return {re * turned.real() - im * turned.imag(), re * turned.imag() + im * turned.real()};
  }
  [[nodiscard]] double mix_hz() const { return mix_hz_; }
  void count_phase_from(std::vector<double> cycles) { offsets_ = std::move(cycles); }
  void conjugate();

 private:
  [[nodiscard]] Complex turn(double cycles) const {  // exp(2 pi i cycles), by 4096 steps
    return turns_[static_cast<std::size_t>((cycles - std::floor(cycles)) * 4096.0) & 4095];
  }
  [[nodiscard]] std::vector<Complex> mixing_taps() const;
  void fill_row(const std::vector<Complex>& line, const std::vector<Complex>& taps, Complex* out) const;

  const Acquisition& a_;
  const Turns& turns_;
  std::vector<std::size_t> transmits_, elements_;
  std::size_t stride_ = 1, length_ = 0;
  double mix_hz_ = 0.0;
  std::vector<double> offsets_;
  std::vector<Complex> values_;
};

}  // namespace echoloop
