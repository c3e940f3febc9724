#include "backend/object_plan.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

constexpr double kAreaOne = 65536.0;     // in a polar grid's last row
constexpr double kMomentOne = 262144.0;  // in rows and columns

int rounded(double v) { return static_cast<int>(std::lround(v)); }

// Sets tables for pixels of equal area; moments count columns and rows.
void cartesian_tables(const Grid& g, MomentTables& t) {
  t.row_area.assign(static_cast<std::size_t>(g.nz), 1);
  t.row_x.assign(static_cast<std::size_t>(g.nz), 1);
  t.column_z.assign(static_cast<std::size_t>(g.nx), 1);
  for (int iz = 0; iz < g.nz; ++iz) t.row_z.push_back(iz);
  for (int ix = 0; ix < g.nx; ++ix) t.column_x.push_back(ix);
  t.area_m2 = g.dx_m() * g.dz_m();
  t.x_first_m = g.x0_m;
  t.x_per_m = g.dx_m();
  t.z_first_m = g.z0_m;
  t.z_per_m = g.dz_m();
}

// Sets tables for area r dr dangle, moments r^2 (sin angle, cos angle) dr dangle about the apex.
void polar_tables(const Grid& g, MomentTables& t) {
  const Sector& s = g.sector;
  const double step_m = g.nz > 1 ? (s.r1_m - s.r0_m) / (g.nz - 1) : 0.0;
  const double step_rad = g.nx > 1 ? (s.angle1_rad - s.angle0_rad) / (g.nx - 1) : 0.0;
  for (int iz = 0; iz < g.nz; ++iz) {
    const double share = g.r_m(iz) / s.r1_m;
    t.row_area.push_back(std::max(1, rounded(share * kAreaOne)));
    t.row_x.push_back(rounded(share * share * kMomentOne));
  }
  t.row_z = t.row_x;
  for (int ix = 0; ix < g.nx; ++ix) {
    t.column_x.push_back(rounded(std::sin(g.angle_rad(ix)) * kMomentOne));
    t.column_z.push_back(rounded(std::cos(g.angle_rad(ix)) * kMomentOne));
  }
  t.area_m2 = s.r1_m / kAreaOne * step_m * step_rad;
  t.x_per_m = t.z_per_m = s.r1_m * kAreaOne / (kMomentOne * kMomentOne);
  t.z_first_m = s.apex_z_m;
}

}  // namespace

MomentTables make_moment_tables(const Grid& grid) {
  MomentTables t;
  if (grid.polar())
    polar_tables(grid, t);
  else
    cartesian_tables(grid, t);
  return t;
}

double ObjectPlan::threshold_db(const Background& smoothed) const {
  const double reach_db = sigmas * smoothed.sigma_db;
  return wanted == ObjectKind::dark ? smoothed.mean_db - reach_db : smoothed.mean_db + reach_db;
}

FoundObject ObjectPlan::object(const ObjectSums& s) const {
  const auto area = static_cast<double>(s.area);
  return {.area_m2 = static_cast<double>(s.area) * moments.area_m2,
          .centroid = {moments.x_first_m + moments.x_per_m * (static_cast<double>(s.x) / area),
                       moments.z_first_m + moments.z_per_m * (static_cast<double>(s.z) / area)},
          .mean_db = static_cast<double>(s.level) / area / static_cast<double>(kLevelStepsPer_db),
          .pixels = static_cast<std::uint32_t>(s.pixels),
          .ix0 = s.ix0,
          .ix1 = s.ix1,
          .iz0 = s.iz0,
          .iz1 = s.iz1};
}

ObjectPlan make_object_plan(const ImagingParams& params, const Grid& grid) {
  RefineParams gaussian;
  gaussian.smooth_axial_m = gaussian.smooth_lateral_m = params.objects.smooth_m;
  ObjectPlan plan{.grid = grid,
                  .trend = params.objects.trend,
                  .smooth = make_refine_plan({gaussian, grid}),
                  .wanted = params.objects.kind,
                  .kappa = params.objects.kappa,
                  .sigmas = params.objects.sigmas,
                  .moments = make_moment_tables(grid)};
  constexpr double kRounding = 1e-6;  // of a unit: exactly the limit is not below it
  const double unit_m2 = plan.moments.area_m2;
  if (unit_m2 > 0.0) {
    plan.least_area =
        static_cast<unsigned long long>(std::ceil(std::max(0.0, params.objects.min_area_m2 / unit_m2 - kRounding)));
  }
  return plan;
}

constinit const AnalysisRow ObjectAnalysis::kEngine = analysis_row<ObjectAnalysis, ObjectEngine>("No objects: ");

}  // namespace echoloop
