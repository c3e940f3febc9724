// What makes SI of numbers whose unit nothing says: their size. Any thread.
#pragma once

#include <numbers>

namespace echoloop {

enum class Quantity { frequency, length, duration, angle, plain };

// `largest`: the largest magnitude of the numbers. `reach`: of lengths (m) and durations (s), up to which they are
// taken for SI.
constexpr double unit_by_size(Quantity quantity, double largest, double reach) {
  switch (quantity) {
    case Quantity::frequency:
      return largest < 1e3 ? 1e6 : largest < 1e5 ? 1e3 : 1.0;
    case Quantity::length:
      return largest < reach ? 1.0 : largest < 1e3 * reach ? 1e-3 : 1e-6;
    case Quantity::duration:
      return largest <= reach ? 1.0 : 1e-6;
    case Quantity::angle:
      return largest > 0.5 * std::numbers::pi ? std::numbers::pi / 180.0 : 1.0;
    case Quantity::plain:
      break;
  }
  return 1.0;
}

}  // namespace echoloop
