// Statistics of the levels in a region, and separability of two regions. Any thread. Amplitudes are relative to the
// image's reference: 1 = 0 dB. Every pixel counts by its weight (see region.h); deviations are those of the population
// (divided by the sum of the weights). Pixels without an echo (without a value or below kNoEcho_db) do not count;
// `share_with_echo` is the share of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.h"
#include "core/results/image.h"
#include "measure/region.h"

namespace echoloop {

// Image to measure: levels in dB on a grid in metres. A view; the owner keeps the memory. Any thread.

struct LevelImage {
  std::span<const float> db;  // [nz][nx] re a fixed reference, x fastest; empty = no image
  Grid grid;
  std::uint64_t number = 0;  // Image::number; identifies the image
  double time_s = 0.0;       // acquisition of its frame, on the clock of the frames' stamps

  [[nodiscard]] float at(int ix, int iz) const {
    return db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)];
  }
};

struct RegionStats {
  std::size_t pixels = 0;        // with an echo, basis of the levels below; 0: no levels
  std::size_t pixels_all = 0;    // in the region
  double area_m2 = 0.0;          // of pixels_all
  double share_with_echo = 0.0;  // of area_m2, 0 to 1; NaN for an empty region
  double mean_db = 0.0;          // of the levels
  double std_db = 0.0;
  double mean_amplitude = 0.0;
  double std_amplitude = 0.0;
  double min_db = 0.0;
  double max_db = 0.0;

  // Returns the level of the mean amplitude, used by contrast.
  [[nodiscard]] double level_db() const;
  // Returns mean over standard deviation of the amplitude; fully developed speckle (Rayleigh): sqrt(pi / (4 - pi)) =
  // 1.91. Infinite if all pixels are equal.
  [[nodiscard]] double snr() const { return mean_amplitude / std_amplitude; }
};

// Below this share, statistics describe the pixels with an echo rather than the region.
inline constexpr double kEnoughWithEcho = 0.95;
RegionStats measure_region(const LevelImage& picture, const RegionPixels& region);

struct PairStats {
  RegionStats target = {}, background = {};
  // The following three use the pixels with an echo.
  double contrast_db = 0.0;  // level of the target's mean amplitude above the background's
  // |difference of the mean amplitudes| / sqrt(sum of both variances): Patterson and Foster 1983, as in
  // Rodriguez-Molares et al. 2020. (With the mean of the variances the result is sqrt(2) times larger.)
  double cnr = 0.0;
  double gcnr = 0.0;  // 0: equal distributions, 1: no common level
  int gcnr_bins = 0;
};
// Contrast, CNR and gCNR are NaN if a region has no pixels.
PairStats compare_regions(const LevelImage& picture, const RegionPixels& target, const RegionPixels& background);

// Monotonic map of levels that gives one image the histogram of another: the remaining difference is the order of
// brightness, which alone determines gCNR. After histogram specification (Gonzalez and Woods, Digital Image Processing,
// section 3.3). Any thread.

// Values at the centres of bins from kFirst_db on, linear between them.
struct LevelMap {
  static constexpr double kFirst_db = kNoEcho_db, kStep_db = 0.05;
  static constexpr int kBins = 8000;  // to 100 dB

  std::vector<float> to_db;  // [kBins], non-decreasing; empty: identity

  [[nodiscard]] bool empty() const { return to_db.empty(); }
  // Returns levels without an echo (at or below kNoEcho_db, or NaN) unchanged.
  [[nodiscard]] float at(float level_db) const;
};

// Returns the map that gives `of` the histogram of `like`, both over the pixels with an echo inside the other's grid,
// weighted by area. Empty without such pixels.
LevelMap match_levels(const LevelImage& of, const LevelImage& like);

}  // namespace echoloop
