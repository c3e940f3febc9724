#include "gui/view/map_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "gui/gl/imgui_compat.h"
#include "gui/overlay/map_overlay.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

std::uint32_t packed(const MapColor& color) {
  return IM_COL32(color.rgb.r, color.rgb.g, color.rgb.b,
                  static_cast<std::uint32_t>(std::lround(255.0 * color.opacity)));
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

// Draws name, colours and range of the map in the lower right corner of the image.
// `more`: another line.
void draw_map_legend(Ui& ui, const ImageLayout& layout, const MapView& map, const std::string& more) {
  constexpr float kWidth = 164, kInset = 10, kBar = 8, kLine = 18;
  const float kHeight = more.empty() ? 50 : 68;
  const Rect& image = layout.image;
  if (image.width() < ui.px(kWidth + 2 * kInset) || image.height() < ui.px(3 * kHeight)) return;
  const Rect box{image.x1 - ui.px(kInset + kWidth), image.y1 - ui.px(kInset + kHeight), image.x1 - ui.px(kInset),
                 image.y1 - ui.px(kInset)};
  ui.fill(box, theme::kChip, 4);
  const Rect bar{box.x0 + ui.px(6), box.y0 + ui.px(2 + kLine), box.x1 - ui.px(6), box.y0 + ui.px(2 + kLine + kBar)};
  constexpr int kSteps = 48;
  for (int k = 0; k < kSteps; ++k) {
    const float x0 = bar.x0 + bar.width() * static_cast<float>(k) / kSteps;
    const float x1 = bar.x0 + bar.width() * static_cast<float>(k + 1) / kSteps;
    ui.fill({x0, bar.y0, x1, bar.y1}, packed({map_bar_color(map.map.kind, (k + 0.5) / kSteps), 1.0}));
  }
  ui.text_fitted(Type::small, bar.x0, bar.x1, box.y0 + ui.px(1), ui.px(kLine), theme::kText, map.map.name);
  const std::string unit = map.map.unit.empty() ? "" : " " + map.map.unit;
  std::string line = short_number(map.least) + " to " + short_number(map.most) + unit;
  if (map.map.kind == MapKind::label) line = map.map.frames > 1 ? fmt::format("frame {}", map.frame + 1) : "";
  ui.text_fitted(Type::small, bar.x0, bar.x1, bar.y1 + ui.px(1), ui.px(kLine), theme::kText2, line);
  if (!more.empty())
    ui.text_fitted(Type::small, bar.x0, bar.x1, bar.y1 + ui.px(1 + kLine), ui.px(kLine), theme::kText2, more);
}

}  // namespace

void MapLayer::draw(Ui& ui, const ImageLayout& layout, const MapViewPtr& map, const MapChoice& choice, float from_x,
                    LevelReader& own) {
  if (map == nullptr || map->values.empty()) {
    of_ = nullptr, shown_ = {};
    return;
  }
  const bool subtracts = choice.on == MapOn::difference && map->map.kind == MapKind::levels;
  const LevelImage levels = subtracts ? own.ask() : LevelImage();
  if (map != of_ || choice.on != on_ || levels.number != own_number_) {
    shown_ = shown_map(map, choice.on, levels);
    of_ = map, on_ = choice.on, own_number_ = levels.number;
    opacity_ = -1.0;
  }
  const MapView& shown = *shown_.view;
  const double opacity = choice.on == MapOn::overlay ? choice.opacity : 1.0;
  if (opacity != opacity_) {
    opacity_ = opacity;
    colors_.resize(shown.values.size());
    std::ranges::transform(shown.values, colors_.begin(),
                           [&](float v) { return packed(map_color(shown, v, opacity)); });
    texture_.update(shown.grid.nx, shown.grid.nz, colors_);
  }
  const Grid& g = shown.grid;  // edges of the outermost pixels are half a step beyond their centres
  const ImVec2 first{layout.x_px(g.x0_m - 0.5 * g.dx_m()), layout.z_px(g.z0_m - 0.5 * g.dz_m())};
  const ImVec2 last{layout.x_px(g.x1_m + 0.5 * g.dx_m()), layout.z_px(g.z1_m + 0.5 * g.dz_m())};
  const Rect& image = layout.image;
  ui.list().PushClipRect({choice.on == MapOn::b_side ? std::max(image.x0, from_x) : image.x0, image.y0},
                         {image.x1, image.y1}, true);
  ui.list().AddImage(compat::texture_id(texture_.id()), first, last);
  ui.list().PopClipRect();
  if (choice.on == MapOn::b_side && from_x > image.x0)
    ui.stroke({from_x, image.y0}, {from_x, image.y1}, theme::kAccent, 1.25F);
  draw_map_legend(ui, layout, shown, shown_.numbers);
}

