// Regions of the image plane drawn by the user, and their pixels. A pixel belongs to a region if its centre is inside
// or on the edge (within a nanometre). Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.h"

namespace echoloop {

enum class RegionShape { rectangle, circle, ellipse, outline };

struct Region {
  RegionShape shape = RegionShape::rectangle;
  // rectangle: opposite corners; circle: centre, a point of the rim; ellipse: ends of one axis and a point at the
  // distance of the other half axis; outline: at least 3, closed, even-odd if self-intersecting.
  std::vector<PlanePoint> points;
  friend bool operator==(const Region&, const Region&) = default;
};

// Weights make a mean over tissue count equal areas equally. Pixels of a Cartesian grid are equal; those of a polar
// grid have the area r dr dangle.
struct RegionPixels {
  std::vector<std::uint32_t> index = {};  // into [nz][nx], ascending
  std::vector<float> weight = {};         // relative area of each; empty = all equal
  double area_m2 = 0.0;                   // of these pixels in total
};
// Returns the pixels whose centres are in the region; none if it has too few points.
RegionPixels pixels_in(const Region& region, const Grid& grid);

// Outlines of labelled objects: closed lines along the edges of their pixels, in the plane, for drawing at any zoom and
// for files. Any thread.
struct LabelOutline {
  std::int32_t label = 0;
  std::vector<PlanePoint> line;  // closed: the last point joins the first; the object is on its right
  PlanePoint least{}, most{};    // bounding box
};

// labels: [nz][nx], 0 = no object. Returns one line around each object and each of its holes. Pixels that meet only at
// a corner are separate (4 neighbours). A pixel extends half a step to each side, but not beyond the grid's first and
// last row and column, where the image ends. On a polar grid lines follow radii in one piece and arcs in steps of a
// pixel.
std::vector<LabelOutline> outline_labels(std::span<const std::int32_t> labels, const Grid& grid);

// Lengths, angles and areas in the image plane. Any thread.

double distance_m(PlanePoint a, PlanePoint b);

// Returns the angle between the legs at the vertex, 0 to pi.
double angle_rad(PlanePoint leg_a, PlanePoint vertex, PlanePoint leg_b);

// Ellipse from the ends of one axis and a point at the distance of the other half axis from it.
struct EllipseAxes {
  PlanePoint centre;
  double half_a_m;  // along the drawn axis
  double half_b_m;
  double tilt_rad;  // of the drawn axis, from +x towards +z
};
EllipseAxes ellipse_axes(PlanePoint end_a, PlanePoint end_b, PlanePoint reach);
double ellipse_area_m2(const EllipseAxes& ellipse);

// Returns the area of a closed outline without self-intersection, in either orientation.
double outline_area_m2(std::span<const PlanePoint> outline);

}  // namespace echoloop
