#include "core/params.h"

#include <algorithm>
#include <cmath>

#include "core/scan_lines.h"
#include "core/units.h"

namespace echoloop {
namespace {

// Nyquist zone [k fs/2, (k+1) fs/2] of the centre frequency: RF outside it folds onto the band.
void clip_to_nyquist_zone(ImagingParams& p, const Acquisition& a) {
  if (a.signal == SignalKind::iq) {  // has been filtered when it was made: all of it
    p.band_low_hz = std::max(a.demod_hz - 0.5 * a.sampling_hz, 0.0);
    p.band_high_hz = a.demod_hz + 0.5 * a.sampling_hz;
    return;
  }
  const double half = 0.5 * a.sampling_hz;
  const double zone = std::floor(a.center_hz / half);
  p.band_low_hz = std::max(p.band_low_hz, zone * half);
  p.band_high_hz = std::min(p.band_high_hz, (zone + 1.0) * half);
}

// The array's depth nearest to the origin, where times count from: 0 for one that reaches it.
double array_depth_m(const Probe& probe) {
  const auto by_depth = [](const Element& l, const Element& r) { return l.z_m < r.z_m; };
  const auto [top, bottom] = std::minmax_element(probe.elements.begin(), probe.elements.end(), by_depth);
  return std::clamp(0.0, top->z_m, bottom->z_m);
}

void default_depth(ImagingParams& p, const Acquisition& a) {
  double first_s = 0.0;
  double last_s = 1e9;
  for (const Transmit& t : a.transmits) {
    first_s = std::max(first_s, t.t0_s);
    last_s = std::min(last_s, t.t0_s + (a.n_samples - 1) / a.sampling_hz);
  }
  const double c = a.sound_speed_m_s;
  if (a.data == DataKind::beamformed) {  // all of it, but for the row that no other follows
    p.depth_min_m = std::max(0.5 * c * first_s, 0.0);
    p.depth_max_m = 0.5 * c * (last_s - 1.0 / a.sampling_hz);
    return;
  }
  const double probe_m = array_depth_m(a.probe);
  const double recorded = std::max(0.5 * (c * last_s + probe_m), probe_m + 1e-3);
  // The last samples of the outer elements are needed by pixels well above the last depth: keep 4 % in hand.
  p.depth_max_m = std::round(0.96 * recorded * 1e4) * 1e-4;
  // The first millimetres hold the pulse itself.
  p.depth_min_m =
      std::round(std::min(std::max(0.5 * (c * first_s + probe_m), probe_m + 2e-3), 0.5 * (probe_m + p.depth_max_m)) *
                 1e4) *
      1e-4;
  if (a.probe.kind != ProbeKind::convex) return;  // whose middle bulges into the tissue
  double surface_m = 0.0;
  for (const Element& e : a.probe.elements) surface_m = std::max(surface_m, e.z_m);
  p.depth_min_m = std::max(p.depth_min_m, std::round((surface_m + 2e-3) * 1e4) * 1e-4);
  p.depth_max_m = std::max(p.depth_max_m, p.depth_min_m + 1e-3);
}

void default_lateral(ImagingParams& p, const Acquisition& a) {
  const auto [left, right] = std::minmax_element(a.probe.elements.begin(), a.probe.elements.end(),
                                                 [](const Element& l, const Element& r) { return l.x_m < r.x_m; });
  if (a.data == DataKind::beamformed) {
    p.lateral_min_m = left->x_m;
    p.lateral_max_m = right->x_m;
    return;
  }
  double half = std::max({std::abs(left->x_m), std::abs(right->x_m), 1e-3}) + 0.5 * a.probe.pitch_m;
  // A curved or phased array sees beyond its own edges: 35 degrees to either side.
  if (looks_into_sector(a)) half = std::max(half, p.depth_max_m * std::sin(35.0 * kRadiansPerDegree));
  p.lateral_max_m = std::round(half * 1e5) * 1e-5;
  p.lateral_min_m = -p.lateral_max_m;
}

// Lines from where the elements or the waves look to: at most 45 degrees to either side.
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
  half = std::clamp(half, 5.0 * kRadiansPerDegree, 45.0 * kRadiansPerDegree);
  p.sector_max_rad = std::round(half / kRadiansPerDegree * 10.0) * 0.1 * kRadiansPerDegree;
  p.sector_min_rad = -p.sector_max_rad;
  if (const auto lines = find_scan_lines(a); lines.has_value() && !lines->parallel) {
    p.sector_min_rad = std::max(lines->first, -0.5 * kPi);
    p.sector_max_rad = std::min(lines->last, 0.5 * kPi);
  }
}

constexpr double kMaxPixels = 240000.0;  // no more than a picture on the screen can use

int count_of(double length, double step, int least) {
  return std::clamp(static_cast<int>(std::lround(length / step)) + 1, least, 2048);
}

// Lines a third of a beam apart, as it is half way down; radii a third of a wavelength.
Grid make_polar_grid(const ImagingParams& p, const Acquisition& a) {
  const double apex_z_m = sector_apex_z_m(a.probe);
  const Sector sector{.apex_z_m = apex_z_m,
                      .angle0_rad = p.sector_min_rad,
                      .angle1_rad = p.sector_max_rad,
                      .r0_m = std::max(p.depth_min_m - apex_z_m, 0.0),
                      .r1_m = std::max(p.depth_max_m - apex_z_m, 1e-4)};
  const auto [left, right] = std::minmax_element(a.probe.elements.begin(), a.probe.elements.end(),
                                                 [](const Element& l, const Element& r) { return l.x_m < r.x_m; });
  const double width_m = std::max(right->x_m - left->x_m, 1e-3);
  const double middle_m = std::max(0.5 * (p.depth_min_m + p.depth_max_m), 1e-3);
  const double wavelength_m = a.sound_speed_m_s / a.center_hz;
  double step_m = wavelength_m / 3.0;
  double step_rad = step_m * std::max(middle_m / width_m, p.f_number) / std::max(middle_m - apex_z_m, 1e-3);
  const double span_rad = p.sector_max_rad - p.sector_min_rad;
  const double span_m = sector.r1_m - sector.r0_m;
  const double wanted = span_rad / step_rad * (span_m / step_m);
  if (wanted > kMaxPixels) step_rad *= std::sqrt(wanted / kMaxPixels), step_m *= std::sqrt(wanted / kMaxPixels);
  int nx = p.grid_nx > 0 ? p.grid_nx : count_of(span_rad, step_rad, 32);
  if (const auto lines = find_scan_lines(a); p.grid_nx == 0 && forms_lines(p, a) && !lines->parallel) {
    const double step = (lines->last - lines->first) / (lines->count - 1);
    nx = std::max(count_of(span_rad, step, 2), 2);
  }
  return polar_grid(sector, nx, p.grid_nz > 0 ? p.grid_nz : count_of(span_m, step_m, 32));
}

// The distances from (0, apex) that a Cartesian picture has.
void cover(const Grid& picture, Sector& sector) {
  const double down0 = picture.z0_m - sector.apex_z_m, down1 = picture.z1_m - sector.apex_z_m;
  const double across = std::clamp(0.0, picture.x0_m, picture.x1_m);
  sector.r0_m = std::hypot(across, std::clamp(0.0, down0, down1));
  sector.r1_m =
      std::hypot(std::max(std::abs(picture.x0_m), std::abs(picture.x1_m)), std::max(std::abs(down0), std::abs(down1)));
}

}  // namespace

