// What is done to a picture to find structure: a pure function of parameters and grid; knows nothing of devices.
#pragma once

#include <memory>

#include "backend/refine_plan.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/structure_image.h"

namespace echoloop {

// Of the histogram: 0.5 dB a bin, from -120 dB up to 40.
inline constexpr double kHistogramFirst_db = -120.0;
inline constexpr double kHistogramStep_db = 0.5;
inline constexpr int kHistogramBins = 320;

struct StructurePlan {
  Grid grid;
  std::shared_ptr<const RefinePlan> smooth;  // the Gaussian before the threshold, for a Refiner; null: none
  Structure wanted = Structure::bright;
  double kappa = 3.0;
  double sigmas = 3.0;
  double least_area_m2 = 0.0;

  // Where objects begin: above it (bright), below it (dark).
  [[nodiscard]] double threshold_db(const Background& background) const;
};

StructurePlan make_structure_plan(const ImagingParams& params, const Grid& grid);

}  // namespace echoloop
