// Scan conversion of an envelope: from the beamformed grid (usually the lines of a sector) to the image's, bilinear in
// the linear amplitude. One image pixel per call, host and device.
#pragma once

#include <cmath>

#include "core/grid.h"
#include "core/hd.h"

namespace echoloop {

// One grid as floats; steps are per pixel.
struct ScanAxes {
  bool polar;
  int nx, nz;
  float first_column, column_step;  // x (m), or angle (rad)
  float first_row, row_step;        // z (m), or distance from the apex
  float apex_z_m;
};

struct ScanGeometry {
  ScanAxes from;  // input, [from.nz][from.nx]
  ScanAxes to;
};

inline ScanAxes scan_axes(const Grid& g) {
  const auto step = [](double first, double last, int n) {
    return static_cast<float>(n > 1 ? (last - first) / (n - 1) : 1.0);
  };
  const Sector& s = g.sector;
  const bool polar = g.polar();
  const double c0 = polar ? s.angle0_rad : g.x0_m, c1 = polar ? s.angle1_rad : g.x1_m;
  const double r0 = polar ? s.r0_m : g.z0_m, r1 = polar ? s.r1_m : g.z1_m;
  return {.polar = polar,
          .nx = g.nx,
          .nz = g.nz,
          .first_column = static_cast<float>(c0),
          .column_step = step(c0, c1, g.nx),
          .first_row = static_cast<float>(r0),
          .row_step = step(r0, r1, g.nz),
          .apex_z_m = static_cast<float>(s.apex_z_m)};
}

// Lower of the two pixels around a position, and the share of the upper one.
struct ScanPlace {
  int lower;
  float share;
  bool inside;
};

// Positions up to a hundredth of a pixel outside count as the edge: rounding of the grid's end points.
ECHO_HD ScanPlace scan_place(float at, int n) {
  const float last = static_cast<float>(n - 1);
  const bool inside = at >= -0.01f && at <= last + 0.01f;
  const float held = at > 0.0f ? (at < last ? at : last) : 0.0f;  // NaN: 0
  int lower = static_cast<int>(held);
  if (lower > n - 2) lower = n > 1 ? n - 2 : 0;
  return {lower, held - static_cast<float>(lower), inside};
}

// Returns the amplitude of image pixel (ix, iz); 0 outside the beamformed area. `amplitude(index)` reads `from`.
template <class Amplitude>
ECHO_HD float scan_pixel(const ScanGeometry& g, int ix, int iz, Amplitude amplitude) {
  const float column = g.to.first_column + static_cast<float>(ix) * g.to.column_step;
  const float row = g.to.first_row + static_cast<float>(iz) * g.to.row_step;
  const float x = g.to.polar ? row * sinf(column) : column;
  const float z = g.to.polar ? g.to.apex_z_m + row * cosf(column) : row;
  const float down = z - g.from.apex_z_m;
  const float across = g.from.polar ? atan2f(x, down) : x;
  const float along = g.from.polar ? sqrtf(x * x + down * down) : z;
  const ScanPlace c = scan_place((across - g.from.first_column) / g.from.column_step, g.from.nx);
  const ScanPlace r = scan_place((along - g.from.first_row) / g.from.row_step, g.from.nz);
  if (!c.inside || !r.inside) return 0.0f;
  const int right = g.from.nx > 1 ? 1 : 0;
  const int below = g.from.nz > 1 ? g.from.nx : 0;
  const int at = r.lower * g.from.nx + c.lower;
  const float upper_left = amplitude(at);
  const float lower_left = amplitude(at + below);
  const float upper = upper_left + c.share * (amplitude(at + right) - upper_left);
  const float lower = lower_left + c.share * (amplitude(at + below + right) - lower_left);
  return upper + r.share * (lower - upper);
}

}  // namespace echoloop
