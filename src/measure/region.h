// Parts of the image plane that a user drew, and the pixels that lie in them.
// A pixel belongs to a region when its centre lies inside or on the edge (within a nanometre). Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.h"

namespace echoloop {

enum class RegionShape { rectangle, circle, ellipse, outline };

struct Region {
  RegionShape shape = RegionShape::rectangle;
  // rectangle: opposite corners; circle: centre, a point of the rim; ellipse: the ends of one axis and a point that
  // the other half axis reaches out to; outline: at least 3, closed, even-odd where it crosses itself.
  std::vector<PlanePoint> points;
  friend bool operator==(const Region&, const Region&) = default;
};

// Weights: a mean over tissue counts equal areas equally. Pixels of a Cartesian grid are equal; those of a polar grid
// are as large as their distance from the apex: r dr dangle.
struct RegionPixels {
  std::vector<std::uint32_t> index = {};  // into [nz][nx], rising
  std::vector<float> weight = {};         // relative area of each; empty = all equal
  double area_m2 = 0.0;                   // of these pixels together
};
// Those whose centres lie in the region; none when it has too few points.
RegionPixels pixels_in(const Region& region, const Grid& grid);

// Where labelled objects end: closed lines along the edges of their pixels, as points of the plane. They are drawn at
// any zoom and written to files, so they belong to no screen. Any thread.

struct LabelOutline {
  std::int32_t label = 0;
  std::vector<PlanePoint> line;  // closed: the last point joins the first; the object lies at its right
  PlanePoint least{}, most{};    // the box around it
};

// labels: [nz][nx], 0 = no object. One line around each object and one around each of its holes. Pixels that meet at a
// corner only do not belong together (4 neighbours). A pixel reaches half a step to all sides, but not beyond the
// grid's first and last row and column, where the image ends. On a polar grid lines follow the radii in one piece and
// the arcs in steps of a pixel.
std::vector<LabelOutline> outline_labels(std::span<const std::int32_t> labels, const Grid& grid);

// Lengths, angles and areas in the image plane. Any thread.

double distance_m(PlanePoint a, PlanePoint b);

// Between the legs from the vertex, 0 to pi.
double angle_rad(PlanePoint leg_a, PlanePoint vertex, PlanePoint leg_b);

// The ends of one axis, and a point whose distance from that axis is the other half axis.
struct EllipseAxes {
  PlanePoint centre;
  double half_a_m;  // along the drawn axis
  double half_b_m;
  double tilt_rad;  // of the drawn axis, from +x towards +z
};
EllipseAxes ellipse_axes(PlanePoint end_a, PlanePoint end_b, PlanePoint reach);
double ellipse_area_m2(const EllipseAxes& ellipse);

// Of a closed outline that does not cross itself; either sense of going round.
double outline_area_m2(std::span<const PlanePoint> outline);

}  // namespace echoloop
