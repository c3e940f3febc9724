#include "gui/overlay/transfer_function.h"

#include <algorithm>
#include <cmath>

#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

std::uint8_t byte(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255.0)); }

Rgb gray(double t) { return {byte(t), byte(t), byte(t)}; }

// Returns black, red, yellow, white: the three channels in succession, as in thermography.
Rgb hot(double t) { return {byte(t * 8.0 / 3.0), byte(t * 8.0 / 3.0 - 1.0), byte(t * 4.0 - 3.0)}; }

// Returns a sixth-order fit of matplotlib's viridis (CC0), within 4/255 of the table.
Rgb viridis(double t) {
  constexpr double c[7][3] = {
      {0.2777273272, 0.0054073445, 0.3340998053},   {0.1050930431, 1.4046135299, 1.3845901626},
      {-0.3308618287, 0.2148475595, 0.0950951630},  {-4.6342304990, -5.7991009734, -19.3324409563},
      {6.2282699363, 14.1799333668, 56.6905526007}, {4.7763849977, -13.7451453777, -65.3530326334},
      {-5.4354558559, 4.6458526122, 26.3124352496}};
  double rgb[3];
  for (int k = 0; k < 3; ++k) {
    double sum = 0.0;
    for (int i = 6; i >= 0; --i) sum = sum * t + c[i][k];
    rgb[k] = sum;
  }
  return {byte(rgb[0]), byte(rgb[1]), byte(rgb[2])};
}

MapTable make_table(ColorMap map) {
  MapTable table;
  for (int i = 0; i < kMapEntries; ++i) {
    const double t = i / (kMapEntries - 1.0);
    Rgb& entry = table[static_cast<std::size_t>(i)];
    switch (map) {
      case ColorMap::gray:
        entry = gray(t);
        break;
      case ColorMap::hot:
        entry = hot(t);
        break;
      case ColorMap::viridis:
        entry = viridis(t);
        break;
      case ColorMap::inverted:
        entry = gray(1.0 - t);
        break;
    }
  }
  return table;
}

// Returns the level between pixel centres at (column, row), both in pixels of the grid. In a sector the amplitude is
// interpolated linearly, not the level: its pixels may be far apart.
double level_at(const Image& image, double column, double row) {
  const auto nx = static_cast<std::size_t>(image.grid.nx);
  const auto ix = static_cast<std::size_t>(column);
  const auto iz = static_cast<std::size_t>(row);
  const std::size_t ix1 = std::min(ix + 1, nx - 1);
  const std::size_t iz1 = std::min(iz + 1, static_cast<std::size_t>(image.grid.nz) - 1);
  const double fx = column - static_cast<double>(ix);
  const double fz = row - static_cast<double>(iz);
  const bool polar = image.grid.polar();
  const auto at = [&](std::size_t x, std::size_t z) {
    const auto db = static_cast<double>(image.host_db[z * nx + x]);
    return polar ? std::pow(10.0, 0.05 * db) : db;
  };
  const auto mix = [](double a, double b, double f) { return f == 0.0 ? a : f == 1.0 ? b : a + f * (b - a); };
  const double value = mix(mix(at(ix, iz), at(ix1, iz), fx), mix(at(ix, iz1), at(ix1, iz1), fx), fz);
  return polar ? 20.0 * std::log10(value) : value;
}

// Returns the colour at a position of the image plane; black outside a sector.
Rgb color_at(const Image& image, const DisplayParams& display, double x_m, double z_m) {
  const GridPlace p = image.grid.place(x_m, z_m);
  if (!image.grid.contains(p, 0.01)) return {};
  const double column = std::clamp(p.column, 0.0, image.grid.nx - 1.0);
  const double row = std::clamp(p.row, 0.0, image.grid.nz - 1.0);
  const double gain_db = tgc_at(display.tgc_db, image.grid.nz > 1 ? row / (image.grid.nz - 1.0) : 0.0);
  return map_color(display.color_map, transfer(level_at(image, column, row) + gain_db, display));
}

}  // namespace

const MapTable& map_table(ColorMap map) {
  static const std::array<MapTable, 4> tables = {make_table(ColorMap::gray), make_table(ColorMap::hot),
                                                 make_table(ColorMap::viridis), make_table(ColorMap::inverted)};
  return tables[static_cast<std::size_t>(map)];
}

