// Image of the program against an independent reference image on the same grid.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"
#include "core/param_table.h"
#include "measure/levels.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"
#include "support/streaming.h"

namespace echoloop::testing {

struct GridMillimetres {
  double x0, x1;
  int nx;
  double z0, z1;
  int nz;
};

inline ImagingParams params_on(const Acquisition& a, const GridMillimetres& g, double f_number, double low_hz,
                               double high_hz) {
  ImagingParams p = default_params(a);
  p.formation.grid_kind = GridChoice::cartesian;
  p.formation.lateral_min_m = g.x0 * 1e-3;
  p.formation.lateral_max_m = g.x1 * 1e-3;
  p.formation.grid_nx = g.nx;
  p.formation.depth_min_m = g.z0 * 1e-3;
  p.formation.depth_max_m = g.z1 * 1e-3;
  p.formation.grid_nz = g.nz;
  p.formation.f_number = f_number;
  p.formation.band_low_hz = low_hz;
  p.formation.band_high_hz = high_hz;
  return p;
}

// Returns the first `frames` images of a recording in the data folder.
inline std::vector<Picture> process_file(const std::string& file, const GridMillimetres& grid, double f_number,
                                         double low_hz, double high_hz, std::uint64_t frames = 1) {
  const OpenedSource opened = open_source((data_folder() / file).string());
  const ImagingParams params = params_on(*opened.info.acquisition, grid, f_number, low_hz, high_hz);
  return process({.source = opened.source, .params = params, .frames = frames});
}

// Returns the reference, normalised to its own maximum as described in its README; NaN marks excluded pixels.
inline std::vector<float> read_reference(const std::string& file, const Grid& grid) {
  NpyImage image = read_npy_image(data_folder() / file);
  EXPECT_EQ(image.nx, grid.nx);
  EXPECT_EQ(image.nz, grid.nz);
  return image.values;
}

inline LevelImage levels_of(const std::vector<float>& db, const Grid& grid) {
  return {.db = db, .grid = grid, .number = 1};
}
inline LevelImage levels_of(const Picture& picture) { return levels_of(picture.db, picture.grid); }

struct Difference {
  double rms_db = 0.0;
  double p99_db = 0.0;
  std::size_t pixels = 0;
};

// Compares pixels whose reference is above -50 dB (its README's rule). Our levels are first shifted to the reference's
// normalisation: our own maximum over the reference's pixels.
inline Difference compare(const std::vector<float>& ours, const std::vector<float>& reference) {
  float top = -1e9f;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (std::isfinite(reference[i])) top = std::max(top, ours[i]);
  }
  std::vector<double> off;
  double squares = 0.0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!(reference[i] > -50.0f)) continue;  // also NaN
    off.push_back(std::abs(static_cast<double>(ours[i] - top - reference[i])));
    squares += off.back() * off.back();
  }
  EXPECT_GT(off.size(), 1000U);
  std::sort(off.begin(), off.end());
  return {std::sqrt(squares / static_cast<double>(off.size())), off[off.size() * 99 / 100], off.size()};
}

inline void expect_close(const std::string& what, const Picture& picture, const std::string& reference,
                         double rms_limit_db) {
  const Difference d = compare(picture.db, read_reference(reference, picture.grid));
  EXPECT_LE(d.rms_db, rms_limit_db) << what;
  std::printf("%s: rms %.4f dB, 99th percentile %.3f dB over %zu pixels above -50 dB\n", what.c_str(), d.rms_db,
              d.p99_db, d.pixels);
}

}  // namespace echoloop::testing
