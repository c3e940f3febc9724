// The inspector's two maps: raw lines, and channels before summation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/docks/inspector_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

struct PointedSample {
  int element = -1;  // -1: the pointer is elsewhere
  int row = 0;
};

PointedSample pointed_at(Ui& ui, const char* id, const Plot& plot, int n_elements, int n_rows) {
  const Hit hit = ui.hit(id, plot.box);
  if (!hit.hovered) return {};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto index = [](float at, float first, float length, int n) {
    return std::clamp(static_cast<int>((at - first) / std::max(length, 1.0F) * static_cast<float>(n)), 0, n - 1);
  };
  return {index(mouse.x, plot.box.x0, plot.box.width(), n_elements),
          index(mouse.y, plot.box.y0, plot.box.height(), n_rows)};
}

// Elements from 1, each as wide as its column.
PlotAxis element_axis(std::size_t n, std::string_view unit) { return {0.5, static_cast<double>(n) + 0.5, unit, 0}; }

double time_us(const Inspection& p, double sample) { return 1e6 * (p.first_s + sample / p.sampling_hz); }

// Each element's own piece, bright within the aperture.
void draw_delay_curve(const Ui& ui, const Plot& plot, const Inspection& p) {
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  const auto at = [&](std::size_t e) {
    return ImVec2{plot.x_px(static_cast<double>(e) + 1.0), plot.y_px(time_us(p, p.channels[e].sample + 0.5))};
  };
  for (std::size_t e = 1; e < p.channels.size(); ++e) {
    const bool seen = p.channels[e].weight > 0.0F && p.channels[e - 1].weight > 0.0F;
    ui.stroke(at(e - 1), at(e), theme::kHalo, 3.5F);
    ui.stroke(at(e - 1), at(e), seen ? theme::kAccent : theme::rgb(0x4CC3E0, 120), 1.5F);
  }
  ui.list().PopClipRect();
}

}  // namespace

void draw_raw_map(Ui& ui, const Rect& cell, const Inspection& p, ChannelMap& map) {
  const auto n_elements = static_cast<int>(p.channels.size());
  const std::string_view title = p.iq ? "Channel data, I" : "Channel data, RF";
  const Plot plot = draw_plot(ui, cell,
                              {title,
                               element_axis(p.channels.size(), "element"),
                               {time_us(p, p.first_sample), time_us(p, p.first_sample + p.n_samples), "µs"}});
  map.draw(ui, plot);
  draw_delay_curve(ui, plot, p);
  const PointedSample at = pointed_at(ui, "raw_map", plot, n_elements, p.n_samples);
  if (at.element < 0) return;
  const auto index = static_cast<std::size_t>(at.element * p.n_samples + at.row);
  draw_plot_note(ui, cell, plot, title,
                 fmt::format("element {}  sample {}  {:.4g}", at.element + 1, p.first_sample + at.row, p.raw[index]));
}

void draw_aligned_map(Ui& ui, const Rect& cell, const Inspection& p, ChannelMap& map) {
  const auto n_elements = static_cast<int>(p.channels.size());
  const double reach_us = 1e6 * p.aligned_step_s * (0.5 * p.n_aligned);
  constexpr std::string_view kTitle = "Delayed, weighted";
  const Plot plot = draw_plot(ui, cell, {kTitle, element_axis(p.channels.size(), {}), {-reach_us, reach_us, "µs"}});
  map.draw(ui, plot);
  // The row that is summed.
  const float y = std::round(plot.y_px(0.0));
  for (const float x : {plot.box.x0, plot.box.x1 - ui.px(6)})
    ui.fill({x, y - ui.px(1), x + ui.px(6), y + ui.px(1)}, theme::kAccent);
  const PointedSample at = pointed_at(ui, "aligned_map", plot, n_elements, p.n_aligned);
  if (at.element < 0) return;
  const InspectedChannel& c = p.channels[static_cast<std::size_t>(at.element)];
  draw_plot_note(ui, cell, plot, kTitle,
                 fmt::format("element {}  weight {}  contribution {:.3g}", at.element + 1,
                             fixed(static_cast<double>(c.weight), 2), c.value.real()));
}

}  // namespace echoloop
