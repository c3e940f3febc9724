// Images of the whole window, compared with stored ones: small enough to be kept, with a tolerance that accepts another
// rasteriser's edges and detects a moved or missing control.
#pragma once

#include <string>

#include "render/canvas.h"

namespace echoloop::testing {

// Averages squares of `factor` pixels, 16 levels per channel.
RgbImage reduced(const RgbImage& picture, int factor);

struct GoldenDifference {
  int tiles = 0;      // squares of 8 pixels that differ
  double worst = 0;   // mean difference of the worst one, of 255
  int x = 0, y = 0;   // its corner in the reduced image
  std::string words;  // empty: equal
};
GoldenDifference compare(const RgbImage& golden, const RgbImage& now);

// Compares with tests/gui/golden/NAME.png, or writes it if ECHOLOOP_REWRITE_GOLDEN is set. Empty: equal.
std::string against_golden(const std::string& name, const RgbImage& picture, int factor);

// Returns why images cannot be compared here; empty: they can. They are drawn in Inter.
std::string why_no_golden();

}  // namespace echoloop::testing
