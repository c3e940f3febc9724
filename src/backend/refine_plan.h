// Plan of the refine stage: what is done to the image in dB after compress, by RefineParams. A pure function of
// parameters and grid; knows nothing of devices.
#pragma once

#include <memory>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "dsp/refine.h"

namespace echoloop {

// In the order in which they are applied: temporal average of the amplitude, then on the decibels the first filters,
// axial and lateral Gaussian, the last filters.
struct RefinePlan {
  RefineParams params;  // that it is made of, with the grid
  Grid grid;
  int nx = 0, nz = 0;
  bool average = false;
  std::vector<PixelFilter> first, last;
  int axial_reach = 0;              // pixels; 0: none
  int lateral_reach = 0;            // likewise
  int lateral_rows = 0;             // 1, or nz where columns are further apart with depth
  std::vector<float> axial_taps;    // [axial_reach + 1]
  std::vector<float> lateral_taps;  // [lateral_rows][lateral_reach + 1]
  [[nodiscard]] bool filters() const { return !first.empty() || axial_reach > 0 || lateral_reach > 0 || !last.empty(); }
  [[nodiscard]] int taps_row(int iz) const { return (lateral_rows > 1 ? iz : 0) * (lateral_reach + 1); }
};

// Level difference that the bilateral filter takes for an edge at speckle_reduction 1, dB (one sigma).
inline constexpr double kSpeckleSpread_db = 12.0;

// Null when everything is off, and where the image has no levels. `previous`, which may be null, again where it is made
// of the same.
std::shared_ptr<const RefinePlan> make_refine_plan(const ImagingParams& params, const Grid& grid,
                                                   const std::shared_ptr<const RefinePlan>& previous = nullptr);

// Taps of a Gaussian of `sigma` pixels, [reach + 1], see SmoothTaps.
std::vector<float> gaussian_taps(double sigma, int reach);

}  // namespace echoloop
