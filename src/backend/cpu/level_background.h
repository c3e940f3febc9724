// The background of a picture by kappa-sigma clipping (dsp/background.h) on the CPU: the levels that count, sorted, and
// their running sums. Keeps its memory from picture to picture. One thread's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/results/structure_image.h"

namespace echoloop {

class LevelBackground {
 public:
  // Of the levels of `db` at those pixels that count in `picture`; both of the same size, and may be the same.
  Background find(std::span<const float> db, std::span<const float> picture, double kappa);

 private:
  void collect(std::span<const float> db, std::span<const float> picture);
  void sort();

  std::vector<std::uint32_t> keys_, sorted_;  // rise as the levels do
  std::vector<float> levels_;                 // rising
  std::vector<double> sum_, squares_;         // see SortedLevels
};

}  // namespace echoloop
