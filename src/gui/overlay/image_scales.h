// Rulers in millimetres, colour bars and the scale bar around an image on any canvas: the same in videos, figures and
// saved images. All lengths scale with the size of the letters. Any thread. No ImGui.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/transfer_function.h"
#include "render/canvas.h"

namespace echoloop {

struct PixelArea {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  friend bool operator==(const PixelArea&, const PixelArea&) = default;
};

struct ScaleLook {
  double em = 20.0;                     // of labels, in units of the canvas
  double x_apart = 5.0, z_apart = 4.0;  // least distance of a ruler's numbers, em
  Rgb text = ink::kText, text2 = ink::kText2, muted = ink::kMuted, tick = ink::kTick, edge = ink::kEdge;

  [[nodiscard]] TextLook label(Rgb color, Weight weight = Weight::regular) const {
    return {.em = static_cast<float>(em), .weight = weight, .color = color};
  }
};

// Sizes of ticks, gaps and labels together.
inline constexpr double kTopRuler_em = 2.1, kLeftRuler_em = 4.0, kBarLabels_em = 3.2;

enum class RulerLabels { ticks_only, numbers };

void draw_x_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look,
                  Mirrored mirrored = Mirrored::off);
void draw_z_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look, RulerLabels labels);

// Draws the display window: white (or the map's last colour) above, black below, labels to the right, "dB" above, after
// A or B if each side of a comparison has a bar.
void draw_level_bar(Canvas& canvas, const CanvasRect& bar, const ImagingParams& params, const ScaleLook& look,
                    const std::string& side = {});

// Draws power or velocity, its unit above.
struct FlowBarTick {  // in units of the canvas
  double away, length, thickness;
};
void draw_flow_bar(Canvas& canvas, const CanvasRect& bar, const FlowImage& flow, const ImagingParams& display,
                   const ScaleLook& look, FlowBarTick tick);

// Draws a length of 1, 2 or 5 x 10^k mm, 15 to 40 % of the image's width, in the image's lower right corner.
void draw_scale_bar(Canvas& canvas, const CanvasRect& image, double units_per_m, double em);

// Divisions of the rulers in millimetres, in the window and in videos. Pure functions; any thread. No ImGui.

// Smallest of 1, 2, 5 x 10^k mm at least `least_px` apart.
struct RulerStep {
  double major_mm = 1;
  int minor_per_major = 5;
  int decimals = 0;
};
RulerStep ruler_step(double px_per_mm, double least_px, double scale);

struct RulerAxis {
  double low_mm, high_mm;
  RulerStep step;
  // Calls `at(value_mm, index)` for every tick within the image; index 0 of each minor_per_major has a label.
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

// Lines over the image that mark the source of a strip below it: the M-mode's line; the beam through the sample volume,
// its ends, and the direction of the flow. The same in the window and in figures. Pure; any thread. No ImGui.

struct GuideLine {
  PlanePoint from, to;  // may lie outside the image
  Rgb color;
  double opacity = 1.0;
  double thickness = 1.0;  // in pixels of the window at scale 1, or points of a figure
};

GuideLine m_mode_guide(const Grid& grid, PlanePoint at);

// Position of the gate on an image of this grid: its ends on the beam, the beam's direction (unit length, downwards).
struct GateShape {
  PlanePoint middle, shallow, deep, along;
};
GateShape gate_shape(const Grid& grid, const ImagingParams& params);
// Returns the lines; `unit_m`: length of a unit of `thickness` on the image plane.
std::vector<GuideLine> gate_guides(const Grid& grid, const ImagingParams& params, double unit_m);

// Labels of the colour bar of flow, the same in the window and in saved images. Any thread. No ImGui.

struct FlowLabel {
  double from_top = 0.0;  // fraction of the bar
  bool main = false;      // main value of the bar, drawn strong
  std::string text;
};

// Returns labels for power: decibels from the threshold up; for velocity: up to the aliasing limit on both sides, with
// about `room` steps.
std::vector<FlowLabel> flow_labels(const FlowImage& flow, const ImagingParams& params, double room);
std::string flow_unit(const FlowImage& flow, const ImagingParams& params);
// Returns the colour at from_top, 0 to 1 along the bar.
Rgb flow_bar_color(const ImagingParams& params, double from_top);

// Unit of velocities on the scale of a limit.
struct VelocityUnit {
  const char* name;
  double per_m_s;
};
VelocityUnit velocity_unit(double limit_m_s);
int velocity_decimals(double limit_in_unit);  // for about three digits
// Returns a velocity with sign and unit: "+4.2 cm/s".
std::string velocity_text(double velocity_m_s, double limit_m_s);

// Range of the power's colours, in decibels from the threshold to the brightest.
inline constexpr double kFlowPowerRange_db = 20.0;

// Returns the colour of t from 0, the threshold, to 1.
Rgb flow_power_color(double t);
// Returns the colour of t from -1, the aliasing limit away from the probe, to 1.
Rgb flow_velocity_color(double t);

// Returns true if a mode is drawn over the image; the low-rank image replaces it instead.
[[nodiscard]] inline bool is_overlay(FlowMode mode) { return mode == FlowMode::power || mode == FlowMode::velocity; }

}  // namespace echoloop
