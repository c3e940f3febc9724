#include "measure/point_spread.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "measure/region.h"

namespace echoloop {
namespace {

constexpr double kWidthLevel_db = 6.0;
constexpr double kFitDown_db = 10.0;

struct Pixel {
  int ix, iz;
};

double level(const LevelImage& p, int ix, int iz) {
  const auto db = static_cast<double>(p.at(ix, iz));
  return db > kNoEcho_db ? db : kNoEcho_db;  // also NaN
}

std::optional<Pixel> brightest_near(const LevelImage& picture, PlanePoint click, double reach_m) {
  const Grid& g = picture.grid;
  const Region near{RegionShape::circle, {click, {click.x_m + reach_m, click.z_m}}};
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : pixels_in(near, g).index)
    if (picture.db[i] > static_cast<float>(kNoEcho_db) && (!best || picture.db[i] > picture.db[*best])) best = i;
  if (!best) return std::nullopt;
  const auto nx = static_cast<std::uint32_t>(g.nx);
  return Pixel{static_cast<int>(*best % nx), static_cast<int>(*best / nx)};
}

// Climbs until no neighbour is brighter. Terminates, as every step is brighter than the last.
Pixel climb(const LevelImage& picture, Pixel at) {
  const Grid& g = picture.grid;
  for (;;) {
    Pixel best = at;
    for (int iz = std::max(0, at.iz - 1); iz <= std::min(g.nz - 1, at.iz + 1); ++iz) {
      for (int ix = std::max(0, at.ix - 1); ix <= std::min(g.nx - 1, at.ix + 1); ++ix)
        if (level(picture, ix, iz) > level(picture, best.ix, best.iz)) best = {ix, iz};
    }
    if (best.ix == at.ix && best.iz == at.iz) return at;
    at = best;
  }
}

// Returns the vertex of the parabola through three values around the maximum, in steps (-1/2 .. 1/2).
double vertex(const std::vector<double>& profile, std::size_t peak) {
  if (peak == 0 || peak + 1 >= profile.size()) return 0.0;
  const double before = profile[peak - 1], after = profile[peak + 1];
  const double curvature = before - 2.0 * profile[peak] + after;
  return curvature < 0.0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
}

// Returns the position where the profile crosses `at_db` from the peak in steps of `way`; NaN: nowhere.
double crossing(const std::vector<double>& profile, std::size_t peak, int way, double at_db) {
  auto i = static_cast<std::ptrdiff_t>(peak);
  const auto n = static_cast<std::ptrdiff_t>(profile.size());
  while (i >= 0 && i < n && profile[static_cast<std::size_t>(i)] > at_db) i += way;
  if (i < 0 || i >= n) return std::numeric_limits<double>::quiet_NaN();
  const double below = profile[static_cast<std::size_t>(i)], above = profile[static_cast<std::size_t>(i - way)];
  return static_cast<double>(i) - way * (at_db - below) / (above - below);
}

// Fits c0 + c1 u + c2 u^2 by least squares, u in pixels from the peak; not scaled further, as n is small.
std::optional<LobeFit> fit_lobe(const std::vector<double>& profile, std::size_t peak, double shift, double step_m) {
  if (peak == 0 || peak + 1 >= profile.size()) return std::nullopt;
  std::size_t first = peak - 1, last = peak + 1;
  const double least = profile[peak] - kFitDown_db;
  while (first > 0 && profile[first - 1] >= least && profile[first - 1] < profile[first]) --first;
  while (last + 1 < profile.size() && profile[last + 1] >= least && profile[last + 1] < profile[last]) ++last;
  double m[5] = {}, y[3] = {};
  for (std::size_t i = first; i <= last; ++i) {
    const double u = static_cast<double>(i) - static_cast<double>(peak);
    for (int k = 0; k < 5; ++k) m[k] += std::pow(u, k);
    for (int k = 0; k < 3; ++k) y[k] += std::pow(u, k) * (profile[i] - profile[peak]);
  }
  const auto det = [](double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  };
  const double all = det(m[0], m[1], m[2], m[1], m[2], m[3], m[2], m[3], m[4]);
  const double c0 = det(y[0], m[1], m[2], y[1], m[2], m[3], y[2], m[3], m[4]) / all;
  const double c1 = det(m[0], y[0], m[2], m[1], y[1], m[3], m[2], y[2], m[4]) / all;
  const double c2 = det(m[0], m[1], y[0], m[1], m[2], y[1], m[2], m[3], y[2]) / all;
  if (!(c2 < 0.0)) return std::nullopt;
  const double centre = -0.5 * c1 / c2;
  return LobeFit{.centre_m = (centre - shift) * step_m,
                 .peak_db = c0 - c2 * centre * centre,
                 .fall_db_m2 = -c2 / (step_m * step_m)};
}

// Returns the highest pixel after the first minimum, within `far` pixels of the peak.
std::optional<std::size_t> highest_beyond(const std::vector<double>& profile, std::size_t peak, int way, double far) {
  const auto n = static_cast<std::ptrdiff_t>(profile.size());
  const auto value = [&](std::ptrdiff_t i) { return profile[static_cast<std::size_t>(i)]; };
  auto i = static_cast<std::ptrdiff_t>(peak);
  const auto inside = [&](std::ptrdiff_t k) {
    return k >= 0 && k < n && std::abs(static_cast<double>(k - static_cast<std::ptrdiff_t>(peak))) <= far;
  };
  const double least = profile[peak] - kWidthLevel_db;
  while (inside(i + way) && (value(i + way) <= value(i) || value(i) > least)) i += way;
  std::optional<std::size_t> best;
  for (i += way; inside(i); i += way)
    if (!best || value(i) > profile[*best]) best = static_cast<std::size_t>(i);
  return best;
}

Lobe measure_lobe(const std::vector<double>& profile, std::size_t peak, double step_m) {
  Lobe lobe;
  const double shift = vertex(profile, peak);
  const auto offset = [&](double i) { return (i - static_cast<double>(peak) - shift) * step_m; };
  const double at_db = profile[peak] - kWidthLevel_db;
  lobe.pixels_across = crossing(profile, peak, +1, at_db) - crossing(profile, peak, -1, at_db);
  lobe.fwhm_m = lobe.pixels_across * step_m;
  lobe.fit = fit_lobe(profile, peak, shift, step_m);
  const double width = std::isfinite(lobe.pixels_across) ? lobe.pixels_across : static_cast<double>(profile.size());
  const double far = std::max(12.0, 5.0 * width);
  for (const int way : {-1, +1}) {
    const auto found = highest_beyond(profile, peak, way, far);
    if (!found || profile[*found] <= kNoEcho_db) continue;
    const double against_db = profile[*found] - profile[peak];
    if (!lobe.side_lobe || against_db > lobe.side_lobe->level_db)
      lobe.side_lobe = SideLobe{against_db, offset(static_cast<double>(*found))};
  }
  for (std::size_t i = 0; i < profile.size(); ++i) {
    if (std::abs(static_cast<double>(i) - static_cast<double>(peak)) > far) continue;
    lobe.offset_m.push_back(offset(static_cast<double>(i)));
    lobe.level_db.push_back(static_cast<float>(profile[i] - profile[peak]));
  }
  return lobe;
}

constexpr double kNear_m = 3e-3, kWide_m = 10e-3;

std::vector<float> levels_within(const LevelImage& picture, PlanePoint centre, double radius_m) {
  const Region disc{RegionShape::circle, {centre, {centre.x_m + radius_m, centre.z_m}}};
  std::vector<float> levels;
  for (const std::uint32_t i : pixels_in(disc, picture.grid).index) {
    const float db = picture.db[i];
    levels.push_back(db > static_cast<float>(kNoEcho_db) ? db : static_cast<float>(kNoEcho_db));  // also NaN
  }
  return levels;
}

double median_of(std::vector<float> levels) {
  const auto middle = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 2);
  std::nth_element(levels.begin(), middle, levels.end());
  return static_cast<double>(*middle);
}

