// The words of the M-mode's line and calipers, and its strip as a strip of a figure. UI thread only.
#pragma once

#include <string>

#include "core/results/image.h"
#include "gui/figure/figure_strip.h"
#include "gui/state/m_mode_view.h"
#include "gui/view/m_mode.h"

namespace echoloop {

// "line at x 1.30 mm", or at an angle.
std::string line_text(const Image& image, PlanePoint at);

// A caliper in words: depth, time, and what follows from both: "4.20 mm", "310 ms", "13.5 mm/s", "3.23 Hz, 194 /min".
struct CaliperText {
  std::string lengths, rates;
};
CaliperText caliper_text(const MModeCaliper& caliper);

// `strip` is not empty. `image`: on screen.
FigureStrip figure_m_mode(const MModeStrip& strip, const UiState& state, const Image& image, double span_s);

}  // namespace echoloop
