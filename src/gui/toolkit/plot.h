// Small plots: a frame with two axes in 1-2-5 steps, curves in it, and what lies under the pointer. UI thread only.
#pragma once

#include <span>
#include <string_view>

#include "gui/overlay/plot_axis.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct Plot {
  Rect box;
  PlotAxis x, y;
  [[nodiscard]] float x_px(double v) const;
  [[nodiscard]] float y_px(double v) const;
  [[nodiscard]] double x_at(float px) const;
  [[nodiscard]] double y_at(float px) const;
};

enum class PlotGround { canvas, none };  // none: what is in the box was drawn below everything here

struct PlotLook {
  std::string_view title;
  PlotAxis x, y;
  PlotGround ground = PlotGround::canvas;
  Type labels = Type::small;  // medium: for the projector
};

// In `cell`: title above, labels at the left and below.
Plot draw_plot(const Ui& ui, const Rect& cell, const PlotLook& look);
// A word at the right end of the title's row: values under the pointer.
void draw_plot_note(const Ui& ui, const Rect& cell, const Plot& plot, std::string_view title, std::string_view note);

// Values at first_x + i * step_x, within the box; gaps where there is no number.
void draw_curve(const Ui& ui, const Plot& plot, std::span<const float> values, double first_x, double step_x,
                ImU32 color);
void draw_cursor(const Ui& ui, const Plot& plot, double x);  // a vertical line, dashed

}  // namespace echoloop