std::string map_value_text(const MapView& map, PlanePoint at) {
  const double value = map.at(at);
  if (!std::isfinite(value)) return {};
  if (map.map.kind == MapKind::label) return value > 0.5 ? map.map.name : "";
  std::string text = map.map.name + " " + short_number(value) + (map.map.unit.empty() ? "" : " " + map.map.unit);
  if (map.map.unit == "dB/m/Hz") text += " (" + short_number(1e4 * value) + " dB/cm/MHz)";
  return text;
}

namespace {

constexpr float kTraceRow = 38, kTraceGap = 6, kTraceNames = 104;
constexpr std::size_t kMostRows = 6;
constexpr double kSecondsPerPixel = 4e-3;  // of traces that scroll

std::vector<const Signal*> drawn_signals(const SourceContents& contents) {
  std::vector<const Signal*> drawn;
  for (const Signal& signal : contents.signals)
    if (signal.note.empty() && !signal.values.empty() && drawn.size() < kMostRows) drawn.push_back(&signal);
  return drawn;
}

struct ValueRange {
  double low, high;
};

ValueRange range_of(const Signal& signal) {
  ValueRange range{HUGE_VAL, -HUGE_VAL};
  const std::size_t step = 1 + signal.values.size() / 20'000;
  for (std::size_t k = 0; k < signal.values.size(); k += step) {
    if (!std::isfinite(signal.values[k])) continue;
    range.low = std::min(range.low, static_cast<double>(signal.values[k]));
    range.high = std::max(range.high, static_cast<double>(signal.values[k]));
  }
  if (!(range.high > range.low)) return {range.low - 1.0, range.low + 1.0};
  const double margin = 0.1 * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

// Returns the indices of the samples from one time to another; last: behind them.
struct SampleSpan {
  std::size_t first, last;
};

SampleSpan samples_between(const Signal& signal, double from_s, double to_s) {
  const auto index_of = [&](double time_s) {
    if (!signal.times_s.empty())
      return static_cast<std::size_t>(std::ranges::lower_bound(signal.times_s, time_s) - signal.times_s.begin());
    const double index = std::ceil((time_s - signal.start_s) / signal.step_s);
    return static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(signal.values.size())));
  };
  if (signal.repeats) return {0, 0};
  return {index_of(from_s), index_of(to_s)};
}

