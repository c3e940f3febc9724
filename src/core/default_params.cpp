// Default parameters of a source: band, depth, width and sector.
#include <algorithm>
#include <cmath>

#include "core/grid.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/params.h"
#include "core/units.h"

namespace echoloop {
namespace {

// Limits the band to the Nyquist zone [k fs/2, (k+1) fs/2] of the centre frequency: RF outside it aliases onto the
// band.
void clip_to_nyquist_zone(ImagingParams& p, const Acquisition& a) {
  if (a.signal == SignalKind::iq) {  // filtered when it was made: uses all of its band
    p.formation.band_low_hz = std::max(a.demod_hz - 0.5 * a.sampling_hz, 0.0);
    p.formation.band_high_hz = a.demod_hz + 0.5 * a.sampling_hz;
    return;
  }
  const double half = 0.5 * a.sampling_hz;
  const double zone = std::floor(a.center_hz / half);
  p.formation.band_low_hz = std::max(p.formation.band_low_hz, zone * half);
  p.formation.band_high_hz = std::min(p.formation.band_high_hz, (zone + 1.0) * half);
}

// Returns the array's depth nearest to the origin, the reference of times: 0 if the array reaches it.
double array_depth_m(const Probe& probe) {
  const auto by_depth = [](const Element& l, const Element& r) { return l.z_m < r.z_m; };
  const auto [top, bottom] = std::minmax_element(probe.elements.begin(), probe.elements.end(), by_depth);
  return std::clamp(0.0, top->z_m, bottom->z_m);
}

// Returns the time when the beam of each focused transmit leaves the array: after time zero if the aperture walks.
// Empty for other waves.
std::vector<double> beam_starts_s(const Acquisition& a) {
  const auto lines = find_scan_lines(a);
  if (!lines || (!lines->parallel && a.probe.kind != ProbeKind::convex)) return {};
  const Element& end = a.probe.elements.front();
  const double apex_z_m = sector_apex_z_m(a.probe);
  const double radius_m = std::hypot(end.x_m, end.z_m - apex_z_m);
  std::vector<double> starts_s;
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const Transmit& t = a.transmits[k];
    const double at = lines->at[k];
    const double x_m = lines->parallel ? at : radius_m * std::sin(at);
    const double z_m = lines->parallel ? end.z_m : apex_z_m + radius_m * std::cos(at);
    const double ahead_m = std::hypot(t.source_x_m, t.source_z_m) - std::hypot(t.source_x_m - x_m, t.source_z_m - z_m);
    starts_s.push_back((ahead_m - array_depth_m(a.probe)) / a.sound_speed_m_s);
  }
  return starts_s;
}

// Rounds to 0.1 mm, or finer for shorter wavelengths.
double rounded_length(double length_m, double wavelength_m) {
  const double steps = std::max(std::pow(10.0, std::ceil(-std::log10(wavelength_m))), 1e4);  // per metre
  return std::round(length_m * steps) / steps;
}

void default_depth(ImagingParams& p, const Acquisition& a) {
  double first_s = 0.0;
  double last_s = 1e9;
  const std::vector<double> starts_s = beam_starts_s(a);
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const double t0_s = a.transmits[k].t0_s - (starts_s.empty() ? 0.0 : starts_s[k]);
    first_s = std::max(first_s, t0_s);
    last_s = std::min(last_s, t0_s + (a.n_samples - 1) / a.sampling_hz);
  }
  const double c = a.sound_speed_m_s;
  if (a.data == DataKind::beamformed) {  // its own rows
    p.formation.depth_min_m = std::max(0.5 * c * first_s, 0.0);
    p.formation.depth_max_m = 0.5 * c * last_s;
    return;
  }
  const double probe_m = array_depth_m(a.probe);
  const double wavelength_m = c / a.center_hz;
  const double pulse_m = std::min(2e-3, 20.0 * wavelength_m);  // the transmitted pulse covers the first echoes
  const double recorded = std::max(0.5 * (c * last_s + probe_m), probe_m + 0.5 * pulse_m);
  // The last samples of the outer elements are needed by pixels well above the last depth: keeps a margin of 4 %.
  p.formation.depth_max_m = rounded_length(0.96 * recorded, wavelength_m);
  p.formation.depth_min_m = rounded_length(
      std::min(std::max(0.5 * (c * first_s + probe_m), probe_m + pulse_m), 0.5 * (probe_m + p.formation.depth_max_m)),
      wavelength_m);
  // The centre of a convex array protrudes into the tissue: the image begins below it.
  if (a.probe.kind != ProbeKind::convex) return;
  double surface_m = 0.0;
  for (const Element& e : a.probe.elements) surface_m = std::max(surface_m, e.z_m);
  p.formation.depth_min_m = std::max(p.formation.depth_min_m, rounded_length(surface_m + pulse_m, wavelength_m));
  p.formation.depth_max_m = std::max(p.formation.depth_max_m, p.formation.depth_min_m + 0.5 * pulse_m);
}

void default_lateral(ImagingParams& p, const Acquisition& a) {
  const auto [left, right] = std::ranges::minmax_element(a.probe.elements, {}, &Element::x_m);
  if (a.data == DataKind::beamformed) {
    p.formation.lateral_min_m = left->x_m;
    p.formation.lateral_max_m = right->x_m;
    return;
  }
  double half =
      std::max({std::abs(left->x_m), std::abs(right->x_m), std::min(1e-3, 20.0 * a.sound_speed_m_s / a.center_hz)}) +
      0.5 * a.probe.pitch_m;
  // A curved or phased array sees beyond its edges: 35 degrees to each side.
  if (looks_into_sector(a)) half = std::max(half, p.formation.depth_max_m * std::sin(35.0 * kRadiansPerDegree));
  p.formation.lateral_max_m = std::round(half * 1e5) * 1e-5;
  p.formation.lateral_min_m = -p.formation.lateral_max_m;
}

