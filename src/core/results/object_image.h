// What stands out of an image: its background level, and the connected objects above or below it. Plain memory on the
// host; values are overwritten, not reallocated, on their way through a Mailbox.
#pragma once

#include <cstdint>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/results/level_histogram.h"

namespace echoloop {

// The background by kappa-sigma clipping: the levels within kappa sigma of the median of those kept before, until no
// more go. Pixels without an echo (at most kNoEcho_db) or without a value never count.
struct Background {
  double median_db = 0.0;
  double mean_db = 0.0;
  double sigma_db = 0.0;     // of the population
  std::uint64_t pixels = 0;  // that were kept; 0: there is no background, and nothing else here says anything
  int rounds = 0;            // of clipping
  double lowest_db = 0.0;    // of the kept levels
  double highest_db = 0.0;
};

// Pixels that touch along an edge (4 neighbours), all beyond the threshold.
struct FoundObject {
  double area_m2 = 0.0;
  PlanePoint centroid{};  // of the area
  double mean_db = 0.0;   // of its pixels' levels in the image as it is, not smoothed
  std::uint32_t pixels = 0;
  int ix0 = 0, ix1 = 0, iz0 = 0, iz1 = 0;  // the pixels that it spans, both included
  friend bool operator==(const FoundObject&, const FoundObject&) = default;
};

// Milliseconds on the thread that looks for objects.
struct ObjectTimes {
  double background_ms = 0.0;  // smoothing, both backgrounds, histogram
  double objects_ms = 0.0;     // threshold, labels, table
  double total_ms = 0.0;
};

struct ObjectImage {
  FrameStamp stamp;
  std::int64_t ready_ns = 0;
  std::uint64_t number = 0;  // counts these, from 1; 0 = none yet
  Grid grid;
  AcquisitionPtr acquisition;
  ImagingParams params;  // that made the image; reference_db holds the level in use

  Background background;  // of the image as it is
  Background smoothed;    // of what the threshold is applied to; equal without smoothing
  double threshold_db = 0.0;
  LevelHistogram histogram;  // of the image as it is

  std::vector<std::int32_t> labels;  // [nz][nx]: 0, or the object's place in `objects`, counted from 1
  std::vector<FoundObject> objects;  // in the order of their first pixels, row by row
  std::uint64_t found = 0;           // with those that are too small to be kept

  ObjectTimes times;
};

// Counts since objects were turned on.
struct ObjectCounts {
  std::uint64_t pictures = 0;
  std::uint64_t replaced = 0;  // waited until a newer one came
};

}  // namespace echoloop
