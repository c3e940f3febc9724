// Images of the whole window, compared with stored ones: small, so that they can be kept, and with a tolerance that
// another rasteriser's edges pass and a control that moved or went missing does not.
#pragma once

#include <string>

#include "render/palette.h"

namespace echoloop::testing {

// Averages of squares of `factor` pixels, 16 levels a channel.
RgbImage reduced(const RgbImage& picture, int factor);

struct GoldenDifference {
  int tiles = 0;      // squares of 8 pixels that differ
  double worst = 0;   // mean difference of the worst one, of 255
  int x = 0, y = 0;   // its corner in the reduced image
  std::string words;  // empty: alike
};
GoldenDifference compare(const RgbImage& golden, const RgbImage& now);

// Compares with tests/gui/golden/NAME.png, or writes it where ECHOLOOP_REWRITE_GOLDEN is set. Empty: alike.
std::string against_golden(const std::string& name, const RgbImage& picture, int factor);

// Why images cannot be compared here; empty: they can. They are drawn in Inter.
std::string why_no_golden();

}  // namespace echoloop::testing
