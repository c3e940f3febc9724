// Which acquisitions look into a sector, and which are scanned line by line: one focused transmit for each line of the
// image. Geometry only, from the probe and the transmits; any thread.
#pragma once

#include <optional>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// z of the point that a sector's lines come from: the centre of curvature of a convex array, which lines leave at right
// angles to the elements, and the array itself for a flat one (0).
double sector_apex_z_m(const Probe& probe);

// Seen as a sector: convex and phased arrays, flat arrays with scan lines that fan out, and diverging waves from an
// array fine enough to steer (pitch below three quarters of a wavelength).
bool looks_into_sector(const Acquisition& acquisition);

// A flat array whose elements have to be combined all, because it is small against the depth: a phased array, whatever
// the recording calls it.
bool works_as_phased(const Acquisition& acquisition);

// Focused transmits as the lines of an image. `at`: angle about the apex (rad), or x (m) where the lines are parallel
// (an aperture that walks along a flat array).
struct ScanLines {
  bool parallel = false;
  std::vector<double> at;  // of each transmit
  double first = 0.0;      // the outermost lines
  double last = 0.0;
  int count = 0;     // of lines evenly spaced from first to last, each within half a step of a transmit
  int per_line = 1;  // most transmits on one line
};

// Empty when a transmit is not focused or all look one way.
std::optional<ScanLines> find_scan_lines(const Acquisition& acquisition);

bool all_focused(const Acquisition& acquisition);

// The axis of a focused transmit: through the focus, straight down where the lines are parallel, otherwise away from
// the apex.
struct BeamAxis {
  double focus_x_m = 0.0;
  double focus_z_m = 0.0;
  double sine = 0.0;  // of the angle from +z towards +x
  double cosine = 1.0;
  // Distance to the farther of the two neighbouring lines: gap_m at the focus and gap_slope more a metre beyond it. 0:
  // no other line.
  double gap_m = 0.0;
  double gap_slope = 0.0;
};

// Of every transmit; all must be focused.
std::vector<BeamAxis> beam_axes(const Acquisition& acquisition);

// Index of the line nearest to transmit `tx`.
int line_of(const ScanLines& lines, std::size_t tx);

}  // namespace echoloop