void draw_trace(const Ui& ui, const Signal& signal, const Rect& row, double first_s, double last_s) {
  const ValueRange range = range_of(signal);
  std::vector<ImVec2> line;
  const auto end_line = [&] {
    if (line.size() > 1)
      compat::add_polyline(ui.list(), line.data(), static_cast<int>(line.size()), theme::kText2, 1.25F * ui.scale());
    line.clear();
  };
  for (float x = row.x0; x <= row.x1; x += 1) {
    const double time = first_s + (last_s - first_s) * static_cast<double>((x - row.x0) / row.width());
    const double value = signal.at(time);
    if (!std::isfinite(value)) {
      end_line();
      continue;
    }
    const auto point = [&](double v) {
      line.push_back({x, row.y1 - row.height() * static_cast<float>((v - range.low) / (range.high - range.low))});
    };
    const double next_s = time + (last_s - first_s) / static_cast<double>(row.width());
    const auto [first, last] = samples_between(signal, time, next_s);
    if (last > first + 1) {  // no peak between two pixels is lost
      const auto [low, high] = std::minmax_element(signal.values.begin() + static_cast<std::ptrdiff_t>(first),
                                                   signal.values.begin() + static_cast<std::ptrdiff_t>(last));
      point(std::min(value, static_cast<double>(*low)));
      point(std::max(value, static_cast<double>(*high)));
    }
    point(value);
  }
  end_line();
}

}  // namespace

Rect take_traces_band(const Painter& painter, const SourceContents* contents, Rect& area) {
  constexpr float kLeastImage = 340, kShare = 0.2F;  // of the area, if there are several signals
  if (contents == nullptr) return {};
  const float row = painter.px(kTraceRow), room = area.height() - painter.px(kLeastImage);
  const float most = std::max(1.0F, std::floor(kShare * area.height() / row));
  const float height = std::min(static_cast<float>(drawn_signals(*contents).size()), most) * row;
  if (height < row || height > room) return {};
  area.y1 -= height + painter.px(kTraceGap);
  return {area.x0 + painter.px(16), area.y1, area.x1 - painter.px(16), area.y1 + height};
}

std::optional<double> draw_signal_traces(Ui& ui, const TracesInput& in, const Rect& band) {
  const float x0 = band.x0 + ui.px(kTraceNames), x1 = band.x1 - ui.px(4);
  const double scroll_s = static_cast<double>((x1 - x0) / ui.scale()) * kSecondsPerPixel;
  const bool whole = in.span_s > 0.0;
  const double first_s = whole ? 0.0 : in.time_s - scroll_s, last_s = whole ? in.span_s : in.time_s;
  const float cursor = whole ? x0 + (x1 - x0) * static_cast<float>(std::clamp(in.time_s / in.span_s, 0.0, 1.0)) : x1;
  float y = band.y0;
  for (const Signal* const signal : drawn_signals(in.contents)) {
    if (y + ui.px(kTraceRow) > band.y1 + 1) break;
    const Rect row{x0, y + ui.px(2), x1, y + ui.px(kTraceRow - 4)};
    const float half = 0.5F * row.height();
    ui.text_fitted(Type::small, band.x0, x0 - ui.px(8), row.y0, half, theme::kMuted, signal->name);
    const double value = signal->at(in.time_s);
    const std::string now = signal->repeats        ? fixed(60.0 / signal->period_s(), 0) + " /min"
                            : std::isfinite(value) ? short_number(value) + " " + signal->unit
                                                   : std::string("no sample");
    ui.text_fitted(Type::small, band.x0, x0 - ui.px(8), row.cy(), half, theme::kText2, now);
    draw_trace(ui, *signal, row, first_s, last_s);
    if (std::isfinite(value)) {
      const ValueRange range = range_of(*signal);
      ui.disc(cursor, row.y1 - row.height() * static_cast<float>((value - range.low) / (range.high - range.low)), 3,
              theme::kAccent);
    }
    y += ui.px(kTraceRow);
  }
  if (!whole) return std::nullopt;
  ui.stroke({cursor, band.y0}, {cursor, y}, theme::kAccent, 1.0F);
  const Rect area{x0, band.y0, x1, y};
  const Hit hit = ui.hit(
      "traces", area,
      {"Signals", "Signals of the recording over its time. While frozen, a click seeks the frame at that time.", {}});
  if (!hit.clicked) return std::nullopt;
  return last_s * static_cast<double>((ImGui::GetIO().MousePos.x - x0) / std::max(x1 - x0, 1.0F));
}

}  // namespace echoloop
