// An axis of a small plot and its ticks in 1-2-5 steps, the same in the window and in figures. Pure; any thread. No
// ImGui.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gui/state/number_text.h"

namespace echoloop {

struct PlotAxis {
  double first = 0.0, last = 1.0;  // at the left edge and the right one; at the top and at the bottom
  std::string_view unit;
  int decimals = -1;  // of the labels; -1: as many as the step needs

  [[nodiscard]] double share(double v) const { return last != first ? (v - first) / (last - first) : 0.0; }
  // The step that puts as many labels on an axis of this length as stay `least` apart.
  [[nodiscard]] double step(double length, double least) const {
    const double most = std::max(1.0, std::floor(length / least));
    return round_up_125(std::max(std::abs(last - first) / most, 1e-9));
  }
  // draw(value, label) for every tick.
  template <class Draw>
  void each_tick(double step, const Draw& draw) const {
    const double low = std::min(first, last), high = std::max(first, last);
    const int places = decimals >= 0 ? decimals : decimals_of_125(step);
    for (double k = std::ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k += 1.0) {
      draw(k * step, fixed(k == 0.0 ? 0.0 : k * step, places));
    }
  }
};

}  // namespace echoloop
