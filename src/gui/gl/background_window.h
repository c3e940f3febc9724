// Display parameters from a picture's background, once and when asked for: never by themselves from picture to picture,
// which would make brightness say nothing. Pure functions. Any thread.
#pragma once

#include "core/params.h"
#include "core/results/structure_image.h"

namespace echoloop {

// Up to so many sigma above the mean everything goes. Of noise or speckle, whose amplitudes are Rayleigh's, that is
// 8.6 dB over the mean power (the levels' sigma is 5.57 dB, their mean 2.5 dB below it), and exp(-7.3), one pixel in
// 1500, is left; after clipping, which makes sigma a little smaller, about one in a thousand.
inline constexpr double kRejectSigmas = 2.0;

// Rejects the background: `reject_db` in whole decibels, within its limits.
void reject_background(ImagingParams& p, const Background& background);

// The display window, in whole decibels, up to the brightest level of the histogram. Its lower end is where the
// background begins to show no more: looking for bright targets 1 sigma below the median, so that little light is spent
// on the background; otherwise 4 sigma below, so that tissue keeps its gray and only what is darker than all of it is
// black.
void fit_window(ImagingParams& p, const Background& background, const LevelHistogram& histogram);

// Upper edge of the highest bin with a pixel in it, of the picture's levels; the lowest edge where there is none.
[[nodiscard]] double brightest_db(const LevelHistogram& histogram);

}  // namespace echoloop
