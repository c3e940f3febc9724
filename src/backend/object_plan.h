// What is done to an image to find objects: a pure function of parameters and grid; knows nothing of devices.
//
// In this order: histogram and background of the image as it is; pixels that do not count take the background's
// median (rounded to float), all are smoothed, and the background of those that count is found again; threshold;
// objects, numbered by their first pixels row by row; those that are too small go, the others are numbered anew.
// Nothing counts: no objects, and the threshold is 0.
#pragma once

#include <memory>
#include <vector>

#include "backend/das_tables.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "dsp/objects.h"

namespace echoloop {

// Of the histogram: 0.5 dB a bin, from -120 dB up to 40.
inline constexpr double kHistogramFirst_db = -120.0;
inline constexpr double kHistogramStep_db = 0.5;
inline constexpr int kHistogramBins = 320;

// PixelMoments' tables, and what their units are.
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
  std::shared_ptr<const RefinePlan>
      smooth;  // the Gaussian before the threshold, for CpuRefiner or CudaRefiner; null: none
  ObjectKind wanted = ObjectKind::bright;
  double kappa = 0.0;
  double sigmas = 0.0;
  MomentTables moments;
  unsigned long long least_area = 0;  // in units of the moments; objects of less are left out

  // Where objects begin: above it (bright), below it (dark). Of the smoothed image's background.
  [[nodiscard]] double threshold_db(const Background& smoothed) const;
  [[nodiscard]] FoundObject object(const ObjectSums& sums) const;
};

ObjectPlan make_object_plan(const ImagingParams& params, const Grid& grid);

// What a computing device does to find objects in finished images: it keeps one that waits beside the one in work.
// The ObjectEngine (objects.h) decides when; tests drive it directly.
//
// Two threads: store() is the processing thread's, into the slot that is not in work, and never waits. Everything else
// is the objects thread's.

inline constexpr int kObjectSlots = 2;

class ObjectDevice {
 public:
  virtual ~ObjectDevice() = default;

  // What the objects thread does first: lowers its priority, makes what belongs to it.
  virtual void begin_thread() = 0;

  // Copies a finished image, whose storage may be used again as soon as this returns. [processing thread]
  virtual void store(int slot, const Image& image) = 0;

  // Of the slot's image: background .. found and times of `result`, everything else of it is the engine's.
  virtual void find(int slot, const ObjectPlan& plan, ObjectImage& result) = 0;
};

}  // namespace echoloop
