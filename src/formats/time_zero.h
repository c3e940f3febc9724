// Detects by a frame's point echoes a time of sample 0 other than stated, mirrored waves, or another common mistake
// (OtherFact): for a few strong echoes, measures the coherence of all channels as a function of that time, of its
// reference event, and of that fact. Any thread.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Complex envelopes of some lines of a frame, to measure the coherence of its channels (time_zero.cpp). Any thread.
// Internal to src/formats.

// At most 7 transmits and 48 elements, every few samples: mixed with the centre frequency and low-passed, or IQ
// unchanged. RF: zeros within a period of both ends of a line.
class LineEnvelopes {
 public:
  using Complex = std::complex<float>;
  static constexpr std::size_t kMostTransmits = 7, kMostElements = 48;
  using Turns = std::array<Complex, 4096>;

  LineEnvelopes(const Acquisition& acquisition, std::span<const std::byte> frame);

  [[nodiscard]] const std::vector<std::size_t>& transmits() const { return transmits_; }
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }

  // Returns the value of transmit and element by their index among the chosen; `sample` from the first one.
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

// Alternative facts of a recording, by common mistakes: candidates tested with its point echoes. Any thread. Internal
// to src/formats and the doubts.
enum class OtherFactKind {
  wavelengths,   // the pitch in millimetres is one in wavelengths
  half_pitch,    // elements are half as far apart
  degrees,       // angles of plane waves in radians are in degrees
  order,         // angles of plane waves are listed in another order than the samples
  demodulation,  // IQ was demodulated with another frequency
  quadrature     // the quadrature part of IQ has the opposite sign
};

struct OtherFact {
  OtherFactKind kind = OtherFactKind::wavelengths;
  double stated = 0.0, found = 0.0;                      // pitch in m, demodulation frequency in Hz
  Acquisition acquisition;                               // with the other fact
  double stated_coherence = 0.0, found_coherence = 0.0;  // 0 to 1
};

enum class OtherFacts { all, but_iq };  // but_iq: without demodulation and quadrature, the slowest

// Returns all alternative facts of `a`.
std::vector<OtherFact> other_facts(const Acquisition& a, OtherFacts sought = OtherFacts::all);

enum class TimeZeroFault {
  none,   // only the transmits are wrong
  shift,  // all transmits by the same time
  event   // relative to another event than stated
};
enum class TimeEvent { first_firing, origin, centre };  // as "t_zero" of a description

struct TimeZeroDoubt {
  TimeZeroFault fault = TimeZeroFault::none;
  TimeEvent stated_event = TimeEvent::first_firing, found_event = TimeEvent::first_firing;
  double shift_s = 0.0;                                // to add to t0_s of the first transmit
  bool mirrored = false;                               // left and right of the transmits are exchanged
  double stated_coherence = 0.0, found_coherence = 0;  // 0 to 1, by the power of the echoes
};

// Returns a better time zero of channel data of plane and diverging waves, explicit delays and single elements.
// nullopt: no better time within 8 us, no distinct echoes, focused beams, or an aliased band. `frame`: one frame in the
// acquisition's layout. Reads at most 7 transmits and 48 elements.
std::optional<TimeZeroDoubt> measure_time_zero(const Acquisition& acquisition, std::span<const std::byte> frame);

// Returns the one of other_facts() with the sharpest points, for any event that times may be relative to. nullopt: no
// sharper with any, or as above.
std::optional<OtherFact> measure_other_fact(const Acquisition& acquisition, std::span<const std::byte> frame,
                                            OtherFacts sought = OtherFacts::all);

}  // namespace echoloop