ImagingParams default_params(const Acquisition& a) {
  ImagingParams p;
  p.sound_speed_m_s = a.sound_speed_m_s;
  if (works_as_phased(a)) p.f_number = 0.0;
  // The filter cuts sharply at its edges: half as wide again as the pulse's own (-6 dB) band, so that it does not ring.
  const double half_band = a.bandwidth_hz > 0.0 ? 0.75 * a.bandwidth_hz : 0.5 * a.center_hz;
  p.band_low_hz = std::max(a.center_hz - half_band, 0.0);
  p.band_high_hz = a.center_hz + half_band;
  clip_to_nyquist_zone(p, a);
  default_depth(p, a);
  default_lateral(p, a);
  default_sector(p, a);
  p.gate_x_m = 0.5 * (p.lateral_min_m + p.lateral_max_m);
  p.gate_z_m = 0.5 * (p.depth_min_m + p.depth_max_m);
  // 30 Hz at a PRF of 1 kHz: tissue moves so much slower than blood.
  p.sonogram_cutoff_hz = std::round(0.03 * a.frame_rate_hz);
  p.reference_db = kAutoReference;
  return p;
}

std::array<double, kTgcSteps> tgc_db(const ImagingParams& p) {
  return {p.tgc_1_db, p.tgc_2_db, p.tgc_3_db, p.tgc_4_db, p.tgc_5_db, p.tgc_6_db, p.tgc_7_db, p.tgc_8_db};
}