// Sets the sector. Convex array: directions of its elements from the apex. Flat array: 35 degrees to each side, or as
// far as diverging waves reach, up to 45. With scan lines: from the first to the last.
void default_sector(ImagingParams& p, const Acquisition& a) {
  const double apex_z_m = sector_apex_z_m(a.probe);
  double half = a.probe.kind == ProbeKind::convex ? 0.0 : 35.0 * kRadiansPerDegree;
  for (const Element& e : a.probe.elements) {
    if (a.probe.kind == ProbeKind::convex) half = std::max(half, std::abs(std::atan2(e.x_m, e.z_m - apex_z_m)));
    for (const Transmit& t : a.transmits) {
      if (t.kind != TransmitKind::diverging || a.probe.kind == ProbeKind::convex) continue;
      half = std::max(half, std::abs(std::atan2(e.x_m - t.source_x_m, e.z_m - t.source_z_m)));
    }
  }
  const double most = a.probe.kind == ProbeKind::convex ? 90.0 : 45.0;
  half = std::clamp(half, 5.0 * kRadiansPerDegree, most * kRadiansPerDegree);
  p.formation.sector_max_rad = std::round(half / kRadiansPerDegree * 10.0) * 0.1 * kRadiansPerDegree;
  p.formation.sector_min_rad = -p.formation.sector_max_rad;
  if (const auto lines = find_scan_lines(a); lines.has_value() && !lines->parallel) {
    p.formation.sector_min_rad = std::max(lines->first, -0.5 * kPi);
    p.formation.sector_max_rad = std::min(lines->last, 0.5 * kPi);
  }
}

// Returns focal distance over width of the transmit aperture, the median of the transmits; the whole array if the width
// is unknown. 0: not all are focused.
double default_cone_f_number(const Acquisition& a) {
  if (!all_focused(a)) return 0.0;
  const double apex_z_m = sector_apex_z_m(a.probe);
  const auto [left, right] = std::ranges::minmax_element(a.probe.elements, {}, &Element::x_m);
  const double array_m = std::max(right->x_m - left->x_m + a.probe.pitch_m, 1e-6);
  const double radius_m = std::hypot(left->x_m, left->z_m - apex_z_m);
  std::vector<double> f_numbers;
  for (const Transmit& t : a.transmits) {
    const double depth_m = a.probe.kind == ProbeKind::convex
                               ? std::hypot(t.source_x_m, t.source_z_m - apex_z_m) - radius_m
                               : t.source_z_m - left->z_m;
    f_numbers.push_back(depth_m / (t.aperture_m > 0.0 ? t.aperture_m : array_m));
  }
  const auto middle = f_numbers.begin() + static_cast<std::ptrdiff_t>(f_numbers.size() / 2);
  std::nth_element(f_numbers.begin(), middle, f_numbers.end());
  return std::round(std::max(*middle, 0.1) * 100.0) / 100.0;
}

// Returns parameters from the recording, possibly outside the limits of the parameters.
ImagingParams recorded_params(const Acquisition& a) {
  ImagingParams p;
  p.formation.sound_speed_m_s = a.sound_speed_m_s;
  if (works_as_phased(a)) p.formation.f_number = 0.0;
  // The filter is steep at its edges: 1.5 times the pulse's own (-6 dB) band, so that it does not ring.
  const double half_band = a.bandwidth_hz > 0.0 ? 0.75 * a.bandwidth_hz : 0.5 * a.center_hz;
  p.formation.band_low_hz = std::max(a.center_hz - half_band, 0.0);
  p.formation.band_high_hz = a.center_hz + half_band;
  clip_to_nyquist_zone(p, a);
  default_depth(p, a);
  default_lateral(p, a);
  default_sector(p, a);
  p.formation.adaptive_kernel_m = a.sound_speed_m_s / a.center_hz;
  p.transmits.cone_f_number = default_cone_f_number(a);
  p.doppler.x_m = 0.5 * (p.formation.lateral_min_m + p.formation.lateral_max_m);
  p.doppler.z_m = 0.5 * (p.formation.depth_min_m + p.formation.depth_max_m);
  // 30 Hz at a PRF of 1 kHz: ratio of tissue to blood speeds.
  p.doppler.cutoff_hz = std::round(0.03 * a.frame_rate_hz);
  p.level.reference_db = kAutoReference;
  return p;
}

ImagingParams limited(ImagingParams p) {
  for (const ParamSpec& spec : param_table())
    if (spec.from_acquisition) set_number(p, spec, get_number(p, spec));
  return p;
}

}  // namespace

ImagingParams default_params(const Acquisition& a) {
  ImagingParams p = limited(recorded_params(a));
  set_own_method(p.formation, loaded_own_method());
  return p;
}

std::vector<std::string> limited_defaults(const Acquisition& a) {
  const ImagingParams recorded = recorded_params(a);
  const ImagingParams defaults = limited(recorded);
  std::vector<std::string> texts;
  for (const ParamSpec& spec : param_table()) {
    if (get_number(defaults, spec) == get_number(recorded, spec)) continue;
    texts.push_back("default of " + std::string(spec.key) + " limited to " + get_text(defaults, spec) +
                    ": the recording gives " + get_text(recorded, spec));
  }
  return texts;
}

}  // namespace echoloop
