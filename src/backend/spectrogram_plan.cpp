#include "backend/spectrogram_plan.h"

#include <algorithm>
#include <cmath>

#include "backend/flow_plan.h"
#include "core/results/spectrogram.h"
#include "core/units.h"

namespace echoloop {
namespace {

// Farthest band from the nominal frequency: well inside any pulse's band, so that aliases stay sharp too.
constexpr double kBandSpread = 0.1;

double row_step_m(const Grid& grid) {
  return grid.polar() ? (grid.sector.r1_m - grid.sector.r0_m) / std::max(grid.nz - 1, 1) : grid.dz_m();
}

// The column of pixels nearest to the place, and the rows that the gate covers of it.
void place_gate(const Grid& grid, const ImagingParams& p, SpectrogramPlan& s) {
  const GridPlace place = grid.place(p.doppler.x_m, p.doppler.z_m);
  const double step_m = row_step_m(grid);
  if (!grid.contains(place, 0.5) || step_m <= 0.0) return;
  const int column = std::clamp(static_cast<int>(std::lround(place.column)), 0, grid.nx - 1);
  const int wanted = std::max(1, static_cast<int>(std::lround(p.doppler.length_m / step_m)));
  const int above = static_cast<int>(std::lround(place.row - 0.5 * (wanted - 1)));
  const int first = std::clamp(above, 0, grid.nz - 1);
  const int end = std::clamp(above + wanted, first + 1, grid.nz);
  s.gate.first = static_cast<long long>(first) * grid.nx + column;
  s.gate.stride = grid.nx;
  s.gate.rows = end - first;
  const PlanePoint top = grid.point(column, first);
  const PlanePoint bottom = grid.point(column, end - 1);
  s.centre = {0.5 * (top.x_m + bottom.x_m), 0.5 * (top.z_m + bottom.z_m)};
  s.length_m = s.gate.rows * step_m;
}

}  // namespace

SpectrogramPlan make_spectrogram_plan(const Plan& plan) {
  SpectrogramPlan s;
  const ImagingParams& p = plan.params;
  const FlowPlan flow = make_flow_plan(plan);
  if (plan.das == nullptr || flow.prf_hz <= 0.0) return s;
  const Grid& grid = plan.das->tables->grid;
  place_gate(grid, p, s);
  if (s.gate.rows == 0) return s;
  float sum = 0.0f;
  for (int row = 0; row < s.gate.rows; ++row) sum += gate_window(row, s.gate.rows);
  s.gate.norm = 1.0f / sum;
  const double center_hz = plan.acquisition->center_hz;
  const double apart_hz = 0.5 * p.formation.sound_speed_m_s / s.length_m;  // the width of a band
  const int aside = std::min(static_cast<int>(kBandSpread * center_hz / apart_hz), kMaxGateBands / 2);
  for (int band = -aside; band <= aside; ++band) {
    const double f_hz = center_hz + band * apart_hz;
    s.gate.turns_per_row[s.gate.bands++] =
        static_cast<float>(2.0 * f_hz * row_step_m(grid) / p.formation.sound_speed_m_s);
    s.spectrum.frequency_share.push_back(f_hz / center_hz);
  }
  s.spectrum.frames = p.doppler.frames;
  s.spectrum.cutoff_hz = p.doppler.cutoff_hz;
  s.spectrum.prf_hz = flow.prf_hz;
  s.hop = static_cast<int>(std::ceil(flow.prf_hz / Spectrogram::kMostColumns_hz));
  s.aliasing_m_s = kPi * flow.scale_m_s;
  return s;
}

}  // namespace echoloop
