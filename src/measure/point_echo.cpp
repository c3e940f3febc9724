#include "measure/point_echo.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "measure/plane_geometry.h"
#include "measure/region.h"

namespace echoloop {
namespace {

constexpr double kNear_m = 3e-3, kWide_m = 10e-3;

std::vector<float> levels_within(const LevelPicture& picture, PlanePoint centre, double radius_m) {
  const Region disc{RegionShape::circle, {centre, {centre.x_m + radius_m, centre.z_m}}};
  std::vector<float> levels;
  for (const std::uint32_t i : pixels_in(disc, picture.grid).index) {
    const float db = picture.db[i];
    levels.push_back(db > static_cast<float>(kNoEcho_db) ? db : static_cast<float>(kNoEcho_db));  // not a number, too
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
  for (const Lobe* lobe : {&s.lateral, &s.axial}) {
    if (std::isfinite(lobe->fwhm_m)) reach_m = std::max(reach_m, lobe->fwhm_m);
  }
  if (distance_m(s.peak, at) > reach_m) return PeakVerdict::too_far;
  if (echo.above_db < kLeastAbove_db) return PeakVerdict::faint;
  return echo.below_db > kMostBelow_db ? PeakVerdict::beside_stronger : PeakVerdict::peak;
}

}  // namespace

PointEcho find_point_echo(const LevelPicture& picture, PlanePoint at) {
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

}  // namespace echoloop
