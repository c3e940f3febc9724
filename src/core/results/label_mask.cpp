#include "core/results/label_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace echoloop {

std::uint8_t LabelMask::at(PlanePoint p) const {
  const GridPlace place = grid.place(p.x_m, p.z_m);
  if (!grid.contains(place, 0.5)) return 0;
  const auto near = [](double v, int n) {
    return static_cast<std::size_t>(std::clamp<long>(std::lround(v), 0, n - 1));
  };
  return labels[near(place.row, grid.nz) * static_cast<std::size_t>(grid.nx) + near(place.column, grid.nx)];
}

LabelMaskPtr make_label_mask(std::vector<std::uint8_t> labels, const Grid& from, const Grid& grid,
                             std::vector<std::string> names) {
  LabelMask mask{.grid = from, .labels = std::move(labels), .names = std::move(names), .area_m2 = {}, .pixels = {}};
  if (!(from == grid)) {
    std::vector<std::uint8_t> nearest;
    for (int iz = 0; iz < grid.nz; ++iz)
      for (int ix = 0; ix < grid.nx; ++ix) nearest.push_back(mask.at(grid.point(ix, iz)));
    mask.labels = std::move(nearest);
    mask.grid = grid;
  }
  mask.area_m2.resize(mask.names.size());
  mask.pixels.resize(mask.names.size());
  const Sector& s = grid.sector;
  const double step_m = grid.nz > 1 ? (s.r1_m - s.r0_m) / (grid.nz - 1) : 0.0;
  const double step_rad = grid.nx > 1 ? (s.angle1_rad - s.angle0_rad) / (grid.nx - 1) : 0.0;
  const std::uint8_t* row = mask.labels.data();
  for (int iz = 0; iz < grid.nz; ++iz, row += grid.nx) {
    std::array<std::size_t, 256> counts{};
    for (int ix = 0; ix < grid.nx; ++ix) ++counts[row[ix]];
    const double pixel_m2 = grid.polar() ? grid.r_m(iz) * step_m * step_rad : grid.dx_m() * grid.dz_m();
    for (std::size_t k = 0; k < mask.names.size(); ++k) {
      mask.area_m2[k] += static_cast<double>(counts[k + 1]) * pixel_m2;
      mask.pixels[k] += counts[k + 1];
    }
  }
  return std::make_shared<const LabelMask>(std::move(mask));
}

}  // namespace echoloop
