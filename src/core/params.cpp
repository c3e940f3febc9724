#include "core/params.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace echoloop {

bool same_pixels(const ImagingParams& a, const ImagingParams& b) {
  return a.formation == b.formation && a.transmits == b.transmits;
}

bool shows_weight(const FormationParams& params) {
  return params.adaptive_show == AdaptiveShow::weight && has_factor(params);
}

ImagingParams with_display(ImagingParams params, const DisplayParams& display) {
  params.display = display;
  return params;
}

ImagingParams without_display(ImagingParams params) { return with_display(std::move(params), {}); }

bool is_flat(const TgcGains& gains) {
  return std::all_of(gains.begin(), gains.end(), [](double g) { return g == 0.0; });
}

double tgc_at(const TgcGains& gains, double depth) {
  const double at = std::clamp(depth, 0.0, 1.0) * (kTgcSteps - 1);
  const auto lower = std::min(static_cast<std::size_t>(at), gains.size() - 2);
  return gains[lower] + (at - static_cast<double>(lower)) * (gains[lower + 1] - gains[lower]);
}

// Pixels of the image and pixels that are beamformed: Cartesian or polar, each pixel or line by line.

namespace {

constexpr double kMaxPixels = 240000.0;  // useful limit of an image on the screen

int count_of(double length, double step, int least) {
  return std::clamp(static_cast<int>(std::lround(length / step)) + 1, least, 2048);
}

// Returns a grid with radii a third of a wavelength apart, and lines a third of the beam's width at half depth, i.e.
// wavelength times depth over aperture (the whole array, or as limited by the F-number).
Grid make_polar_grid(const ImagingParams& p, const Acquisition& a) {
  const double apex_z_m = sector_apex_z_m(a.probe);
  const Sector sector{.apex_z_m = apex_z_m,
                      .angle0_rad = p.formation.sector_min_rad,
                      .angle1_rad = p.formation.sector_max_rad,
                      .r0_m = std::max(p.formation.depth_min_m - apex_z_m, 0.0),
                      .r1_m = std::max(p.formation.depth_max_m - apex_z_m, 1e-4)};
  const auto [left, right] = std::ranges::minmax_element(a.probe.elements, {}, &Element::x_m);
  const double width_m = std::max(right->x_m - left->x_m, 1e-3);
  const double middle_m = std::max(0.5 * (p.formation.depth_min_m + p.formation.depth_max_m), 1e-3);
  const double wavelength_m = a.sound_speed_m_s / a.center_hz;
  double step_m = wavelength_m / 3.0;
  double step_rad = step_m * std::max(middle_m / width_m, p.formation.f_number) / std::max(middle_m - apex_z_m, 1e-3);
  const double span_rad = p.formation.sector_max_rad - p.formation.sector_min_rad;
  const double span_m = sector.r1_m - sector.r0_m;
  const double wanted = span_rad / step_rad * (span_m / step_m);
  if (wanted > kMaxPixels) step_rad *= std::sqrt(wanted / kMaxPixels), step_m *= std::sqrt(wanted / kMaxPixels);
  int nx = p.formation.grid_nx > 0 ? p.formation.grid_nx : count_of(span_rad, step_rad, 32);
  if (const auto lines = find_scan_lines(a); p.formation.grid_nx == 0 && forms_lines(p, a) && !lines->parallel) {
    const double step = (lines->last - lines->first) / (lines->count - 1);
    nx = std::max(count_of(span_rad, step, 2), 2);
  }
  return polar_grid(sector, nx, p.formation.grid_nz > 0 ? p.formation.grid_nz : count_of(span_m, step_m, 32));
}

// Extends the sector's radii from the nearest to the farthest point of a Cartesian image, seen from the apex.
void cover(const Grid& picture, Sector& sector) {
  const double down0 = picture.z0_m - sector.apex_z_m, down1 = picture.z1_m - sector.apex_z_m;
  const double across = std::clamp(0.0, picture.x0_m, picture.x1_m);
  sector.r0_m = std::hypot(across, std::clamp(0.0, down0, down1));
  sector.r1_m =
      std::hypot(std::max(std::abs(picture.x0_m), std::abs(picture.x1_m)), std::max(std::abs(down0), std::abs(down1)));
}

}  // namespace

GridKind grid_kind(const ImagingParams& p, const Acquisition& a) {
  if (p.formation.recipe == Recipe::course || p.formation.grid_kind == GridChoice::cartesian)
    return GridKind::cartesian;
  return p.formation.grid_kind == GridChoice::polar || looks_into_sector(a) ? GridKind::polar : GridKind::cartesian;
}

bool forms_lines(const ImagingParams& p, const Acquisition& a) {
  if (p.formation.recipe == Recipe::course || p.formation.compounding == Compounding::coherent) return false;
  constexpr int kFewDirections = 7;  // up to which focused waves are compounded as any others
  // Cones are for pixels that use several beams: without an explicit choice of lines, none are formed then.
  if (p.formation.compounding == Compounding::automatic && p.transmits.cone != TransmitCone::off) return false;
  const auto lines = find_scan_lines(a);
  return lines.has_value() && (p.formation.compounding == Compounding::lines || lines->count > kFewDirections);
}

