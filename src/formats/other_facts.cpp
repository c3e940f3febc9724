#include "formats/other_facts.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace echoloop {
namespace {

// 0: not flat, or not equally spaced.
double pitch_of(const Probe& probe) {
  const std::vector<Element>& e = probe.elements;
  const double pitch_m = (e.back().x_m - e.front().x_m) / static_cast<double>(e.size() - 1);
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double off_m = e[i].x_m - e.front().x_m - pitch_m * static_cast<double>(i);
    if (std::abs(off_m) > 0.01 * pitch_m || e[i].z_m != e.front().z_m) return 0.0;
  }
  return pitch_m;
}

// A larger pitch leaves fewer channels in the aperture, whose coherence is higher: only smaller ones can be measured.
void add_pitches(const Acquisition& a, std::vector<OtherFact>& all) {
  constexpr double kMillimetre = 1e-3;
  constexpr double kLeast_wavelengths = 0.4, kMost_wavelengths = 2.0;  // of arrays
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
  constexpr double kLeastLargest_rad = 0.15, kMostLargest_rad = 0.6;  // as radians; as degrees 9 to 34, or below 1
  std::vector<double> angles_rad;
  for (const Transmit& t : a.transmits) {
    if (t.kind != TransmitKind::plane) return;
    angles_rad.push_back(t.angle_rad);
  }
  const auto add = [&](OtherFactKind kind, const std::vector<double>& found_rad) {
    const bool mirrored =
        std::ranges::equal(found_rad, angles_rad, {}, {}, std::negate<>());  // part of the search in time_zero.cpp
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
  std::vector<double> by_size_rad = sorted_rad;  // from the smallest on, either side first
  for (const double side : {1.0, -1.0}) {
    std::ranges::sort(by_size_rad, {},
                      [&](double angle) { return std::pair(std::round(std::abs(angle) * 1e6), side * angle); });
    add(OtherFactKind::order, by_size_rad);
  }
}

void add_iq(const Acquisition& a, std::vector<OtherFact>& all) {
  constexpr double kStep = 0.02, kMost = 0.2;  // of the frequency
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
