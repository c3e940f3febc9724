#include "gui/view/flow_bar.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gui/overlay/flow_scale.h"
#include "gui/state/number_text.h"
#include "gui/view/analysis_layers.h"

namespace echoloop {
namespace {

constexpr int kPieces = 64;

std::size_t pixel_at(const Grid& grid, GridPlace place) {
  return static_cast<std::size_t>(std::lround(place.row) * grid.nx + std::lround(place.column));
}

void label(const Ui& ui, const Rect& bar, double from_top, Type type, ImU32 color, const std::string& text) {
  const float y = std::round(bar.y0 + static_cast<float>(from_top) * bar.height());
  ui.horizontal(bar.x1 + ui.px(3), bar.x1 + ui.px(8), y, theme::kTick);
  ui.text(type, bar.x1 + ui.px(11), y - ui.px(8), ui.px(16), color, text);
}

}  // namespace

void draw_flow_bar(Ui& ui, const ImageLayout& layout, const FlowImage& flow, const ImagingParams& params, Type labels) {
  const Rect& bar = layout.flow_bar;
  const bool velocity = params.color_flow.mode == FlowMode::velocity;
  const Rect area{bar.x0 - ui.px(4), bar.y0 - ui.px(26), bar.x1 + ui.px(38), bar.y1 + ui.px(8)};
  ui.hit("flow_bar", area,
         velocity ? Tip{"Velocity",
                        "Red: towards the probe; blue: away from the probe; brighter is faster. The ends are the "
                        "aliasing limit (phase change of 180 degrees between frames). Faster flow appears with the "
                        "wrong sign; a higher PRF or a larger Doppler angle raises the limit.",
                        {}}
                  : Tip{"Doppler power",
                        "Mean power after the wall filter, in dB on the scale of the B-mode image, from the threshold "
                        "up. Free of aliasing, without direction.",
                        {}});
  for (int i = 0; i < kPieces; ++i) {
    const auto edge = [&](int k) {
      return std::round(bar.y0 + bar.height() * static_cast<float>(k) / static_cast<float>(kPieces));
    };
    const Rgb c = flow_bar_color(params, (i + 0.5) / kPieces);
    ui.fill({bar.x0, edge(i), bar.x1, edge(i + 1)}, IM_COL32(c.r, c.g, c.b, 255));
  }
  ui.outline({bar.x0 - 1, bar.y0 - 1, bar.x1 + 1, bar.y1 + 1}, theme::kLine2);
  const bool large = labels == Type::large;
  ui.text(labels, bar.x0, bar.y0 - ui.px(large ? 32 : 26), ui.px(large ? 24 : 16), theme::kMuted,
          flow_unit(flow, params));
  const double room = static_cast<double>(bar.height() / ui.px(large ? 84 : 56));
  for (const FlowLabel& l : flow_labels(flow, params, room)) {
    label(ui, bar, l.from_top, l.main && !large ? Type::badge : labels, l.main ? theme::kText : theme::kText2, l.text);
  }
}

double low_rank_at(const FlowImage& flow, PlanePoint point) {
  const GridPlace place = flow.grid.place(point.x_m, point.z_m);
  if (!flow.grid.contains(place, 0.499)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(flow.low_rank_db[pixel_at(flow.grid, place)]);
}

std::string flow_age_text(double age_s) { return fixed(age_s, age_s < 1.0 ? 2 : age_s < 100.0 ? 1 : 0); }

std::pair<std::string, std::string> flow_age(const FlowImage& flow, double age_s) {
  if (age_s == 0.0) return {std::to_string(flow.frames), "frames"};
  return {flow_age_text(age_s), "s delay"};
}

std::string flow_at(const FlowImage& flow, const ImagingParams& params, PlanePoint point, double picture_db) {
  const GridPlace place = flow.grid.place(point.x_m, point.z_m);
  if (!is_overlay(params.color_flow.mode) || !flow.grid.contains(place, 0.499)) return {};
  const std::size_t at = pixel_at(flow.grid, place);
  if (!shows_flow(flow.power_db[at], static_cast<float>(picture_db), params)) return {};
  if (params.color_flow.mode == FlowMode::power)
    return "flow " + fixed(static_cast<double>(flow.power_db[at]), 1) + " dB";
  return velocity_text(static_cast<double>(flow.velocity_m_s[at]), flow.aliasing_m_s);
}

namespace {

void add_caption(const AnalysisViews& views, std::vector<CaptionItem>& items) {
  const FlowImage* const flow = views.flow.image;
  if (flow == nullptr) return;
  const bool low_rank = flow->params.color_flow.mode == FlowMode::low_rank;
  auto [age, unit] = flow_age(*flow, views.flow.age_s);
  items.push_back({low_rank ? "low rank" : "flow", std::move(age), std::move(unit)});
}

std::string read_out(const AnalysisViews& views, const LayerPointer& pointer) {
  if (views.flow.image == nullptr) return {};
  return flow_at(*views.flow.image, pointer.display, pointer.at, pointer.level_db);
}

}  // namespace

extern const AnalysisLayer kFlowLayer;
constinit const AnalysisLayer kFlowLayer{.add_caption = add_caption, .read_out = read_out};

}  // namespace echoloop
