#include "backend/refine_plan.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

constexpr double kSigmas = 3.0;

// At least one pixel where anything is smoothed, and never more than the image has.
int reach_of(double sigma, int n) {
  if (!(sigma > 0.0)) return 0;
  return std::clamp(static_cast<int>(std::ceil(kSigmas * sigma)), 1, std::min(kMaxSmoothReach, std::max(n - 1, 1)));
}

double pixels_of(double length_m, double step_m) {
  return step_m > 0.0 ? std::min(length_m / step_m, kMaxSmoothReach / kSigmas) : 0.0;
}

void set_axial(RefinePlan& plan, double sigma_m, const Grid& g) {
  const double span_m = g.polar() ? g.sector.r1_m - g.sector.r0_m : g.z1_m - g.z0_m;
  const double sigma = g.nz > 1 ? pixels_of(sigma_m, span_m / (g.nz - 1)) : 0.0;
  plan.axial_reach = reach_of(sigma, g.nz);
  if (plan.axial_reach > 0) plan.axial_taps = gaussian_taps(sigma, plan.axial_reach);
}

// Of a sector: across the lines, whose distance grows with the radius.
void set_lateral(RefinePlan& plan, double sigma_m, const Grid& g) {
  if (g.nx < 2 || !(sigma_m > 0.0)) return;
  plan.lateral_rows = g.polar() ? g.nz : 1;
  std::vector<double> sigmas;
  for (int iz = 0; iz < plan.lateral_rows; ++iz) {
    const double step_m = g.polar() ? g.r_m(iz) * (g.sector.angle1_rad - g.sector.angle0_rad) / (g.nx - 1)
                                    : (g.x1_m - g.x0_m) / (g.nx - 1);
    sigmas.push_back(step_m > 1e-9 ? pixels_of(sigma_m, step_m) : kMaxSmoothReach / kSigmas);
  }
  plan.lateral_reach = reach_of(*std::max_element(sigmas.begin(), sigmas.end()), g.nx);
  for (const double sigma : sigmas) {
    const std::vector<float> taps = gaussian_taps(sigma, plan.lateral_reach);
    plan.lateral_taps.insert(plan.lateral_taps.end(), taps.begin(), taps.end());
  }
}

}  // namespace

std::vector<float> gaussian_taps(double sigma, int reach) {
  std::vector<double> taps;
  double sum = 0.0;
  for (int k = 0; k <= reach; ++k) {
    taps.push_back(std::exp(-0.5 * (k / sigma) * (k / sigma)));
    sum += (k == 0 ? 1.0 : 2.0) * taps.back();
  }
  std::vector<float> normalised;
  for (const double tap : taps) normalised.push_back(static_cast<float>(tap / sum));
  return normalised;
}

std::shared_ptr<const RefinePlan> make_refine_plan(const ImagingParams& p, const Grid& grid,
                                                   const std::shared_ptr<const RefinePlan>& previous) {
  if (p.formation.recipe == Recipe::analytic && shows_weight(p.formation)) return nullptr;
  if (previous != nullptr && previous->params == p.refine && previous->grid == grid) return previous;
  auto plan = std::make_shared<RefinePlan>();
  plan->params = p.refine;
  plan->grid = grid;
  plan->nx = grid.nx;
  plan->nz = grid.nz;
  plan->average = p.refine.persistence_s > 0.0;
  if (p.refine.median == Median::three) plan->first.emplace_back(MedianFilter<1>());
  if (p.refine.median == Median::five) plan->first.emplace_back(MedianFilter<2>());
  set_axial(*plan, p.refine.smooth_axial_m, grid);
  set_lateral(*plan, p.refine.smooth_lateral_m, grid);
  const double spread_db = kSpeckleSpread_db * p.refine.speckle_reduction;
  if (spread_db > 0.0) {
    plan->last.emplace_back(BilateralFilter{.per_db2 = static_cast<float>(0.5 / (spread_db * spread_db))});
  }
  if (p.refine.edge_enhancement > 0.0) {
    plan->last.emplace_back(SharpenFilter{.strength = static_cast<float>(p.refine.edge_enhancement)});
  }
  if (!plan->average && !plan->filters()) return nullptr;
  return plan;
}

}  // namespace echoloop
