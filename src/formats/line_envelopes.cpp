#include "formats/line_envelopes.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "formats/base/sample_value.h"

namespace echoloop {
namespace {

using Complex = LineEnvelopes::Complex;

std::vector<std::size_t> spread(std::size_t n, std::size_t most) {  // indices, both ends among them
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(n, most);
  for (std::size_t k = 0; k < count; ++k) chosen.push_back(count < 2 ? 0 : k * (n - 1) / (count - 1));
  return chosen;
}

const LineEnvelopes::Turns& turns() {
  static const auto table = [] {
    LineEnvelopes::Turns all;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double phase = 2.0 * kPi * static_cast<double>(k) / static_cast<double>(all.size());
      all[k] = Complex(static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase)));
    }
    return all;
  }();
  return table;
}

}  // namespace

LineEnvelopes::LineEnvelopes(const Acquisition& a, std::span<const std::byte> frame)
    : a_(a),
      turns_(turns()),
      transmits_(spread(a.transmits.size(), kMostTransmits)),
      elements_(spread(a.probe.elements.size(), kMostElements)) {
  const bool iq = a.signal == SignalKind::iq;
  mix_hz_ = iq ? a.demod_hz : a.center_hz;
  const auto n = static_cast<std::size_t>(a.n_samples);
  const double samples_per_period = a.sampling_hz / a.center_hz;
  const bool filtered = !iq && 2.0 * samples_per_period < a.n_samples;  // else no sample has the filter's neighbours
  const auto taps = filtered ? mixing_taps() : std::vector<Complex>{iq ? 1.0F : 0.0F};
  stride_ = filtered ? std::max<std::size_t>(1, static_cast<std::size_t>(0.25 * samples_per_period)) : 1;
  length_ = n / stride_;
  values_.resize(transmits_.size() * elements_.size() * length_);
  std::vector<Complex> line(n + taps.size());
  std::size_t row = 0;
  for (const std::size_t t : transmits_) {
    for (const std::size_t e : elements_) {
      const std::size_t at = (t * a.probe.elements.size() + e) * n;
      for (std::size_t i = 0; i < n; ++i)
        line[i] = iq ? Complex(static_cast<float>(sample_value(a, frame, 2 * (at + i))),
                               static_cast<float>(sample_value(a, frame, 2 * (at + i) + 1)))
                     : Complex(static_cast<float>(sample_value(a, frame, at + i)), 0.0F);
      fill_row(line, taps, values_.data() + row++ * length_);
    }
  }
}

void LineEnvelopes::conjugate() {
  for (Complex& value : values_) value = std::conj(value);
  for (double& cycles : offsets_) cycles = -cycles;  // the reader counted them with the other sign
}

// Hann's window, two periods long: zero at twice the frequency.
std::vector<LineEnvelopes::Complex> LineEnvelopes::mixing_taps() const {
  const auto half = static_cast<int>(std::ceil(a_.sampling_hz / a_.center_hz));
  std::vector<Complex> taps;
  for (int k = -half; k <= half; ++k) {
    const double u = static_cast<double>(k) * a_.center_hz / a_.sampling_hz;
    const double window = std::abs(u) >= 1.0 ? 0.0 : 0.5 + 0.5 * std::cos(kPi * u);
    taps.push_back(static_cast<float>(window) * turn(-u));
  }
  return taps;
}

void LineEnvelopes::fill_row(const std::vector<Complex>& line, const std::vector<Complex>& taps, Complex* out) const {
  const auto n = static_cast<std::size_t>(a_.n_samples), half = taps.size() / 2;
  for (std::size_t k = 0; k < length_; ++k) {
    const std::size_t middle = k * stride_;
    Complex sum = 0.0F;
    if (taps.size() == 1) {
      sum = line[middle] * taps[0];
    } else if (middle >= half && middle + half < n) {
      for (std::size_t j = 0; j < taps.size(); ++j) sum += line[middle - half + j].real() * taps[j];
      sum *= turn(-mix_hz_ * static_cast<double>(middle) / a_.sampling_hz);
    }
    out[k] = sum;
  }
}

}  // namespace echoloop
