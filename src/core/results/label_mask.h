// Labels of the pixels of an image, by a method in another process. Never changed once it is made; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/grid.h"

namespace echoloop {

inline constexpr std::size_t kMostLabels = 8;

struct LabelMask {
  Grid grid;                         // of the image
  std::vector<std::uint8_t> labels;  // [nz][nx]; 0: none, k: names[k - 1]
  std::vector<std::string> names;
  std::vector<double> area_m2;  // of the pixels of each name
  std::vector<std::size_t> pixels;

  // Returns the label of the nearest pixel; 0: none, or outside.
  [[nodiscard]] std::uint8_t at(PlanePoint p) const;
};
using LabelMaskPtr = std::shared_ptr<const LabelMask>;  // null: none

// labels: of the pixels of grid `from`, none above the number of names; the mask has the nearest ones on `grid`.
LabelMaskPtr make_label_mask(std::vector<std::uint8_t> labels, const Grid& from, const Grid& grid,
                             std::vector<std::string> names);

}  // namespace echoloop
