// Words of the M-mode's line and calipers. UI thread only.
#pragma once

#include <string>

#include "core/results/image.h"
#include "gui/state/m_mode_view.h"

namespace echoloop {

// "line at x 1.30 mm", or at an angle.
std::string line_text(const Image& image, PlanePoint at);

// A caliper in words: depth, time, and what follows from both: "4.20 mm", "310 ms", "13.5 mm/s", "3.23 Hz, 194 /min".
struct CaliperText {
  std::string lengths, rates;
};
CaliperText caliper_text(const MModeCaliper& caliper);

}  // namespace echoloop
