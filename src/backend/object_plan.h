// Plan of object detection in an image: a pure function of parameters and grid, independent of devices.
//
// Order: histogram and background of the image; pixels that do not count are set to the background's median (rounded to
// float); the level trend of the rows, then that of the columns, is removed; all pixels are smoothed, and the
// background of those that count is computed again; threshold; objects, numbered by their first pixels row by row;
// small ones are removed and the others renumbered. If no pixel counts: no objects, threshold 0.
#pragma once

#include <memory>
#include <vector>

#include "backend/analyses.h"
#include "backend/das_tables.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "dsp/objects.h"

namespace echoloop {

// Bins of the histogram: 0.5 dB each, from -120 dB up to 40.
inline constexpr double kHistogramFirst_db = -120.0;
inline constexpr double kHistogramStep_db = 0.5;
inline constexpr int kHistogramBins = 320;

// Tables of PixelMoments, and their units.
struct MomentTables {
  std::vector<int> row_area, row_x, row_z;  // [nz]
  std::vector<int> column_x, column_z;      // [nx]
  double area_m2 = 0.0;                     // of one unit of area
  double x_first_m = 0.0, x_per_m = 0.0;    // centroid: first + per (sum of moments / sum of areas)
  double z_first_m = 0.0, z_per_m = 0.0;

  [[nodiscard]] PixelMoments view() const {
    return {row_area.data(), row_x.data(), row_z.data(), column_x.data(), column_z.data()};
  }
};
MomentTables make_moment_tables(const Grid& grid);

struct ObjectPlan {
  Grid grid;
  LevelTrend trend = LevelTrend::keep;
  std::shared_ptr<const RefinePlan>
      smooth;  // the Gaussian before the threshold, for CpuRefiner or CudaRefiner; null: none
  ObjectKind wanted = ObjectKind::bright;
  double kappa = 0.0;
  double sigmas = 0.0;
  MomentTables moments;
  unsigned long long least_area = 0;  // in units of the moments; smaller objects are removed

  // Returns true if the threshold is applied to other levels than the image's.
  [[nodiscard]] bool prepares() const { return trend == LevelTrend::remove || smooth != nullptr; }
  // Returns the limit of objects, from the smoothed image's background: bright ones are above, dark ones below.
  [[nodiscard]] double threshold_db(const Background& smoothed) const;
  [[nodiscard]] FoundObject object(const ObjectSums& sums) const;
};

ObjectPlan make_object_plan(const ImagingParams& params, const Grid& grid);

class ObjectDevice : public ImageDevice<ObjectPlan, ObjectImage> {
 public:
  static ObjectPlan make_plan(const ImagingParams& params, const Grid& grid) { return make_object_plan(params, grid); }
};
using ObjectEngine = ImageEngine<ObjectAnalysis>;

}  // namespace echoloop
