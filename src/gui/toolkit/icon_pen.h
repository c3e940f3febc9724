// Draws an icon of 16 pixels at scale 1 with lines of 1.5 pixels; positions count from its centre, x to the right and y
// down. UI thread only.
#pragma once

#include <cmath>
#include <initializer_list>
#include <vector>

#include "core/units.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

struct IconPen {
  const Painter& p;
  float cx, cy;
  ImU32 color;

  [[nodiscard]] ImVec2 at(ImVec2 v) const { return {cx + v.x * p.scale(), cy + v.y * p.scale()}; }
  void line(std::initializer_list<ImVec2> points) const {
    std::vector<ImVec2> placed;
    for (const ImVec2 v : points) placed.push_back(at(v));
    compat::add_polyline(p.list(), placed.data(), static_cast<int>(placed.size()), color, 1.5F * p.scale());
  }
  void dot(ImVec2 v, float radius) const { p.disc(at(v).x, at(v).y, radius, color); }
  void round(float rx, float rz, float tilt_rad) const {
    std::vector<ImVec2> placed;
    constexpr int kPieces = 28;
    for (int i = 0; i <= kPieces; ++i) {
      const float t = static_cast<float>(2.0 * kPi) * static_cast<float>(i) / kPieces;
      const float a = rx * std::cos(t), b = rz * std::sin(t), c = std::cos(tilt_rad), s = std::sin(tilt_rad);
      placed.push_back(at({a * c - b * s, a * s + b * c}));
    }
    compat::add_polyline(p.list(), placed.data(), static_cast<int>(placed.size()), color, 1.5F * p.scale());
  }
};

using Icon = void (*)(const IconPen& pen);

}  // namespace echoloop
