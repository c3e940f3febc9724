// The statistics of the levels in a region, and how well two regions can be told apart. Any thread.
// Amplitudes are relative to the picture's reference: 1 = 0 dB. Every pixel counts by its weight (see region.h);
// deviations are those of the population (divided by the sum of the weights). Pixels without a value and those where
// nothing was received at all (below kNoEcho_db) do not count.
#pragma once

#include <cstddef>

#include "measure/level_picture.h"
#include "measure/region.h"

namespace echoloop {

struct RegionStats {
  std::size_t pixels = 0;  // that count; 0: everything else says nothing
  double area_m2 = 0.0;    // of all pixels in the region
  double mean_db = 0.0;    // of the levels
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
RegionStats measure_region(const LevelPicture& picture, const RegionPixels& region);

struct PairStats {
  RegionStats target = {}, background = {};
  double contrast_db = 0.0;  // level of the target's mean amplitude above the background's
  // |difference of the mean amplitudes| / sqrt(sum of both variances): Patterson and Foster 1983, as in
  // Rodriguez-Molares et al. 2020. (Others take the mean of the variances: their number is sqrt(2) times this one.)
  double cnr = 0.0;
  double gcnr = 0.0;  // 0: the same levels, 1: never a level in common
  int gcnr_bins = 0;
};
// Contrast, CNR and gCNR are not a number where a region has no pixels.
PairStats compare_regions(const LevelPicture& picture, const RegionPixels& target, const RegionPixels& background);

}  // namespace echoloop
