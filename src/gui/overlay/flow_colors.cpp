#include "gui/overlay/flow_colors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace echoloop {
namespace {

struct Stop {
  double t, r, g, b;
};

constexpr std::array<Stop, 4> kPower = {{{0, 96, 0, 16}, {0.35, 196, 30, 0}, {0.7, 255, 140, 0}, {1, 255, 240, 110}}};
constexpr std::array<Stop, 4> kTowards = {{{0, 88, 0, 0}, {0.4, 200, 16, 8}, {0.75, 255, 128, 16}, {1, 255, 240, 120}}};
constexpr std::array<Stop, 4> kAway = {{{0, 0, 8, 96}, {0.4, 16, 64, 214}, {0.75, 32, 160, 255}, {1, 176, 246, 255}}};

Rgb color_at(const std::array<Stop, 4>& stops, double t) {
  t = std::clamp(t, 0.0, 1.0);
  std::size_t i = 0;
  while (i + 2 < stops.size() && t > stops[i + 1].t) ++i;
  const Stop &a = stops[i], &b = stops[i + 1];
  const double share = (t - a.t) / (b.t - a.t);
  const auto mix = [share](double from, double to) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

}  // namespace

Rgb flow_power_color(double t) { return color_at(kPower, t); }
Rgb flow_velocity_color(double t) { return t >= 0.0 ? color_at(kTowards, t) : color_at(kAway, -t); }

}  // namespace echoloop
