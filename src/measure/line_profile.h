// Levels between pixels, and along a line. Any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "measure/region.h"
#include "measure/region_stats.h"

namespace echoloop {

// Interpolates bilinearly in the linear amplitude between the four pixels around the point (on a polar grid: in angle
// and distance), as in the display of sectors. NaN outside the outermost pixel centres.
double level_at(const LevelImage& picture, PlanePoint p);

struct LineProfile {
  std::vector<double> at_m;     // from the line's first point, equidistant
  std::vector<float> level_db;  // NaN outside the image
};
// Samples two points per pixel, including the line's ends; at most 2048.
LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to);

// Spectrum of a temporal singular vector (dsp/wall_filter.h): Doppler frequencies of a component.

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

// Sharpness of an image as one number: mean squared intensity over squared mean intensity, in dB (the normalised second
// moment of the intensity, used by autofocus). 3 dB for speckle alone; points in focus raise it. Comparable only for
// images of the same echoes. Any thread.

// Returns 0 for an empty image.
inline double sharpness_db(const LevelImage& picture) {
  double most = -HUGE_VAL, sum = 0.0, squares = 0.0, n = 0.0;
  for (const float level : picture.db) {
    if (std::isfinite(level)) most = std::max(most, static_cast<double>(level));
  }
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