bool is_flat(const std::array<double, kTgcSteps>& gains) {
  return std::all_of(gains.begin(), gains.end(), [](double g) { return g == 0.0; });
}

double tgc_at(const std::array<double, kTgcSteps>& gains, double place) {
  const double at = std::clamp(place, 0.0, 1.0) * (kTgcSteps - 1);
  const auto lower = std::min(static_cast<std::size_t>(at), gains.size() - 2);
  return gains[lower] + (at - static_cast<double>(lower)) * (gains[lower + 1] - gains[lower]);
}

GridKind grid_kind(const ImagingParams& p, const Acquisition& a) {
  if (p.recipe == Recipe::course || p.grid_kind == GridChoice::cartesian) return GridKind::cartesian;
  return p.grid_kind == GridChoice::polar || looks_into_sector(a) ? GridKind::polar : GridKind::cartesian;
}

bool forms_lines(const ImagingParams& p, const Acquisition& a) {
  if (p.recipe == Recipe::course || p.compounding == Compounding::coherent) return false;
  constexpr int kFewDirections = 7;  // up to here focused waves are compounded like any others
  const auto lines = find_scan_lines(a);
  return lines.has_value() && (p.compounding == Compounding::lines || lines->count > kFewDirections);
}

Grid make_beam_grid(const ImagingParams& p, const Acquisition& a, const Grid& picture) {
  const bool columns = a.data == DataKind::beamformed;
  if (!columns && !forms_lines(p, a)) return picture;
  // Of a wavelength: between samples of an envelope half as dense its dips are off by a quarter of a decibel (rms).
  constexpr double kFine = 1.0 / 16.0;
  const double step_m = kFine * a.sound_speed_m_s / a.center_hz;
  const auto rows = [step_m](double length) {
    return std::clamp(static_cast<int>(std::ceil(length / step_m)) + 1, 2, kMaxGridSide);
  };
  if (columns) {
    return {.x0_m = a.probe.elements.front().x_m,
            .x1_m = a.probe.elements.back().x_m,
            .z0_m = picture.z0_m,
            .z1_m = picture.z1_m,
            .nx = a.n_elements(),
            .nz = picture.polar() ? rows(picture.z1_m - picture.z0_m) : picture.nz};
  }
  const auto lines = find_scan_lines(a);
  if (lines->parallel) {
    return {.x0_m = lines->first,
            .x1_m = lines->last,
            .z0_m = picture.z0_m,
            .z1_m = picture.z1_m,
            .nx = lines->count,
            .nz = picture.polar() ? rows(picture.z1_m - picture.z0_m) : picture.nz};
  }
  Sector sector = picture.sector;
  sector.apex_z_m = sector_apex_z_m(a.probe);
  if (!picture.polar()) cover(picture, sector);
  sector.angle0_rad = lines->first;
  sector.angle1_rad = lines->last;
  return polar_grid(sector, lines->count, picture.polar() ? picture.nz : rows(sector.r1_m - sector.r0_m));
}

Grid make_grid(const ImagingParams& p, const Acquisition& a) {
  if (grid_kind(p, a) == GridKind::polar) return make_polar_grid(p, a);
  Grid grid{.x0_m = p.lateral_min_m,
            .x1_m = p.lateral_max_m,
            .z0_m = p.depth_min_m,
            .z1_m = p.depth_max_m,
            .nx = p.grid_nx,
            .nz = p.grid_nz};
  // A third of a wavelength resolves the lateral beam (at best F lambda) and the pulse (about a wavelength) ...
  double step = a.sound_speed_m_s / a.center_hz / 3.0;
  if (a.data == DataKind::beamformed) {  // its own pixels
    const double row_m = 0.5 * a.sound_speed_m_s / a.sampling_hz;
    if (grid.nx == 0) grid.nx = count_of(p.lateral_max_m - p.lateral_min_m, a.probe.pitch_m, 2);
    if (grid.nz == 0) grid.nz = count_of(p.depth_max_m - p.depth_min_m, row_m, 2);
    return grid;
  }
  // ... but no more pixels than a picture on the screen can use.
  const double wanted = (p.lateral_max_m - p.lateral_min_m) / step * ((p.depth_max_m - p.depth_min_m) / step);
  if (wanted > kMaxPixels) step *= std::sqrt(wanted / kMaxPixels);
  if (grid.nx == 0) grid.nx = count_of(p.lateral_max_m - p.lateral_min_m, step, 32);
  if (grid.nz == 0) grid.nz = count_of(p.depth_max_m - p.depth_min_m, step, 32);
  return grid;
}

}  // namespace echoloop
