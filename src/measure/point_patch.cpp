#include "measure/point_patch.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// A pixel lies on the centre of each patch. The second patch and those after it are centred on the peak that the patch
// before found, so that row and column go through the peak itself: half a pixel beside it, an axial profile can be 3 %
// wider or narrower. With 14 pixels a width, straight lines between the levels add less than 0.3 %.
constexpr double kPixelsAcross = 14.0;
constexpr double kLeastAcross = 10.0, kMostAcross = 28.0;  // accepted of a patch
constexpr double kWidths = 5.5;                            // to each side: side lobes are looked for within five
constexpr int kLeastPatches = 2, kMostPatches = 4;

struct PatchSpan {
  double first, last;
  int n;
};

// Around `centre`, within the image's span: whole steps to each side.
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
  return lobe.pixels_across >= kLeastAcross && lobe.pixels_across <= kMostAcross;  // false where it is not a number
}

}  // namespace

PointPatch::PointPatch(const Grid& image, const PointSpread& seen) : image_(image) {
  const double lateral_step_m = image.polar() ? std::hypot(seen.peak.x_m, seen.peak.z_m - image.sector.apex_z_m) *
                                                    (image.sector.angle1_rad - image.sector.angle0_rad) /
                                                    std::max(image.nx - 1, 1)
                                              : image.dx_m();
  const double axial_step_m =
      image.polar() ? (image.sector.r1_m - image.sector.r0_m) / std::max(image.nz - 1, 1) : image.dz_m();
  constexpr double kUnknown = 3.0;  // pixels, where the image shows no width
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
  // A lobe that does not fall by 6 dB within the patch is wider than the image said.
  aim(found->peak, width_or(found->lateral, 2.0 * lateral_m_), width_or(found->axial, 2.0 * axial_m_));
  return Next::again;
}

}  // namespace echoloop
