// What the user draws on the picture to measure it, in metres of the image plane: calipers, regions, lines, points.
// Marks stay with the image whatever happens to zoom and window. Plain values. UI thread only.
#pragma once

#include <vector>

#include "core/grid.h"

namespace echoloop {

enum class MarkKind {
  distance,   // 2 points
  angle,      // 3 points, the vertex second
  ellipse,    // 3 points: the ends of one axis, and a point that the other half axis reaches out to
  rectangle,  // 2 opposite corners
  circle,     // centre, and a point of the rim
  outline,    // any number of points, closed
  profile,    // 2 points: levels along the line
  point       // 1 point: the point spread there
};

// Regions make pairs: what is measured, and what it is compared with.
enum class RegionRole { none, target, background };

struct Mark {
  int number = 0;  // shown beside it; never used again in one session
  MarkKind kind = MarkKind::distance;
  std::vector<PlanePoint> points;
  RegionRole role = RegionRole::none;
  int pair = 0;  // regions: from 1
  friend bool operator==(const Mark&, const Mark&) = default;
};

// What a click on the image does; pointer: select and move marks, pan.
enum class MarkTool { pointer, distance, angle, ellipse, rectangle, circle, outline, profile, point, inspect, gate };

struct Marks {
  std::vector<Mark> list;  // complete ones, oldest first
  int selected = 0;        // number of a mark; 0 = none
  int hovered = 0;  // likewise: under the pointer, on the image or in the list; the window sets it anew each frame
  int last_number = 0;
  MarkTool tool = MarkTool::pointer;
};

}  // namespace echoloop
