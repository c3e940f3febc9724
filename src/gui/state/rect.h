// Rectangle in pixels from the window's top left corner; x1 and y1 are exclusive. Any thread.
#pragma once

#include "core/grid.h"

namespace echoloop {

struct Rect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] float width() const { return x1 - x0; }
  [[nodiscard]] float height() const { return y1 - y0; }
  [[nodiscard]] float cx() const { return 0.5F * (x0 + x1); }
  [[nodiscard]] float cy() const { return 0.5F * (y0 + y1); }
  [[nodiscard]] bool contains(float x, float y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
  [[nodiscard]] Rect inset(float d) const { return {x0 + d, y0 + d, x1 - d, y1 - d}; }
  [[nodiscard]] bool overlaps(const Rect& r) const { return x0 < r.x1 && r.x0 < x1 && y0 < r.y1 && r.y0 < y1; }
  // Returns the intersection, if they overlap.
  [[nodiscard]] Rect common(const Rect& r) const {
    return {x0 > r.x0 ? x0 : r.x0, y0 > r.y0 ? y0 : r.y0, x1 < r.x1 ? x1 : r.x1, y1 < r.y1 ? y1 : r.y1};
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};

// Visible part of the image plane: all of it, or a part at a scale of its own. In metres and in pixels at scale 1, so
// that neither the window's size nor the monitor's scale changes the size of a millimetre. UI thread only.

struct PanZoom {
  bool fitted = true;             // the whole image, as large as fits; then the other members have no meaning
  PlanePoint centre{0.0, 0.0};    // centre of the image area
  double logical_px_per_m = 0.0;  // scale at monitor scale 1
  friend bool operator==(const PanZoom&, const PanZoom&) = default;
};

inline constexpr double kMaxZoom = 64.0;  // relative to the fitted image

}  // namespace echoloop
