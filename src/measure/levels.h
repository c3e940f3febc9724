// Statistics of the levels in a region, and separability of two regions. Any thread. Amplitudes are relative to the
// image's reference: 1 = 0 dB. Every pixel counts by its weight (see region.h); deviations are those of the population
// (divided by the sum of the weights). Pixels without an echo (without a value or below kNoEcho_db) do not count;
// `share_with_echo` is the share of the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
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

// Levels between pixels, and along a line. Any thread.

// Interpolates bilinearly in the linear amplitude between the four pixels around the point (on a polar grid: in angle
// and distance), as in the display of sectors. NaN outside the outermost pixel centres.
double level_at(const LevelImage& picture, PlanePoint p);

struct LineProfile {
  std::vector<double> at_m;     // from the line's first point, equidistant
  std::vector<float> level_db;  // NaN outside the image
};
// Samples two points per pixel, including the line's ends; at most 2048.
LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to);

// Spectrum of a temporal singular vector (dsp/flow.h): Doppler frequencies of a component.

// Returns power in dB re its maximum, at `bins` frequencies from -1 to 1 as shares of the Nyquist frequency, inclusive;
// positive: towards the probe. The vector [frame] has a Hann window, so that a tone's side lobes are at least 31 dB
// lower. Not below `floor_db`. Empty for an empty vector.
std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db);

// Slope of one image's levels against another's over a region: the stretch of the dynamic range by an adaptive method
// (1: linear), after Rindal et al., IEEE TUFFC 66:1198, 2019. Any thread.
struct LevelSlope {
  double slope = 0.0;         // dB of `of` per dB of `against`, least squares; NaN for fewer than 3 pixels
  double intercept_db = 0.0;  // value of the line at `against` = 0 dB
  double r_squared = 0.0;     // share of the variance explained by the line
  std::size_t pixels = 0;     // with an echo in both
};

// The images have the same grid.
LevelSlope level_slope(const LevelImage& of, const LevelImage& against, const RegionPixels& region);

// Difference of two images of one frame, with the same grid and 0 dB. Any thread.
struct LevelsApart {
  double rms_db = 0.0, mean_db = 0.0;  // of `of` minus `against`
  std::size_t pixels = 0;  // with an echo in `against`, and there at most `range_db` below its brightest one
};
// Levels of `of` below that range count as its end.
LevelsApart levels_apart(const LevelImage& of, const LevelImage& against, double range_db);

// Sharpness of an image as one number: mean squared intensity over squared mean intensity, in dB (the normalised second
// moment of the intensity, used by autofocus). 3 dB for speckle alone; points in focus raise it. Comparable only for
// images of the same echoes. Any thread.

// Returns 0 for an empty image.
inline double sharpness_db(const LevelImage& picture) {
  double most = -HUGE_VAL, sum = 0.0, squares = 0.0, n = 0.0;
  for (const float level : picture.db)
    if (std::isfinite(level)) most = std::max(most, static_cast<double>(level));
  for (const float level : picture.db) {
    if (!std::isfinite(level)) continue;
    const double intensity = std::pow(10.0, 0.1 * (static_cast<double>(level) - most));
    sum += intensity;
    squares += intensity * intensity;
    n += 1.0;
  }
  return sum > 0.0 ? 10.0 * std::log10(squares * n / (sum * sum)) : 0.0;
}

}  // namespace echoloop