Grid make_grid(const ImagingParams& p, const Acquisition& a) {
  if (grid_kind(p, a) == GridKind::polar) return make_polar_grid(p, a);
  Grid grid{.x0_m = p.formation.lateral_min_m,
            .x1_m = p.formation.lateral_max_m,
            .z0_m = p.formation.depth_min_m,
            .z1_m = p.formation.depth_max_m,
            .nx = p.formation.grid_nx,
            .nz = p.formation.grid_nz};
  // A third of a wavelength resolves the lateral beam (at best F lambda) and the pulse (about a wavelength) ...
  double step = a.sound_speed_m_s / a.center_hz / 3.0;
  if (a.data == DataKind::beamformed) {  // its own pixels
    const double row_m = 0.5 * a.sound_speed_m_s / a.sampling_hz;
    if (grid.nx == 0) grid.nx = count_of(p.formation.lateral_max_m - p.formation.lateral_min_m, a.probe.pitch_m, 2);
    if (grid.nz == 0) grid.nz = count_of(p.formation.depth_max_m - p.formation.depth_min_m, row_m, 2);
    return grid;
  }
  // ... but limited to the useful pixels of an image on the screen.
  const double wanted = (p.formation.lateral_max_m - p.formation.lateral_min_m) / step *
                        ((p.formation.depth_max_m - p.formation.depth_min_m) / step);
  if (wanted > kMaxPixels) step *= std::sqrt(wanted / kMaxPixels);
  if (grid.nx == 0) grid.nx = count_of(p.formation.lateral_max_m - p.formation.lateral_min_m, step, 32);
  if (grid.nz == 0) grid.nz = count_of(p.formation.depth_max_m - p.formation.depth_min_m, step, 32);
  return grid;
}

Grid make_beam_grid(const ImagingParams& p, const Acquisition& a, const Grid& picture) {
  const bool columns = a.data == DataKind::beamformed;
  if (!columns && !forms_lines(p, a)) return picture;
  // The image is interpolated from samples along the beam a sixteenth of a wavelength apart: with an eighth, dips of
  // the envelope would be off by a quarter of a decibel (rms).
  const double step_m = a.sound_speed_m_s / a.center_hz / 16.0;
  const auto rows = [step_m](double length_m) {
    return std::clamp(static_cast<int>(std::ceil(length_m / step_m)) + 1, 2, kMaxGridSide);
  };
  const auto parallel_columns = [&](double first_m, double last_m, int count) -> Grid {
    return {.x0_m = first_m,
            .x1_m = last_m,
            .z0_m = picture.z0_m,
            .z1_m = picture.z1_m,
            .nx = count,
            .nz = picture.polar() ? rows(picture.z1_m - picture.z0_m) : picture.nz};
  };
  const std::vector<Element>& elements = a.probe.elements;
  if (columns) return parallel_columns(elements.front().x_m, elements.back().x_m, a.n_elements());
  const auto lines = find_scan_lines(a);
  if (lines->parallel) return parallel_columns(lines->first, lines->last, lines->count);
  Sector sector = picture.sector;
  sector.apex_z_m = sector_apex_z_m(a.probe);
  if (!picture.polar()) cover(picture, sector);
  sector.angle0_rad = lines->first;
  sector.angle1_rad = lines->last;
  return polar_grid(sector, lines->count, picture.polar() ? picture.nz : rows(sector.r1_m - sector.r0_m));
}

TransmitPick picked_transmits(const ImagingParams& p, const Acquisition& a) {
  const int n = a.n_transmits();
  if (forms_lines(p, a)) return {.first = 0, .every = 1, .count = n};
  const int first = std::clamp(p.transmits.first - 1, 0, n - 1);
  const int last = p.transmits.last == 0 ? n - 1 : std::clamp(p.transmits.last - 1, first, n - 1);
  const int count = (last - first) / p.transmits.every + 1;
  return {.first = first, .every = count > 1 ? p.transmits.every : 1, .count = count};
}

bool uses_cones(const ImagingParams& p, const Acquisition& a) {
  if (p.transmits.cone == TransmitCone::off || p.formation.recipe == Recipe::course) return false;
  return a.data == DataKind::channels && all_focused(a) && !forms_lines(p, a) && picked_transmits(p, a).count > 1;
}

AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick) {
  if (pick.count == acquisition->n_transmits()) return acquisition;
  auto picked = std::make_shared<Acquisition>(*acquisition);
  picked->transmits.clear();
  for (int i = 0; i < pick.count; ++i)
    picked->transmits.push_back(acquisition->transmits[static_cast<std::size_t>(pick.first + i * pick.every)]);
  return picked;
}

std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick) {
  std::vector<BeamAxis> picked;
  if (!all_focused(acquisition)) return picked;
  const std::vector<BeamAxis> all = beam_axes(acquisition);
  for (int k = 0; k < pick.count; ++k) picked.push_back(all[static_cast<std::size_t>(pick.first + k * pick.every)]);
  return picked;
}

double transmit_level_db(const ImagingParams& p, const Acquisition& a) {
  return uses_cones(p, a) ? 0.0
                          : 20.0 * std::log10(static_cast<double>(picked_transmits(p, a).count) / a.n_transmits());
}

}  // namespace echoloop