PeakVerdict judge(const PointEcho& echo, PlanePoint at) {
  const PointSpread& s = *echo.spread;
  if (!s.lateral.fit || !s.axial.fit) return PeakVerdict::no_maximum;  // on the image's edge, or flat
  double reach_m = kPointReach_m;
  for (const Lobe* lobe : {&s.lateral, &s.axial})
    if (std::isfinite(lobe->fwhm_m)) reach_m = std::max(reach_m, lobe->fwhm_m);
  if (distance_m(s.peak, at) > reach_m) return PeakVerdict::too_far;
  if (echo.above_db < kLeastAbove_db) return PeakVerdict::faint;
  return echo.below_db > kMostBelow_db ? PeakVerdict::beside_stronger : PeakVerdict::peak;
}

}  // namespace

double LobeFit::width_m() const { return 2.0 * std::sqrt(kWidthLevel_db / fall_db_m2); }

std::optional<PointSpread> measure_point(const LevelImage& picture, PlanePoint click, double reach_m) {
  const Grid& g = picture.grid;
  if (picture.db.empty() || g.nx < 3 || g.nz < 3) return std::nullopt;
  const std::optional<Pixel> start = brightest_near(picture, click, reach_m);
  if (!start) return std::nullopt;
  const Pixel peak = climb(picture, *start);
  std::vector<double> across, along;
  for (int ix = 0; ix < g.nx; ++ix) across.push_back(level(picture, ix, peak.iz));
  for (int iz = 0; iz < g.nz; ++iz) along.push_back(level(picture, peak.ix, iz));
  const auto ix = static_cast<std::size_t>(peak.ix), iz = static_cast<std::size_t>(peak.iz);
  const double shift_x = vertex(across, ix), shift_z = vertex(along, iz);
  PointSpread spread;
  spread.peak_db = along[iz];
  if (g.polar()) {
    const double step_rad = (g.sector.angle1_rad - g.sector.angle0_rad) / (g.nx - 1);
    const double step_m = (g.sector.r1_m - g.sector.r0_m) / (g.nz - 1);
    const double r_m = g.r_m(peak.iz) + shift_z * step_m, angle_rad = g.angle_rad(peak.ix) + shift_x * step_rad;
    spread.peak = {r_m * std::sin(angle_rad), g.sector.apex_z_m + r_m * std::cos(angle_rad)};
    spread.lateral = measure_lobe(across, ix, r_m * step_rad);
    spread.axial = measure_lobe(along, iz, step_m);
  } else {
    spread.peak = {g.x_m(peak.ix) + shift_x * g.dx_m(), g.z_m(peak.iz) + shift_z * g.dz_m()};
    spread.lateral = measure_lobe(across, ix, g.dx_m());
    spread.axial = measure_lobe(along, iz, g.dz_m());
  }
  return spread;
}

