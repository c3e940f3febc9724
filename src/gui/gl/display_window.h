// The range of levels that the image shows, as two ends that can be dragged: on the colour bar and on the histogram;
// and set from an image's background, once and when asked for, never by itself from image to image, which would
// make brightness say nothing. Pure functions. Any thread.
#pragma once

#include "core/params.h"
#include "core/results/object_image.h"
#include "gui/state/keys.h"

namespace echoloop {

struct DisplayWindow {
  double top_db, bottom_db;
};
inline DisplayWindow display_window(const ImagingParams& p) {
  return {-p.display.gain_db, -p.display.gain_db - p.display.dynamic_range_db};
}

enum class WindowGrip { none, top, middle, bottom };

// An end of `start`, or all of it, moved by whole decibels: sets dynamic range and gain within their limits.
void drag_display_window(ImagingParams& p, WindowGrip grip, const DisplayWindow& start, double moved_db);

// Up and Down: gain, 1 dB; Right and Left: dynamic range, 1 dB; with Shift 5 dB; Delete: as in `defaults`.
void key_display_window(ImagingParams& p, const ImagingParams& defaults, const KeyPress& press);
void reset_display_window(ImagingParams& p, const ImagingParams& defaults);

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

// Upper edge of the highest bin with a pixel in it, of the image's levels; the lowest edge where there is none.
[[nodiscard]] double brightest_db(const LevelHistogram& histogram);

}  // namespace echoloop
