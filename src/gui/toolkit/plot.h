// Small plots: a frame with two axes in 1-2-5 steps, curves in it, and values under the pointer. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/overlay/m_mode_columns.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct Plot {
  Rect box;
  PlotAxis x, y;
  [[nodiscard]] float x_px(double v) const;
  [[nodiscard]] float y_px(double v) const;
  [[nodiscard]] ImVec2 px(double x_value, double y_value) const { return {x_px(x_value), y_px(y_value)}; }
  [[nodiscard]] double x_at(float px) const;
  [[nodiscard]] double y_at(float px) const;
};

enum class PlotGround { canvas, none };  // none: the contents of the box were drawn before

struct PlotLook {
  std::string_view title;
  PlotAxis x, y;
  PlotGround ground = PlotGround::canvas;
  Type labels = Type::small;  // medium: for the projector
};

// Returns the box of a plot in `cell`.
Rect plot_box(const Ui& ui, const Rect& cell, Type labels = Type::small);
// Draws a plot in `cell`: title above, labels at the left and below.
Plot draw_plot(const Ui& ui, const Rect& cell, const PlotLook& look);
// Draws a text at the right end of the title row: values under the pointer.
void draw_plot_note(const Ui& ui, const Rect& cell, const Plot& plot, std::string_view title, std::string_view note);

// Draws a curve through points in pixels, clipped to the box: broken at NaN, a dot for a single point.
void draw_curve(const Ui& ui, const Plot& plot, std::span<const ImVec2> points, ImU32 color, float thickness);
// Draws values at first_x + i * step_x.
void draw_curve(const Ui& ui, const Plot& plot, std::span<const float> values, double first_x, double step_x,
                ImU32 color, float thickness = 1.25F);
void draw_cursor(const Ui& ui, const Plot& plot, double x);  // a vertical line, dashed

// Quantity over the last ten seconds as a small curve. UI thread only.

struct Sparkline {
  const std::vector<float>& values;  // oldest first, in equal steps; NaN if there is none
  double top = 1.0;                  // the scale starts at 0
  std::string top_text = {};
  std::optional<double> line = {};  // dashed, with a text of its own
  std::string_view line_text = {};
  float label_width = 50;  // at scale 1; 0 = no labels
};

// Draws in `row`, labels to the right of the curve and never over it. Returns the curve's box.
Rect draw_sparkline(const Ui& ui, const Rect& row, const Sparkline& plot);

}  // namespace echoloop