PointEcho find_point_echo(const LevelImage& picture, PlanePoint at) {
  PointEcho echo{.spread = measure_point(picture, at, kPointReach_m)};
  if (!echo.spread) return echo;
  const PointSpread& s = *echo.spread;
  const std::vector<float> wide = levels_within(picture, s.peak, kWide_m);
  echo.above_db = s.peak_db - median_of(levels_within(picture, s.peak, kNear_m));
  echo.below_db = static_cast<double>(*std::max_element(wide.begin(), wide.end())) - s.peak_db;
  echo.verdict = judge(echo, at);
  if (echo.verdict != PeakVerdict::peak) echo.spread.reset();
  return echo;
}

std::string why_no_peak(const PointEcho& echo) {
  char text[128] = "";
  switch (echo.verdict) {
    case PeakVerdict::peak:
      break;
    case PeakVerdict::no_echo:
      return "No peak here: no echo within 1.5 mm.";
    case PeakVerdict::no_maximum:
      return "No peak here: no local maximum inside the image within 1.5 mm.";
    case PeakVerdict::too_far:
      return "No peak here: no local maximum within 1.5 mm.";
    case PeakVerdict::faint:
      std::snprintf(text, sizeof text, "No peak here: %.1f dB above the median within 3 mm, at least %.0f dB needed.",
                    echo.above_db, kLeastAbove_db);
      break;
    case PeakVerdict::beside_stronger:
      std::snprintf(text, sizeof text, "No peak here: %.1f dB below an echo within 10 mm, at most %.0f dB accepted.",
                    echo.below_db, kMostBelow_db);
      break;
  }
  return text;
}

