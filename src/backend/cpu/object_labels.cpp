#include "backend/cpu/object_labels.h"

#include <algorithm>

namespace echoloop {

// Halves the path on its way.
std::int32_t ObjectLabels::root_of(std::int32_t label) {
  const auto up = [this](std::int32_t l) -> std::int32_t& { return parent_[static_cast<std::size_t>(l)]; };
  while (up(label) != label) {
    up(label) = up(up(label));
    label = up(label);
  }
  return label;
}

// The smaller label stays: it is that of the first pixel.
std::int32_t ObjectLabels::join(std::int32_t a, std::int32_t b) {
  a = root_of(a);
  b = root_of(b);
  const std::int32_t root = std::min(a, b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = root;
  return root;
}

// First pass: labels for the time being, joined where they meet.
void ObjectLabels::label_rows(const Grid& grid, std::span<std::int32_t> labels) {
  parent_.assign(1, 0);
  const auto nx = static_cast<std::size_t>(grid.nx);
  for (std::size_t first = 0; first < labels.size(); first += nx) {
    std::int32_t left = 0;
    for (std::size_t i = first; i < first + nx; ++i) {
      if (labels[i] == 0) {
        left = 0;
        continue;
      }
      const std::int32_t above = first > 0 ? labels[i - nx] : 0;
      if (left == 0 && above == 0) {
        left = static_cast<std::int32_t>(parent_.size());
        parent_.push_back(left);
      } else if (left != 0 && above != 0 && left != above) {
        left = join(left, above);
      } else {
        left = std::max(left, above);
      }
      labels[i] = left;
    }
  }
}

// Second pass: numbers of objects instead, and what each pixel adds to its own.
void ObjectLabels::add_pixels(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels) {
  const PixelMoments moments = plan.moments.view();
  std::size_t i = 0;
  for (int iz = 0; iz < plan.grid.nz; ++iz) {
    for (int ix = 0; ix < plan.grid.nx; ++ix, ++i) {
      if (labels[i] == 0) continue;
      labels[i] = number_[static_cast<std::size_t>(labels[i])];
      ObjectSums& sums = sums_[static_cast<std::size_t>(labels[i])];
      const ObjectSums pixel = pixel_sums(moments, db[i], ix, iz);
      if (sums.pixels == 0) {
        sums = pixel;
      } else {
        add_sums(sums, pixel);
      }
    }
  }
}

std::uint64_t ObjectLabels::find(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels,
                                 std::vector<FoundObject>& objects) {
  label_rows(plan.grid, labels);
  number_.assign(parent_.size(), 0);
  std::int32_t found = 0;
  for (std::size_t l = 1; l < parent_.size(); ++l) {
    const std::int32_t root = root_of(static_cast<std::int32_t>(l));
    number_[l] = root == static_cast<std::int32_t>(l) ? ++found : number_[static_cast<std::size_t>(root)];
  }
  sums_.assign(static_cast<std::size_t>(found) + 1, {});
  add_pixels(plan, db, labels);
  objects.clear();
  number_.assign(sums_.size(), 0);
  for (std::size_t o = 1; o < sums_.size(); ++o) {
    if (sums_[o].area < plan.least_area) continue;
    objects.push_back(plan.object(sums_[o]));
    number_[o] = static_cast<std::int32_t>(objects.size());
  }
  if (objects.size() < static_cast<std::size_t>(found)) {
    for (std::int32_t& label : labels) label = number_[static_cast<std::size_t>(label)];
  }
  return static_cast<std::uint64_t>(found);
}

}  // namespace echoloop
