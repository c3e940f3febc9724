#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "formats/base/library_recording.h"
#include "formats/time_zero.h"

namespace echoloop {
namespace {

using Complex = LineEnvelopes::Complex;

std::vector<std::size_t> spread(std::size_t n, std::size_t most) {  // indices, including both ends
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
  const bool filtered = !iq && 2.0 * samples_per_period < a.n_samples;  // otherwise the filter has too few samples
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
  for (double& cycles : offsets_) cycles = -cycles;  // offsets were counted with the opposite sign
}

// Returns Hann's window, two periods long (zero at twice the frequency), times the mixing phase.
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

namespace {

// Returns the pitch of a flat, equally spaced array; otherwise 0.
double pitch_of(const Probe& probe) {
  const std::vector<Element>& e = probe.elements;
  const double pitch_m = (e.back().x_m - e.front().x_m) / static_cast<double>(e.size() - 1);
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double off_m = e[i].x_m - e.front().x_m - pitch_m * static_cast<double>(i);
    if (std::abs(off_m) > 0.01 * pitch_m || e[i].z_m != e.front().z_m) return 0.0;
  }
  return pitch_m;
}

// Adds smaller pitches only: a larger one cannot be measured, as fewer channels in the aperture are more coherent.
void add_pitches(const Acquisition& a, std::vector<OtherFact>& all) {
  constexpr double kMillimetre = 1e-3;
  constexpr double kLeast_wavelengths = 0.4, kMost_wavelengths = 2.0;  // usual range of arrays
  constexpr double kLeastSmaller = 0.9;
  const double stated_m = pitch_of(a.probe), wavelengths = stated_m / kMillimetre;
  const double wavelength_m = a.sound_speed_m_s / a.center_hz;
  const auto add = [&](OtherFactKind kind, double found_m) {
    OtherFact other{.kind = kind, .stated = stated_m, .found = found_m, .acquisition = a};
    std::vector<Element>& elements = other.acquisition.probe.elements;
    const double middle_m = 0.5 * (elements.front().x_m + elements.back().x_m);
    for (Element& e : elements) e.x_m = middle_m + (e.x_m - middle_m) * found_m / stated_m;
    all.push_back(std::move(other));
  };
  if (wavelengths >= kLeast_wavelengths && wavelengths <= kMost_wavelengths &&
      wavelengths * wavelength_m <= kLeastSmaller * stated_m)
    add(OtherFactKind::wavelengths, wavelengths * wavelength_m);
  if (stated_m > kLeast_wavelengths * wavelength_m) add(OtherFactKind::half_pitch, 0.5 * stated_m);
}

void add_angles(const Acquisition& a, std::vector<OtherFact>& all) {
  constexpr double kLeastLargest_rad = 0.15, kMostLargest_rad = 0.6;  // in radians; read as degrees 9 to 34, or below 1
  std::vector<double> angles_rad;
  for (const Transmit& t : a.transmits) {
    if (t.kind != TransmitKind::plane) return;
    angles_rad.push_back(t.angle_rad);
  }
  const auto add = [&](OtherFactKind kind, const std::vector<double>& found_rad) {
    const bool mirrored =
        std::ranges::equal(found_rad, angles_rad, {}, {}, std::negate<>());  // covered by the search in time_zero.cpp
    if (found_rad == angles_rad || mirrored) return;
    OtherFact other{.kind = kind, .acquisition = a};
    for (std::size_t k = 0; k < found_rad.size(); ++k) other.acquisition.transmits[k].angle_rad = found_rad[k];
    all.push_back(std::move(other));
  };
  std::vector<double> sorted_rad = angles_rad;
  std::ranges::sort(sorted_rad);
  const double largest_rad = std::max(-sorted_rad.front(), sorted_rad.back());
  if (largest_rad >= kLeastLargest_rad && largest_rad <= kMostLargest_rad) {
    std::vector<double> smaller_rad = angles_rad;
    for (double& angle : smaller_rad) angle *= kPi / 180.0;
    add(OtherFactKind::degrees, smaller_rad);
  }
  if (angles_rad.size() < 3) return;
  add(OtherFactKind::order, sorted_rad);
  std::vector<double> by_size_rad = sorted_rad;  // smallest first, either side first
  for (const double side : {1.0, -1.0}) {
    std::ranges::sort(by_size_rad, {},
                      [&](double angle) { return std::pair(std::round(std::abs(angle) * 1e6), side * angle); });
    add(OtherFactKind::order, by_size_rad);
  }
}

void add_iq(const Acquisition& a, std::vector<OtherFact>& all) {
  constexpr double kStep = 0.02, kMost = 0.2;  // relative to the frequency
  if (a.signal != SignalKind::iq) return;
  all.push_back({.kind = OtherFactKind::quadrature, .stated = a.demod_hz, .acquisition = a});
  const auto add = [&](double found_hz) {
    OtherFact other{.kind = OtherFactKind::demodulation, .stated = a.demod_hz, .found = found_hz, .acquisition = a};
    other.acquisition.demod_hz = found_hz;
    all.push_back(std::move(other));
  };
  if (!(a.demod_hz > 0.0)) return;
  for (double part = kStep; part <= kMost; part += kStep)
    for (const double sign : {-1.0, 1.0}) add(a.demod_hz * (1.0 + sign * part));
  if (std::abs(a.center_hz / a.demod_hz - 1.0) > 0.5 * kStep) add(a.center_hz);
}

}  // namespace

std::vector<OtherFact> other_facts(const Acquisition& a, OtherFacts sought) {
  std::vector<OtherFact> all;
  add_pitches(a, all);
  add_angles(a, all);
  if (sought == OtherFacts::all) add_iq(a, all);
  return all;
}

}  // namespace echoloop
