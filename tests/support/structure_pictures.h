// Pictures with objects in them, and independent answers to what is found there: float64 loops for the background, a
// flood fill for the labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "backend/structure_device.h"
#include "support/level_pictures.h"

namespace echoloop::testing {

// Every level beyond the mean of all is an object's: a pattern of two levels is found exactly as it is.
inline ImagingParams exact_params(Structure wanted = Structure::bright) {
  ImagingParams p;
  p.structure = wanted;
  p.structure_smooth_m = p.structure_sigmas = p.structure_area_m2 = 0.0;
  p.structure_kappa = 10.0;
  return p;
}

// '#' is 0 dB, '.' is -40; pixels of 0.1 x 0.1 mm from (0, 0).
inline MadePicture pattern_picture(const std::vector<std::string>& rows) {
  MadePicture picture;
  picture.grid.nx = static_cast<int>(rows.front().size());
  picture.grid.nz = static_cast<int>(rows.size());
  picture.grid.x1_m = 1e-4 * (picture.grid.nx - 1);
  picture.grid.z1_m = 1e-4 * (picture.grid.nz - 1);
  for (const std::string& row : rows) {
    for (const char c : row) picture.db.push_back(c == '#' ? 0.0F : -40.0F);
  }
  return picture;
}

inline Image image_of(MadePicture& picture, const ImagingParams& params = {}) {
  Image image;
  image.grid = picture.grid;
  image.params = params;
  image.host_db = picture.db.data();
  return image;
}

inline StructureImage find_structure(StructureDevice& device, MadePicture picture, const ImagingParams& params,
                                     int slot = 0) {
  StructureImage result;
  device.store(slot, image_of(picture, params));
  device.find(slot, make_structure_plan(params, picture.grid), result);
  return result;
}

// Straight from the definition, in double.
inline Background clipped_by_definition(const std::vector<float>& db, double kappa) {
  std::vector<double> kept;
  for (const float level : db) {
    if (std::isfinite(level) && level > -300.0F) kept.push_back(static_cast<double>(level));
  }
  Background b;
  while (!kept.empty()) {
    const std::size_t n = kept.size();
    const auto upper = kept.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(kept.begin(), upper, kept.end());
    b.median_db = n % 2 == 1 ? *upper : 0.5 * (*upper + *std::max_element(kept.begin(), upper));
    double sum = 0.0, squares = 0.0;
    for (const double v : kept) sum += v;
    b.mean_db = sum / static_cast<double>(n);
    for (const double v : kept) squares += (v - b.mean_db) * (v - b.mean_db);
    b.sigma_db = std::sqrt(squares / static_cast<double>(n));
    b.pixels = n;
    const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
    b.lowest_db = *low;
    b.highest_db = *high;
    std::erase_if(kept, [&](double v) { return std::abs(v - b.median_db) > kappa * b.sigma_db; });
    if (kept.size() == n) break;
    ++b.rounds;
  }
  return b;
}

// Objects of marked pixels by flood fill, numbered by their first pixels.
inline std::vector<std::int32_t> flooded_labels(const std::vector<char>& marked, int nx, int nz) {
  std::vector<std::int32_t> labels(marked.size(), 0);
  std::int32_t next = 0;
  std::vector<std::pair<int, int>> edge;
  for (int first = 0; first < nx * nz; ++first) {
    if (marked[static_cast<std::size_t>(first)] == 0 || labels[static_cast<std::size_t>(first)] != 0) continue;
    ++next;
    edge.push_back({first % nx, first / nx});
    while (!edge.empty()) {
      const auto [x, z] = edge.back();
      edge.pop_back();
      const auto i = static_cast<std::size_t>(z) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x);
      if (marked[i] == 0 || labels[i] != 0) continue;
      labels[i] = next;
      if (x > 0) edge.push_back({x - 1, z});
      if (x + 1 < nx) edge.push_back({x + 1, z});
      if (z > 0) edge.push_back({x, z - 1});
      if (z + 1 < nz) edge.push_back({x, z + 1});
    }
  }
  return labels;
}

// Speckle over a slope in depth, with bright discs and dark ones; some pixels without an echo, some without a value.
inline MadePicture speckle_picture(const Grid& grid, unsigned seed, int empty_every = 0) {
  Speckle speckle(seed);
  MadePicture picture = make_picture(grid, [&](PlanePoint p) {
    const double x = (p.x_m - grid.x0_m) / (grid.x1_m - grid.x0_m), z = (p.z_m - grid.z0_m) / (grid.z1_m - grid.z0_m);
    double level = speckle.level_db(1.0) - 30.0 - 4.0 * z;
    if (std::hypot(x - 0.3, z - 0.4) < 0.08 || std::hypot(x - 0.7, z - 0.2) < 0.05) level += 30.0;
    if (std::hypot(x - 0.6, z - 0.7) < 0.1) level -= 40.0;
    return level;
  });
  for (std::size_t i = 0; empty_every > 0 && i < picture.db.size(); i += static_cast<std::size_t>(empty_every)) {
    picture.db[i] = i % 2 == 0 ? -600.0F : std::nanf("");
  }
  return picture;
}

}  // namespace echoloop::testing