namespace {

// Pixels per width of a patch, with one on its centre. From the second patch on the centre is the peak found by the
// previous one, so that row and column pass through the peak: half a pixel away, an axial profile can be 3 % wider or
// narrower. With 14 pixels per width, linear interpolation of levels adds less than 0.3 %.
constexpr double kPixelsAcross = 14.0;
constexpr double kLeastAcross = 10.0, kMostAcross = 28.0;  // accepted of a patch
constexpr double kWidths = 5.5;                            // to each side: side lobes are searched within five
constexpr int kLeastPatches = 2, kMostPatches = 4;

struct PatchSpan {
  double first, last;
  int n;
};

// Returns the span around `centre` within the image: whole steps to each side.
PatchSpan span_about(double centre, double width, double first, double last) {
  constexpr double kMostSteps = 500.0;
  const double step = width / kPixelsAcross;
  const auto steps_to = [&](double room) {
    return std::clamp(std::floor(std::min(kWidths * width, room) / step), 1.0, kMostSteps);
  };
  const double before = steps_to(centre - first), after = steps_to(last - centre);
  return {centre - before * step, centre + after * step, static_cast<int>(before + after) + 1};
}

double width_or(const Lobe& lobe, double otherwise_m) {
  return std::isfinite(lobe.fwhm_m) && lobe.fwhm_m > 0.0 ? lobe.fwhm_m : otherwise_m;
}

bool well_sampled(const Lobe& lobe) {
  return lobe.pixels_across >= kLeastAcross && lobe.pixels_across <= kMostAcross;  // false for NaN
}

}  // namespace

PointPatch::PointPatch(const Grid& image, const PointSpread& seen) : image_(image) {
  const double lateral_step_m = image.polar() ? std::hypot(seen.peak.x_m, seen.peak.z_m - image.sector.apex_z_m) *
                                                    (image.sector.angle1_rad - image.sector.angle0_rad) /
                                                    std::max(image.nx - 1, 1)
                                              : image.dx_m();
  const double axial_step_m =
      image.polar() ? (image.sector.r1_m - image.sector.r0_m) / std::max(image.nz - 1, 1) : image.dz_m();
  constexpr double kUnknown = 3.0;  // pixels, if the image shows no width
  aim(seen.peak, width_or(seen.lateral, kUnknown * lateral_step_m), width_or(seen.axial, kUnknown * axial_step_m));
}

void PointPatch::aim(PlanePoint centre, double lateral_m, double axial_m) {
  centre_ = centre;
  lateral_m_ = lateral_m;
  axial_m_ = axial_m;
  if (!image_.polar()) {
    const PatchSpan x = span_about(centre.x_m, lateral_m, image_.x0_m, image_.x1_m);
    const PatchSpan z = span_about(centre.z_m, axial_m, image_.z0_m, image_.z1_m);
    grid_ = {.x0_m = x.first, .x1_m = x.last, .z0_m = z.first, .z1_m = z.last, .nx = x.n, .nz = z.n};
    return;
  }
  const Sector& s = image_.sector;
  const double r_m = std::hypot(centre.x_m, centre.z_m - s.apex_z_m);
  const double angle_rad = std::atan2(centre.x_m, centre.z_m - s.apex_z_m);
  const PatchSpan lines = span_about(angle_rad, lateral_m / r_m, s.angle0_rad, s.angle1_rad);
  const PatchSpan radii = span_about(r_m, axial_m, s.r0_m, s.r1_m);
  grid_ = polar_grid({.apex_z_m = s.apex_z_m,
                      .angle0_rad = lines.first,
                      .angle1_rad = lines.last,
                      .r0_m = radii.first,
                      .r1_m = radii.last},
                     lines.n, radii.n);
}

PointPatch::Next PointPatch::take(const LevelImage& patch) {
  const std::optional<PointSpread> found = measure_point(patch, centre_, 0.5 * std::min(lateral_m_, axial_m_));
  if (!found || !found->lateral.fit || !found->axial.fit) return Next::failed;
  ++taken_;
  const bool enough = taken_ >= kLeastPatches && well_sampled(found->lateral) && well_sampled(found->axial);
  if (enough || taken_ == kMostPatches) {
    spread_ = found;
    return Next::done;
  }
  // A lobe that does not fall by 6 dB within the patch is wider than measured in the image.
  aim(found->peak, width_or(found->lateral, 2.0 * lateral_m_), width_or(found->axial, 2.0 * axial_m_));
  return Next::again;
}

}  // namespace echoloop