double transfer(double level_db, const DisplayParams& display) {
  if (level_db < display.reject_db && display.reject_db > kNoReject_db) return 0.0;
  const double t = (level_db + display.gain_db + display.dynamic_range_db) / display.dynamic_range_db;
  if (!(t > 0.0)) return 0.0;  // also for NaN
  return std::pow(std::min(t, 1.0), display.gamma);
}

namespace {

constexpr double kEnd_db = 1000.0;  // beyond the windows of all parameters

// Returns the least level for which `is_above` is true, which stays true above it.
template <class IsAbove>
double least_level_db(const IsAbove& is_above) {
  double below = -kEnd_db, above = kEnd_db;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (below + above);
    (is_above(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace

TransferCurve transfer_curve(const DisplayParams& display) {
  const auto at = [&](double level_db) { return transfer(level_db, display); };
  TransferCurve curve;
  curve.first_db = least_level_db([&, least = at(-kEnd_db)](double db) { return at(db) != least; });
  const double last_db = least_level_db([&, most = at(kEnd_db)](double db) { return at(db) == most; });
  curve.span_db = std::max(last_db - curve.first_db, 1e-6);
  curve.t[0] = static_cast<float>(at(-kEnd_db));
  curve.straight = curve.t[0] == 0.0F;
  for (int i = 0; i < TransferCurve::kNodes; ++i) {
    const double share = std::pow(i / (TransferCurve::kNodes - 1.0), 4);
    const double t = at(curve.first_db + share * curve.span_db);
    curve.t[static_cast<std::size_t>(i) + 1] = static_cast<float>(t);
    curve.straight = curve.straight && std::abs(t - share) < 1e-9;
  }
  return curve;
}

Rgb map_color(ColorMap map, double t) {
  const double at = std::clamp(t, 0.0, 1.0) * (kMapEntries - 1);
  const int i = std::min(static_cast<int>(at), kMapEntries - 2);
  const Rgb& a = map_table(map)[static_cast<std::size_t>(i)];
  const Rgb& b = map_table(map)[static_cast<std::size_t>(i) + 1];
  const auto mix = [f = at - i](int x, int y) { return static_cast<std::uint8_t>(std::lround(x + f * (y - x))); };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

RgbImage render_rgb(const Image& image, const DisplayParams& levels) {
  const Grid& g = image.grid;
  const DisplayParams display = shown_display(image.params.formation, levels);
  if (image.host_db == nullptr || g.nx < 1 || g.nz < 1) return {};
  double step = std::min(g.nx > 1 ? g.dx_m() : 1.0, g.nz > 1 ? g.dz_m() : 1.0);
  if (g.polar()) step = g.nz > 1 ? (g.sector.r1_m - g.sector.r0_m) / (g.nz - 1) : 1e-3;
  const double longest = std::max(g.x1_m - g.x0_m, g.z1_m - g.z0_m);
  step = std::max(step, longest / (kMaxGridSide - 1));
  const auto count = [step](double length) { return static_cast<int>(std::lround(length / step)) + 1; };
  RgbImage picture{.width = count(g.x1_m - g.x0_m), .height = count(g.z1_m - g.z0_m), .rgb = {}};
  picture.rgb.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3);
  std::size_t at = 0;
  const auto tgc = display.tgc_db;
  for (int y = 0; y < picture.height; ++y) {
    const double down = picture.height > 1 ? static_cast<double>(y) / (picture.height - 1) : 0.0;
    const double gain_db = tgc_at(tgc, down);
    for (int x = 0; x < picture.width; ++x) {
      const double across = picture.width > 1 ? static_cast<double>(x) / (picture.width - 1) : 0.0;
      const Rgb color =
          g.polar()
              ? color_at(image, display, g.x0_m + across * (g.x1_m - g.x0_m), g.z0_m + down * (g.z1_m - g.z0_m))
              : map_color(display.color_map,
                          transfer(level_at(image, (g.nx - 1.0) * across, (g.nz - 1.0) * down) + gain_db, display));
      picture.rgb[at++] = color.r;
      picture.rgb[at++] = color.g;
      picture.rgb[at++] = color.b;
    }
  }
  return picture;
}

}  // namespace echoloop
