#include "backend/fp16/packed_tiles.h"

#include <algorithm>
#include <cmath>

#include "core/grid.h"
#include "core/units.h"

namespace echoloop {
namespace {

struct TilePixels {        // of a tile, clipped to the image
  int ix0, ix1, iz0, iz1;  // inclusive
};
struct TileRectangle {
  double x0_m, x1_m, z0_m, z1_m;
};

constexpr double kSlack = 0.01;  // samples: far more than the kernel's rounding of a delay

struct Range {
  double low = 1e300;
  double high = -1e300;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

int even_floor(double v) { return 2 * static_cast<int>(std::floor(0.5 * v)); }

// Of a polar grid's tile.
Sector tile_sector(const DasGeometry& g, const TilePixels& p) {
  const auto direction_rad = [&g](int ix) {
    return std::atan2(static_cast<double>(g.x_m[ix]), static_cast<double>(g.down_m[ix]));
  };
  return {.apex_z_m = static_cast<double>(g.apex_z_m),
          .angle0_rad = direction_rad(p.ix0),
          .angle1_rad = direction_rad(p.ix1),
          .r0_m = static_cast<double>(g.z_m[p.iz0]),
          .r1_m = static_cast<double>(g.z_m[p.iz1])};
}

// Nearest and farthest distance from an element to a tile's pixels, samples: from e at (rho, phi) about the apex to
// (r, theta) it is the root of r^2 + rho^2 - 2 r rho cos(theta - phi), which grows with |theta - phi| and, along a
// line, falls until r = rho cos(theta - phi) and then grows.
Range polar_receive_range(const DasGeometry& g, const ElementGeometry& e, const TilePixels& p) {
  const Sector s = tile_sector(g, p);
  const double down = static_cast<double>(e.z_m) - s.apex_z_m;
  const double rho = std::hypot(static_cast<double>(e.x_m), down);
  const double phi = std::atan2(static_cast<double>(e.x_m), down);
  const auto squared = [rho](double r, double off_rad) {
    return std::max(0.0, r * r + rho * rho - 2.0 * r * rho * std::cos(off_rad));
  };
  const double near_rad = std::abs(std::clamp(phi, s.angle0_rad, s.angle1_rad) - phi);
  const double far_rad = std::min(kPi, std::max(std::abs(s.angle0_rad - phi), std::abs(s.angle1_rad - phi)));
  const double nearest = squared(std::clamp(rho * std::cos(near_rad), s.r0_m, s.r1_m), near_rad);
  const double farthest = std::max(squared(s.r0_m, far_rad), squared(s.r1_m, far_rad));
  const double samples_per_m = static_cast<double>(g.samples_per_m);
  return {std::sqrt(nearest) * samples_per_m, std::sqrt(farthest) * samples_per_m};
}

// What holds the tile: all of it on straight rows and columns; the box around a piece of a sector.
TileRectangle tile_rectangle(const DasGeometry& g, const TilePixels& p) {
  if (g.down_m != nullptr) {
    const Grid box = polar_grid(tile_sector(g, p), 1, 1);
    return {.x0_m = box.x0_m, .x1_m = box.x1_m, .z0_m = box.z0_m, .z1_m = box.z1_m};
  }
  return {.x0_m = static_cast<double>(g.x_m[p.ix0]),
          .x1_m = static_cast<double>(g.x_m[p.ix1]),
          .z0_m = static_cast<double>(g.z_m[p.iz0]),
          .z1_m = static_cast<double>(g.z_m[p.iz1])};
}

Range straight_receive_range(const DasGeometry& g, const ElementGeometry& e, const TilePixels& p) {
  const TileRectangle r = tile_rectangle(g, p);
  const double x = static_cast<double>(e.x_m);
  const double z = static_cast<double>(e.z_m);
  const double near_x = std::clamp(x, r.x0_m, r.x1_m) - x;
  const double near_z = std::clamp(z, r.z0_m, r.z1_m) - z;
  const double far_x = std::max(std::abs(r.x0_m - x), std::abs(r.x1_m - x));
  const double far_z = std::max(std::abs(r.z0_m - z), std::abs(r.z1_m - z));
  const double samples_per_m = static_cast<double>(g.samples_per_m);
  return {std::hypot(near_x, near_z) * samples_per_m, std::hypot(far_x, far_z) * samples_per_m};
}

Range transmit_range(const DasGeometry& g, const TilePixels& p, int tx) {
  Range range;
  for (int iz = p.iz0; iz <= p.iz1; ++iz) {
    const std::size_t row =
        static_cast<std::size_t>(tx) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz);
    const float* excess = g.tx_excess + row * static_cast<std::size_t>(g.nx);
    float low = excess[p.ix0];
    float high = low;
    bool finite = true;
    for (int ix = p.ix0; ix <= p.ix1; ++ix) {
      low = std::min(low, excess[ix]);
      high = std::max(high, excess[ix]);
      finite = finite && std::isfinite(excess[ix]);
    }
    const double depth = std::abs(static_cast<double>(g.z_m[iz])) * static_cast<double>(g.samples_per_m);
    range.add(g.row_base[row] + static_cast<double>(low) - depth);
    range.add(g.row_base[row] + static_cast<double>(high) - depth);
    if (!finite) range.high = 1e300;
  }
  return range;
}

TilePixels tile_pixels(const DasGeometry& g, const TileShape& tile, int index) {
  const int tiles_across = divide_up(g.nx, tile.tile_x);
  const int ix0 = index % tiles_across * tile.tile_x;
  const int iz0 = index / tiles_across * tile.tile_z;
  return {ix0, std::min(ix0 + tile.tile_x, g.nx) - 1, iz0, std::min(iz0 + tile.tile_z, g.nz) - 1};
}

// Could the element see any point of the rectangle? The points it sees lie between two lines through it; the one side
// of each line is asked for apart, which says yes a little too often at the corners.
bool may_see(const DasGeometry& g, const ElementGeometry& e, const TileRectangle& r) {
  const double twice_f = 2.0 * static_cast<double>(g.f_number) * (1.0 - 1e-5);
  double left = 1e300;
  double right = 1e300;
  for (const double x : {r.x0_m, r.x1_m}) {
    for (const double z : {r.z0_m, r.z1_m}) {
      const double dx = x - static_cast<double>(e.x_m);
      const double dz = z - static_cast<double>(e.z_m);
      const double along = dx * static_cast<double>(e.normal_sin) + dz * static_cast<double>(e.normal_cos);
      const double across = dx * static_cast<double>(e.normal_cos) - dz * static_cast<double>(e.normal_sin);
      left = std::min(left, across * twice_f - along);
      right = std::min(right, -across * twice_f - along);
    }
  }
  constexpr double kTouch_m = 1e-7;
  return left <= kTouch_m && right <= kTouch_m;
}

}  // namespace

std::shared_ptr<const PackedWindows> make_packed_windows(const DasGeometry& g, const TileShape& tile) {
  auto windows = std::make_shared<PackedWindows>();
  windows->tile = tile;
  const int n_tiles = divide_up(g.nx, tile.tile_x) * divide_up(g.nz, tile.tile_z);
  const bool polar = g.down_m != nullptr;
  double longest = 0.0;
  for (int index = 0; index < n_tiles; ++index) {
    const TilePixels pixels = tile_pixels(g, tile, index);
    double rx_length = 0.0;
    double tx_length = 0.0;
    for (int e = 0; e < g.n_el; ++e) {
      const ElementGeometry& element = g.elements[e];
      const Range range = polar ? polar_receive_range(g, element, pixels) : straight_receive_range(g, element, pixels);
      if (!(range.high < 1e6)) return nullptr;
      const int start = even_floor(range.low - kSlack);
      rx_length = std::max(rx_length, range.high + kSlack - start);
      windows->rx_start.push_back(start);
    }
    for (int tx = 0; tx < g.n_tx; ++tx) {
      const Range range = transmit_range(g, pixels, tx);
      if (!(range.low > -1.1e9 && range.high < 1.1e9)) return nullptr;
      const int start = even_floor(range.low - kSlack);
      tx_length = std::max(tx_length, range.high + kSlack - start);
      windows->tx_start.push_back(start);
    }
    longest = std::max(longest, rx_length + tx_length);
  }
  if (!(longest < kLargestWindow - 4)) return nullptr;
  windows->length = (static_cast<int>(longest) + 2) / 2 * 2;  // even
  return windows;
}

ElementSpan seeing_elements(const DasGeometry& g, const TileShape& tile, int index) {
  if (g.f_number <= 0.0f) return {0, g.n_el};
  const TileRectangle r = tile_rectangle(g, tile_pixels(g, tile, index));
  int first = g.n_el;
  int last = -1;
  for (int e = 0; e < g.n_el; ++e) {
    if (!may_see(g, g.elements[e], r)) continue;
    first = std::min(first, e);
    last = e;
  }
  return last < 0 ? ElementSpan{} : ElementSpan{first, last - first + 1};
}

}  // namespace echoloop
