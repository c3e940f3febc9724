#include "gui/overlay/flow_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/state/number_text.h"

namespace echoloop {
namespace {

std::vector<FlowLabel> velocity_labels(double limit_m_s, double room) {
  const double limit = limit_m_s * velocity_unit(limit_m_s).per_m_s;
  const int decimals = velocity_decimals(limit);
  std::vector<FlowLabel> labels = {{0.0, true, signed_fixed(limit, decimals)},
                                   {1.0, true, signed_fixed(-limit, decimals)}};
  const double step = round_up_125(2.0 * limit / std::max(room, 1.0));
  for (double v = -std::floor(limit / step) * step; v <= limit; v += step) {
    if (limit - std::abs(v) < 0.4 * step) continue;  // the limit's place
    const double shown = std::abs(v) < 1e-9 * step ? 0.0 : v;
    labels.push_back({0.5 - 0.5 * v / limit, false, signed_fixed(shown, decimals_of_125(step))});
  }
  return labels;
}

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

VelocityUnit velocity_unit(double limit_m_s) {
  return limit_m_s < 1.0 ? VelocityUnit{"cm/s", 100.0} : VelocityUnit{"m/s", 1.0};
}

int velocity_decimals(double limit_in_unit) { return limit_in_unit < 1.0 ? 2 : limit_in_unit < 20.0 ? 1 : 0; }

std::vector<FlowLabel> flow_labels(const FlowImage& flow, const ImagingParams& params, double room) {
  if (params.color_flow.mode == FlowMode::velocity) {
    return flow.aliasing_m_s > 0.0 ? velocity_labels(flow.aliasing_m_s, room) : std::vector<FlowLabel>();
  }
  std::vector<FlowLabel> labels;
  for (int i = 0; i <= 2; ++i) {
    const double level_db = params.color_flow.threshold_db + kFlowPowerRange_db * i / 2.0;
    labels.push_back({1.0 - i / 2.0, i == 0, fixed(level_db, 0)});
  }
  return labels;
}

std::string flow_unit(const FlowImage& flow, const ImagingParams& params) {
  return params.color_flow.mode == FlowMode::velocity ? velocity_unit(flow.aliasing_m_s).name : "flow dB";
}

Rgb flow_bar_color(const ImagingParams& params, double from_top) {
  const double t = 1.0 - from_top;
  return params.color_flow.mode == FlowMode::velocity ? flow_velocity_color(2.0 * t - 1.0) : flow_power_color(t);
}

std::string velocity_text(double velocity_m_s, double limit_m_s) {
  const VelocityUnit unit = velocity_unit(limit_m_s);
  return signed_fixed(velocity_m_s * unit.per_m_s, velocity_decimals(limit_m_s * unit.per_m_s)) + " " + unit.name;
}

Rgb flow_power_color(double t) { return color_at(kPower, t); }
Rgb flow_velocity_color(double t) { return t >= 0.0 ? color_at(kTowards, t) : color_at(kAway, -t); }

}  // namespace echoloop
