// The statistics of the levels in a region, and how well two regions can be separated. Any thread.
// Amplitudes are relative to the image's reference: 1 = 0 dB. Every pixel counts by its weight (see region.h);
// deviations are those of the population (divided by the sum of the weights). Pixels without an echo, that is without a
// value or below kNoEcho_db, do not count; `share_with_echo` says how much of the region the others are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.h"
#include "core/results/image.h"
#include "measure/region.h"

namespace echoloop {

// The image that is measured: levels in dB on a grid in metres. A view; its maker keeps the memory. Any thread.

struct LevelImage {
  std::span<const float> db;  // [nz][nx] against a fixed reference, x fastest; empty = no image
  Grid grid;
  std::uint64_t number = 0;  // of the image (Image::number): another number, another picture
  double time_s = 0.0;       // when its frame was acquired, on the clock of the frames' stamps

  [[nodiscard]] float at(int ix, int iz) const {
    return db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)];
  }
};

struct RegionStats {
  std::size_t pixels = 0;        // with an echo: all levels below are theirs; 0: there are no levels
  std::size_t pixels_all = 0;    // in the region
  double area_m2 = 0.0;          // of all of these
  double share_with_echo = 0.0;  // of that area, 0 to 1; not a number where no pixel lies in the region
  double mean_db = 0.0;          // of the levels
  double std_db = 0.0;
  double mean_amplitude = 0.0;
  double std_amplitude = 0.0;
  double min_db = 0.0;
  double max_db = 0.0;

  // The level of the mean amplitude: what contrast compares.
  [[nodiscard]] double level_db() const;
  // Mean by standard deviation of the amplitude; fully developed speckle (Rayleigh): sqrt(pi / (4 - pi)) = 1.91.
  // Infinite where all pixels are equal.
  [[nodiscard]] double snr() const { return mean_amplitude / std_amplitude; }
};

// With a smaller share, statistics describe the pixels with an echo rather than the region.
inline constexpr double kEnoughWithEcho = 0.95;
RegionStats measure_region(const LevelImage& picture, const RegionPixels& region);

struct PairStats {
  RegionStats target = {}, background = {};
  // All three of the pixels with an echo.
  double contrast_db = 0.0;  // level of the target's mean amplitude above the background's
  // |difference of the mean amplitudes| / sqrt(sum of both variances): Patterson and Foster 1983, as in
  // Rodriguez-Molares et al. 2020. (Others take the mean of the variances: their number is sqrt(2) times this one.)
  double cnr = 0.0;
  double gcnr = 0.0;  // 0: the same levels, 1: never a level in common
  int gcnr_bins = 0;
};
// Contrast, CNR and gCNR are not a number where a region has no pixels.
PairStats compare_regions(const LevelImage& picture, const RegionPixels& target, const RegionPixels& background);

// The monotonic map of levels that gives one image the histogram of another: what remains different between the two
// is the order of brightness, which is all that gCNR counts. After histogram specification (Gonzalez and Woods, Digital
// Image Processing, section 3.3). Any thread.

// Values at the middles of bins from kFirst_db on, linear between them.
struct LevelMap {
  static constexpr double kFirst_db = kNoEcho_db, kStep_db = 0.05;
  static constexpr int kBins = 8000;  // to 100 dB

  std::vector<float> to_db;  // kBins, never falling; empty: levels stay as they are

  [[nodiscard]] bool empty() const { return to_db.empty(); }
  // Levels without an echo, at or below kNoEcho_db or not a number, stay.
  [[nodiscard]] float at(float level_db) const;
};

// Gives `of` the histogram of `like`, both over the pixels with an echo that lie in the other's grid, weighted by their
// areas. Empty where there are no such pixels.
LevelMap match_levels(const LevelImage& of, const LevelImage& like);

}  // namespace echoloop
