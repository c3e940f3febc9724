// Colours of flow, the same for overlay and colour bar. Power: dark red over orange to yellow. Velocity: towards the
// probe red to yellow, away from it blue to white-blue, brighter where faster, as scanners show it. Any thread.
#pragma once

#include "core/params.h"
#include "gui/overlay/tone.h"

namespace echoloop {

// Decibels above the threshold at which the power's colour is the brightest.
inline constexpr double kFlowPowerRange_db = 20.0;

// t from 0, the threshold, to 1.
Rgb flow_power_color(double t);
// t from -1, the aliasing limit away from the probe, to 1.
Rgb flow_velocity_color(double t);

// Whether a mode is drawn over the picture; the low-rank picture takes its place instead.
[[nodiscard]] inline bool is_overlay(FlowMode mode) { return mode == FlowMode::power || mode == FlowMode::velocity; }

}  // namespace echoloop
