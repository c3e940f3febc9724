// Divisions of the rulers in millimetres, in the window and in films. Pure functions; any thread. No ImGui.
#pragma once

#include <cmath>

namespace echoloop {

// The smallest of 1, 2, 5 x 10^k mm at least `least_px` apart.
struct RulerStep {
  double major_mm = 1;
  int minor_per_major = 5;
  int decimals = 0;
};
RulerStep ruler_step(double px_per_mm, double least_px, double scale);

struct RulerAxis {
  double low_mm, high_mm;
  RulerStep step;
  // Calls `at(value_mm, index)` for every tick within the image; index 0 of each minor_per_major is a labelled one.
  template <class F>
  void each(F at) const {
    const double minor = step.major_mm / step.minor_per_major;
    const auto first = static_cast<int>(std::ceil(low_mm / minor - 1e-6));
    const auto last = static_cast<int>(std::floor(high_mm / minor + 1e-6));
    for (int i = first; i <= last && i - first < 2000; ++i) {
      at(i * minor, ((i % step.minor_per_major) + step.minor_per_major) % step.minor_per_major);
    }
  }
};
RulerAxis ruler_axis(double low_m, double high_m, double pixels, double least_px, double scale);

}  // namespace echoloop
