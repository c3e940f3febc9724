// Lines over the image that show where a strip below it comes from: the M-mode's line; the beam through the sample
// volume, its ends, and the direction of the flow. The same in the window and in figures. Pure; any thread. No ImGui.
#pragma once

#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "render/rgb.h"

namespace echoloop {

struct GuideLine {
  PlanePoint from, to;  // may lie outside the image
  Rgb color;
  double opacity = 1.0;
  double thickness = 1.0;  // in pixels of the window at scale 1, or points of a figure
};

GuideLine m_mode_guide(const Grid& grid, PlanePoint at);

// Where the gate lies on an image of this grid: its ends on the beam, the beam's direction (unit length, downwards).
struct GateShape {
  PlanePoint middle, shallow, deep, along;
};
GateShape gate_shape(const Grid& grid, const ImagingParams& params);
// `unit_m`: length of a unit of `thickness` on the image plane.
std::vector<GuideLine> gate_guides(const Grid& grid, const ImagingParams& params, double unit_m);

}  // namespace echoloop
