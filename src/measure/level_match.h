// The monotonic map of levels that gives one image the histogram of another: what remains different between the two
// is the order of brightness, which is all that gCNR counts. After histogram specification (Gonzalez and Woods, Digital
// Image Processing, section 3.3). Any thread.
#pragma once

#include <vector>

#include "core/results/level_histogram.h"
#include "measure/level_image.h"

namespace echoloop {

// Values at the middles of bins from kFirst_db on, linear between them.
struct LevelMap {
  static constexpr double kFirst_db = kNoEcho_db, kStep_db = 0.05;
  static constexpr int kBins = 8000;  // to 100 dB

  std::vector<float> to_db;  // kBins, never falling; empty: levels stay as they are

  [[nodiscard]] bool empty() const { return to_db.empty(); }
  // Levels without an echo, at or below kNoEcho_db or not a number, stay.
  [[nodiscard]] float at(float level_db) const;
};

// Gives `of` the histogram of `like`, both over the pixels with an echo that lie in the other's grid, weighted by their
// areas. Empty where there are no such pixels.
LevelMap match_levels(const LevelImage& of, const LevelImage& like);

}  // namespace echoloop
