// Levels between the pixels, and along a line. Any thread.
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

// Bilinear in the linear amplitude between the four pixels around the point (on a polar grid: in angle and distance),
// as sectors are shown. Not a number outside the outermost pixel centres.
double level_at(const LevelImage& picture, PlanePoint p);

struct LineProfile {
  std::vector<double> at_m;     // from the line's first point, in equal steps
  std::vector<float> level_db;  // not a number outside the image
};
// Two points a pixel, the line's ends included; never more than 2048.
LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to);

// The spectrum of a temporal singular vector (dsp/wall_filter.h): which Doppler frequencies a component has.

// Power in dB against its largest value, at `bins` frequencies from -1 to 1 as shares of the Nyquist frequency, both
// included; positive: towards the probe. The vector [frame] is weighted by a Hann window, so that a tone's side lobes
// lie 31 dB and more below it. Not below `floor_db`. Empty when the vector is.
std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db);

// The slope of one image's levels against another's over a region: how much an adaptive method stretches the dynamic
// range (1: linear), after Rindal et al., IEEE TUFFC 66:1198, 2019. Any thread.

struct LevelSlope {
  double slope = 0.0;  // dB of `of` for each dB of `against`, least squares; not a number with fewer than 3 pixels
  double intercept_db = 0.0;  // of the line where `against` is 0 dB
  double r_squared = 0.0;     // share of the variance that the line explains
  std::size_t pixels = 0;     // with an echo in both
};

// The images have the same grid.
LevelSlope level_slope(const LevelImage& of, const LevelImage& against, const RegionPixels& region);

// How sharp an image is, as one number: the mean of the squared intensity against the square of the mean intensity,
// in dB (the normalised second moment of the intensity, as autofocus uses it). 3 dB for speckle alone; points that are
// in focus raise it. Only for images of the same echoes. Any thread.

// 0 for an empty image.
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
