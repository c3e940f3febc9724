// The singular values of the last ensemble in decibels, and which of them are kept: two marks that can be dragged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/panels/flow_parts.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

constexpr float kComponentsHeight = 132;
constexpr double kComponentFloor_db = -120.0;

enum class Grip { none, first, last };

struct Kept {
  int first = 0, last = 0;  // from 1
};

std::vector<float> levels_db(const std::vector<float>& values) {
  std::vector<float> levels;
  const double most = values.empty() ? 0.0 : static_cast<double>(values.front());
  for (const float v : values) {
    const double share = most > 0.0 ? static_cast<double>(v) / most : 0.0;
    levels.push_back(
        static_cast<float>(share > 0.0 ? std::max(20.0 * std::log10(share), kComponentFloor_db) : kComponentFloor_db));
  }
  return levels;
}

// Percent of the energy of all frames that the kept components have.
double energy_percent(const std::vector<float>& values, Kept kept) {
  double all = 0.0, inside = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double energy = static_cast<double>(values[i]) * static_cast<double>(values[i]);
    const int component = static_cast<int>(i) + 1;
    all += energy;
    if (component >= kept.first && component <= kept.last) inside += energy;
  }
  return all > 0.0 ? 100.0 * inside / all : 0.0;
}

// What the picture on screen was made with, or where the hand is already.
Kept kept_now(const ImagingParams& p, const FlowImage& flow) {
  const int n = static_cast<int>(flow.singular_values.size());
  Kept kept{p.color_flow.svd_low > 0 ? std::min(p.color_flow.svd_low, n) : flow.first_component,
            p.color_flow.svd_high > 0 ? std::min(p.color_flow.svd_high, n) : flow.last_component};
  kept.last = std::max(kept.last, kept.first);
  return kept;
}

Grip nearest_grip(const Plot& plot, Kept kept, float x) {
  const float to_first = std::abs(x - plot.x_px(kept.first)), to_last = std::abs(x - plot.x_px(kept.last));
  if (to_first == to_last) return x < plot.x_px(kept.first) ? Grip::first : Grip::last;
  return to_first < to_last ? Grip::first : Grip::last;
}

bool drag(ImagingParams& p, Grip grip, Kept kept, int to, int n) {
  const ImagingParams before = p;
  if (grip == Grip::first) p.color_flow.svd_low = std::clamp(to, 1, kept.last);
  if (grip == Grip::last) p.color_flow.svd_high = std::clamp(to, kept.first, n);
  return !(p == before);
}

void draw_kept(const Ui& ui, const Plot& plot, Kept kept, Grip lit) {
  const float x0 = plot.x_px(kept.first - 0.5), x1 = plot.x_px(kept.last + 0.5);
  ui.fill(Rect{x0, plot.box.y0, x1, plot.box.y1}.common(plot.box), theme::kSelected);
  const auto mark = [&](int component, Grip grip) {
    const float x = std::round(plot.x_px(component));
    const ImU32 color = lit == grip ? theme::kAccentHover : theme::kAccent;
    ui.fill({x - ui.px(1), plot.box.y0, x - ui.px(1) + ui.px(2), plot.box.y1}, color);
    ui.triangle(x, plot.box.y0 + ui.px(8), Direction::down, color, 8);
  };
  mark(kept.first, Grip::first);
  mark(kept.last, Grip::last);
}

std::string kept_text(Kept kept) {
  return kept.first == kept.last ? std::to_string(kept.first) : fmt::format("{}\u2013{}", kept.first, kept.last);
}

std::string_view chosen_text(const ImagingParams& p) {
  if (p.color_flow.svd_low == 0 && p.color_flow.svd_high == 0) return ", automatic";
  return p.color_flow.svd_low > 0 && p.color_flow.svd_high > 0 ? ", manual" : ", partly manual";
}

}  // namespace

bool component_rows(PanelContext& c, Column& column, std::string_view why_not) {
  Ui& ui = c.ui;
  const FlowImage* flow = c.state.analyses.flow.image;
  if (flow == nullptr || flow->singular_values.empty()) return false;  // the next ensemble brings them
  ImagingParams& p = c.state.params;
  const int n = static_cast<int>(flow->singular_values.size());
  const std::vector<float> levels = levels_db(flow->singular_values);
  const Rect cell = ui.row(column, kComponentsHeight, 4);
  const PlotLook look{.title = "Singular values",
                      .x = {1.0, std::max(2.0, static_cast<double>(n)), "", 0},
                      .y = {0.0, std::min(-10.0, 10.0 * std::floor(static_cast<double>(levels.back()) / 10.0)), "dB"}};
  const Plot plot = draw_plot(ui, cell, look);
  const Hit h = ui.hit("singular_values", plot.box);
  ui.tip("singular_values", h, plot.box,
         {"Singular values",
          "The ensemble matrix (pixels by frames) is a sum of components, each an image times a time course. The "
          "strongest components are tissue (slow, coherent motion), the flat tail is noise, and blood is in between. "
          "Coloured components are retained. Drag an end; right-click for automatic selection.",
          why_not});
  static Grip grip = Grip::none;  // one plot, one mouse
  const float x = ImGui::GetIO().MousePos.x;
  bool changed = false;
  if (h.pressed) grip = nearest_grip(plot, kept_now(p, *flow), x);
  if (h.held && why_not.empty()) {
    changed = drag(p, grip, kept_now(p, *flow), static_cast<int>(std::lround(plot.x_at(x))), n);
  }
  if (h.right && why_not.empty()) {
    changed = p.color_flow.svd_low != 0 || p.color_flow.svd_high != 0;
    p.color_flow.svd_low = p.color_flow.svd_high = 0;
  }
  const Kept kept = kept_now(p, *flow);
  draw_kept(ui, plot, kept, h.held ? grip : h.hovered ? nearest_grip(plot, kept, x) : Grip::none);
  draw_curve(ui, plot, levels, 1.0, 1.0, theme::kText);
  const Rect r = ui.row(column, 20, 0);
  const float end = ui.text(Type::small, r, theme::kText2, "Retained " + kept_text(kept));
  const double percent = energy_percent(flow->singular_values, kept);
  const std::string energy = fixed(percent, percent < 1.0 ? 3 : 1) + " % energy";
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText, energy);
  const std::string_view chosen = chosen_text(p);
  if (end + ui.width(Type::small, chosen) + ui.px(8) + ui.width(Type::small, energy) <= r.x1) {
    ui.text(Type::small, end, r.y0, r.height(), theme::kText2, chosen);
  }
  if (p.color_flow.mode == FlowMode::low_rank) {
    const Rect row = ui.row(column, 20, 0);
    ui.text(Type::small, row, theme::kText2, "Error relative to the full loop");
    ui.text_right(Type::small, row.x1, row.y0, row.height(), theme::kText,
                  fixed(100.0 * flow->relative_error, 2) + " %");
  }
  column.y += ui.px(4);
  changed |= spectrum_rows(c, column, *flow, kept.first, why_not);
  return changed;
}

}  // namespace echoloop
