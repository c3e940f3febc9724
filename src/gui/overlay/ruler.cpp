#include "gui/overlay/ruler.h"

#include <algorithm>

#include "core/units.h"

namespace echoloop {

RulerStep ruler_step(double px_per_mm, double least_px, double scale) {
  constexpr double kSteps[] = {1, 2, 5};
  for (int power = -3; power < 5; ++power) {
    for (const double factor : kSteps) {
      const double step = factor * std::pow(10.0, power);
      if (step * px_per_mm < least_px) continue;
      int minor = factor == 2 ? 4 : 5;
      if (step * px_per_mm / minor < 6.0 * scale) minor = 2;
      return {.major_mm = step, .minor_per_major = minor, .decimals = std::max(0, -power)};
    }
  }
  return {};
}

RulerAxis ruler_axis(double low_m, double high_m, double pixels, double least_px, double scale) {
  const double low = low_m / kMetresPerMillimetre;
  const double high = high_m / kMetresPerMillimetre;
  // Closer on a short ruler, where one number alone would be left.
  const double least = std::max(std::min(least_px, 0.25 * pixels), 0.6 * least_px);
  return {low, high, ruler_step(pixels / std::max(high - low, 1e-6), least, scale)};
}

}  // namespace echoloop
