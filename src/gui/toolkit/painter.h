// Drawing with the design's lengths: rectangles, text, icons, all rounded to whole pixels at the window's scale. Thin
// layer over ImGui's draw list, which hides pixels and ImGui versions from panels. UI thread only.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "gui/gl/imgui_compat.h"
#include "gui/state/rect.h"
#include "gui/toolkit/theme.h"

namespace echoloop {

enum class Direction { left, right, up, down };

class Painter {
 public:
  void begin(ImDrawList* list, const Fonts* fonts, float scale) {
    list_ = list;
    fonts_ = fonts;
    scale_ = scale;
  }
  [[nodiscard]] ImDrawList& list() const { return *list_; }
  ImDrawList* swap_list(ImDrawList* list);  // returns the previous list
  [[nodiscard]] const Fonts& fonts() const { return *fonts_; }
  [[nodiscard]] float scale() const { return scale_; }
  [[nodiscard]] float px(float length) const;  // whole pixels
  [[nodiscard]] float hairline() const;        // at least 1

  void fill(const Rect& r, ImU32 color, float radius = 0) const;  // radius at scale 1
  void outline(const Rect& r, ImU32 color, float radius = 0, float thickness = 1) const;
  void horizontal(float x0, float x1, float y, ImU32 color) const;  // a hairline below y
  void vertical(float x, float y0, float y1, ImU32 color) const;
  void disc(float x, float y, float radius, ImU32 color) const;  // radius at scale 1
  void ring(float x, float y, float radius, ImU32 color, float thickness) const;
  void stroke(ImVec2 a, ImVec2 b, ImU32 color, float thickness) const;
  // Draws four arms from `gap` to `reach` pixels from `at`, on a halo of thickness `halo`.
  void crosshair(ImVec2 at, float gap, float reach, ImU32 color, float halo = 4.5F) const;

  [[nodiscard]] float width(Type type, std::string_view text) const;
  // Draws from left edge x, centred on the line of height `height` at y. Returns the right edge.
  float text(Type type, float x, float y, float height, ImU32 color, std::string_view text) const;
  float text(Type type, const Rect& row, ImU32 color, std::string_view text) const;
  void text_right(Type type, float right, float y, float height, ImU32 color, std::string_view text) const;
  void text_centred(Type type, const Rect& r, ImU32 color, std::string_view text) const;
  // Draws the part that fits before `right`, with an ellipsis. Returns the right edge.
  float text_fitted(Type type, float x, float right, float y, float height, ImU32 color, std::string_view text) const;
  // Returns the part that is at most `wide`, with an ellipsis.
  [[nodiscard]] std::string fitted(Type type, float wide, std::string_view text) const;
  // Draws text broken at spaces; returns the height used.
  float paragraph(Type type, float x, float y, float wrap, float line, ImU32 color, std::string_view text) const;
  [[nodiscard]] float paragraph_height(Type type, float wrap, float line, std::string_view text) const;

  void chevron(float cx, float cy, Direction direction, ImU32 color, float size = 8) const;
  void triangle(float tip_x, float tip_y, Direction direction, ImU32 color, float size) const;
  void check(const Rect& r, ImU32 color) const;
  void cross(float cx, float cy, ImU32 color) const;
  void pause(float cx, float cy, ImU32 color) const;
  void play(float cx, float cy, ImU32 color) const;

 private:
  ImDrawList* list_ = nullptr;
  const Fonts* fonts_ = nullptr;
  float scale_ = 1;
};

// Draws an icon of 16 pixels at scale 1 with lines of 1.5 pixels; positions count from its centre, x to the right and y
// down. UI thread only.

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
