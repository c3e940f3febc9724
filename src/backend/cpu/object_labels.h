// Connected objects on the CPU: pixels that touch along an edge, by two passes and a forest of labels in between. One
// thread's; keeps its memory from image to image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/object_plan.h"

namespace echoloop {

class ObjectLabels {
 public:
  // Of the pixels [nz][nx] whose mark in `labels` is not 0: replaces it by the object's number, from 1 in the order of
  // the objects' first pixels, row by row (as scipy.ndimage.label numbers them). `db`: the picture as it is. Objects
  // of less than plan.least_area become 0 and have no number. Returns how many there were with those.
  std::uint64_t find(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels,
                     std::vector<FoundObject>& objects);

 private:
  std::int32_t root_of(std::int32_t label);
  std::int32_t join(std::int32_t a, std::int32_t b);
  void label_rows(const Grid& grid, std::span<std::int32_t> labels);
  void add_pixels(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels);

  std::vector<std::int32_t> parent_;  // of a label, never larger than it; [0] is no object
  std::vector<std::int32_t> number_;  // of a label: its object's
  std::vector<ObjectSums> sums_;      // [object]
};

}  // namespace echoloop
