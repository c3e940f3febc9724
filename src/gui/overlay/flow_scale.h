// What stands beside the colour bar of flow, the same in the window and in saved images. Any thread. No ImGui.
#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "core/results/analysis_images.h"
#include "gui/overlay/transfer_function.h"

namespace echoloop {

struct FlowLabel {
  double from_top = 0.0;  // share of the bar
  bool main = false;      // an end that the user looks for
  std::string text;
};

// Power: decibels from the threshold up. Velocity: up to the aliasing limit on both sides, with as many steps between
// as there is room for.
std::vector<FlowLabel> flow_labels(const FlowImage& flow, const ImagingParams& params, double room);
std::string flow_unit(const FlowImage& flow, const ImagingParams& params);
// from_top: 0 to 1 along the bar.
Rgb flow_bar_color(const ImagingParams& params, double from_top);

// Of velocities on the scale of a limit.
struct VelocityUnit {
  const char* name;
  double per_m_s;
};
VelocityUnit velocity_unit(double limit_m_s);
int velocity_decimals(double limit_in_unit);  // three figures or so, as the limit needs
// With sign and unit: "+4.2 cm/s".
std::string velocity_text(double velocity_m_s, double limit_m_s);

// Decibels above the threshold at which the power's colour is the brightest.
inline constexpr double kFlowPowerRange_db = 20.0;

// t from 0, the threshold, to 1.
Rgb flow_power_color(double t);
// t from -1, the aliasing limit away from the probe, to 1.
Rgb flow_velocity_color(double t);

// Whether a mode is drawn over the image; the low-rank image takes its place instead.
[[nodiscard]] inline bool is_overlay(FlowMode mode) { return mode == FlowMode::power || mode == FlowMode::velocity; }

}  // namespace echoloop
