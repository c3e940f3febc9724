#include "backend/packed_windows.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

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
int divide_up(int a, int b) { return (a + b - 1) / b; }

// Nearest and farthest distance from an element to the rectangle, samples.
Range receive_range(const DasGeometry& g, const ElementGeometry& e, const TileRectangle& r) {
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

}  // namespace

TilePixels tile_pixels(const DasGeometry& g, const TileShape& tile, int index) {
  const int tiles_across = divide_up(g.nx, tile.tile_x);
  const int ix0 = index % tiles_across * tile.tile_x;
  const int iz0 = index / tiles_across * tile.tile_z;
  return {ix0, std::min(ix0 + tile.tile_x, g.nx) - 1, iz0, std::min(iz0 + tile.tile_z, g.nz) - 1};
}

TileRectangle tile_rectangle(const DasGeometry& g, const TilePixels& p) {
  return {.x0_m = static_cast<double>(g.x_m[p.ix0]),
          .x1_m = static_cast<double>(g.x_m[p.ix1]),
          .z0_m = static_cast<double>(g.z_m[p.iz0]),
          .z1_m = static_cast<double>(g.z_m[p.iz1])};
}

std::shared_ptr<const PackedWindows> place_windows(const DasGeometry& g, const TileShape& tile) {
  auto windows = std::make_shared<PackedWindows>();
  windows->tile = tile;
  const int n_tiles = divide_up(g.nx, tile.tile_x) * divide_up(g.nz, tile.tile_z);
  double longest = 0.0;
  for (int index = 0; index < n_tiles; ++index) {
    const TilePixels pixels = tile_pixels(g, tile, index);
    const TileRectangle r = tile_rectangle(g, pixels);
    double rx_length = 0.0;
    double tx_length = 0.0;
    for (int e = 0; e < g.n_el; ++e) {
      const Range range = receive_range(g, g.elements[e], r);
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

}  // namespace echoloop
