// Agreement of a frame's channels under the facts of its acquisition: the mean correlation of all pairs of channels
// over echoes that are found under the same facts, so that other facts can be compared with the stated ones. 0 for
// unrelated channels, whatever their number; 1 for equal ones. Any thread.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Corrections of the samples, before the facts apply.
struct SampleReading {
  std::vector<int> channel_of = {};  // of each element; empty: as stored
  std::vector<float> sign = {};      // of each element; empty: 1
  bool time_reversed = false;
  bool conjugate = false;   // IQ
  bool exchanged = false;   // IQ: Q before I
  bool by_element = false;  // stored as [element][transmit]
  friend bool operator==(const SampleReading&, const SampleReading&) = default;
};

// Baseband lines of at most 48 elements and 8 transmits of a frame, or of 120 focused beams, about the measured centre.
class ChannelLines {
 public:
  using Analytic = std::complex<float>;
  static constexpr std::size_t kMostElements = 48, kMostTransmits = 8, kMostBeams = 120;

  // `centre_hz`: of the echoes, by the stated sampling frequency.
  ChannelLines(const Acquisition& a, std::span<const std::byte> frame, double centre_hz, const SampleReading& reading);

  [[nodiscard]] const std::vector<std::size_t>& transmits() const { return transmits_; }
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }
  [[nodiscard]] double n_samples() const { return static_cast<double>(n_samples_); }
  // Returns carrier cycles per sample; those of IQ depend on its frequency of demodulation and its rate.
  [[nodiscard]] double cycles(const Acquisition& facts) const {
    return cycles_ + (facts.demod_hz / facts.sampling_hz - demod_hz_ / sampling_hz_);
  }
  [[nodiscard]] double samples_per_period() const { return samples_per_period_; }
  [[nodiscard]] float largest_power() const { return largest_power_; }  // of a sample

  // Returns the analytic signal of transmit and element, by their index among the chosen ones, at a fractional sample;
  // 0 outside. `turn`: cycles of the carrier there.
  [[nodiscard]] Analytic at(std::size_t transmit, std::size_t element, float sample, float turn) const {
    const float place = sample * per_stride_;
    constexpr float kMostTurns = 1e6F;  // beyond, nothing is left of the phase
    if (!(place >= 0.0F) || place + 1.0F >= static_cast<float>(length_) || !(std::abs(turn) < kMostTurns)) return {};
    const auto k = static_cast<std::size_t>(place);
    const float part = place - static_cast<float>(k);
    const Analytic* const row = &values_[(transmit * elements_.size() + element) * length_ + k];
    const float re = row[0].real() + part * (row[1].real() - row[0].real()),
                im = row[0].imag() + part * (row[1].imag() - row[0].imag());
    const Analytic turned = turns()[static_cast<std::size_t>((turn - std::floor(turn)) * kTurns) & (kTurns - 1)];
    return {re * turned.real() - im * turned.imag(), re * turned.imag() + im * turned.real()};
  }

 private:
  static constexpr std::size_t kTurns = 4096;
  static const Analytic* turns();  // exp(2 pi i k / kTurns)

  std::vector<std::size_t> transmits_, elements_;
  std::size_t n_samples_, length_ = 0;
  float per_stride_ = 1.0F;
  double cycles_, demod_hz_, sampling_hz_, samples_per_period_;
  std::vector<Analytic> values_;  // [transmit][element][length_]
  float largest_power_ = 0.0F;
};

struct Agreement {
  double channels = 0.0;   // b: over pairs of transmit and element
  double transmits = 0.0;  // t: over pairs of transmits, each summed over the elements; one transmit: unused
  double per_pixel = 0.0;  // mean number of channels of a pixel
  bool several = false;    // transmits
  [[nodiscard]] double quality() const;
};

// Measures the agreement of `lines` under facts that may differ from `stated`; the aperture of a pixel, by place along
// the array and sample, is that of the stated facts.
class AgreementMeasure {
 public:
  // `clock_s`: of each transmit, the time of sample 0 by the clock that IQ was demodulated with.
  // `aperture`: facts that the aperture of a pixel follows.
  AgreementMeasure(const Acquisition& stated, std::vector<double> clock_s, const ChannelLines& lines,
                   const Acquisition& aperture);
  [[nodiscard]] Agreement under(const Acquisition& facts) const;

 private:
  struct Column;
  struct Frame;
  [[nodiscard]] std::vector<Column> columns(const Acquisition& facts) const;

  const ChannelLines& lines_;
  std::vector<double> clock_s_, turned_s_;  // turned_s_: times by which the reader has turned IQ
  double demod_hz_ = 0.0;
  bool beams_ = false, fan_ = false;
  double first_sample_, step_samples_;
  std::vector<std::uint64_t> apertures_;  // [column][row], a bit per chosen element
};

}  // namespace echoloop
