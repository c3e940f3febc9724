#include "gui/overlay/image_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/mailbox.h"
#include "core/units.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"
#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

// Draws the edge around a bar, and its colours: from 0 at the top to 1, one for each row of pixels.
void draw_bar(Canvas& canvas, const CanvasRect& bar, Rgb edge, const std::function<Rgb(double from_top)>& color) {
  canvas.fill(bar.grown(1.0 / std::max(canvas.pixels_per_unit(), 1.0)), {edge});
  RgbImage rows{
      .width = 1, .height = static_cast<int>(std::lround(bar.height() * canvas.pixels_per_unit())), .rgb = {}};
  for (int y = 0; y < rows.height; ++y) {
    const Rgb c = color((y + 0.5) / rows.height);
    rows.rgb.insert(rows.rgb.end(), {c.r, c.g, c.b});
  }
  canvas.image(bar, rows);
}

double tick_of(int index, const ScaleLook& look) { return (index == 0 ? 0.6 : 0.3) * look.em; }

}  // namespace

void draw_x_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look, Mirrored mirrored) {
  const double em = look.em, half = 0.05 * em, away = 0.15 * em;
  const RulerAxis axis = ruler_axis(grid.x0_m, grid.x1_m, image.width(), look.x_apart * em, 0.075 * em);
  const double scale = image.width() / std::max(grid.x1_m - grid.x0_m, 1e-6);
  const double top = canvas.snap(image.y0) - away;
  axis.each([&](double mm, int index) {
    const double along = (mm * kMetresPerMillimetre - grid.x0_m) * scale;
    const double x = canvas.snap(mirrored == Mirrored::on ? image.x1 - along : image.x0 + along);
    canvas.fill({x - half, top - tick_of(index, look), x + half, top}, {index == 0 ? look.text2 : look.tick});
    if (index != 0) return;
    canvas.text({x, image.y0 - 1.6 * em}, look.label(look.text2), TextAlign::centre, fixed(mm, axis.step.decimals));
  });
}

void draw_z_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look,
                  RulerLabels labels) {
  const double em = look.em, half = 0.05 * em, away = 0.15 * em;
  const RulerAxis axis = ruler_axis(grid.z0_m, grid.z1_m, image.height(), look.z_apart * em, 0.075 * em);
  const double scale = image.height() / std::max(grid.z1_m - grid.z0_m, 1e-6);
  const double right = canvas.snap(image.x0) - away;
  axis.each([&](double mm, int index) {
    const double y = canvas.snap(image.y0 + (mm * kMetresPerMillimetre - grid.z0_m) * scale);
    canvas.fill({right - tick_of(index, look), y - half, right, y + half}, {index == 0 ? look.text2 : look.tick});
    if (index != 0 || labels == RulerLabels::ticks_only) return;
    canvas.text({image.x0 - 1.1 * em, y}, look.label(look.text2), TextAlign::right, fixed(mm, axis.step.decimals));
  });
}

void draw_level_bar(Canvas& canvas, const CanvasRect& bar, const ImagingParams& params, const ScaleLook& look,
                    const std::string& side) {
  const DisplayParams display = shown_display(params.formation, params.display);
  const bool weight = shows_weight(params.formation);
  const double em = look.em, h = bar.height(), range_db = display.dynamic_range_db;
  const double top_db = -display.gain_db, bottom_db = top_db - range_db;
  draw_bar(canvas, bar, look.edge, [&](double from_top) {
    return map_color(display.color_map, transfer(top_db - from_top * range_db, display));
  });
  const auto label = [&](double level_db, const TextLook& text) {
    const double y = canvas.snap(bar.y0 + (top_db - level_db) / range_db * h);
    canvas.fill({bar.x1 + 0.15 * em, y - 0.05 * em, bar.x1 + 0.55 * em, y + 0.05 * em}, {text.color});
    canvas.text({bar.x1 + 0.9 * em, y}, text, TextAlign::left, fixed(level_db, weight ? 1 : 0));
  };
  label(top_db, look.label(look.text, Weight::strong));
  label(bottom_db, look.label(look.text, Weight::strong));
  const double step_db = weight ? 0.2 : 20.0 / range_db * h < 2.0 * em ? 40.0 : 20.0;
  for (double level_db = step_db * std::floor(top_db / step_db); level_db > bottom_db; level_db -= step_db) {
    const double nearest = std::min(top_db - level_db, level_db - bottom_db) / range_db * h;
    if (nearest > 1.8 * em) label(level_db, look.label(look.text2));
  }
  canvas.text({bar.x0, bar.y0 - 1.6 * em}, look.label(look.muted), TextAlign::left,
              (side.empty() ? "" : side + " ") + (weight ? "weight" : "dB"));
}

void draw_flow_bar(Canvas& canvas, const CanvasRect& bar, const FlowImage& flow, const ImagingParams& display,
                   const ScaleLook& look, FlowBarTick tick) {
  const double em = look.em, h = bar.height(), pixel = 1.0 / canvas.pixels_per_unit();
  draw_bar(canvas, bar, look.edge, [&](double from_top) { return flow_bar_color(display, from_top); });
  for (const FlowLabel& label : flow_labels(flow, display, h / (3.5 * em))) {
    const TextLook text =
        look.label(label.main ? look.text : look.text2, label.main ? Weight::strong : Weight::regular);
    const double y = canvas.snap(bar.y0 + label.from_top * (h - pixel));
    canvas.fill({bar.x1 + tick.away, y, bar.x1 + tick.away + tick.length, y + tick.thickness}, {text.color});
    canvas.text({bar.x1 + tick.away + tick.length + 0.35 * em, y}, text, TextAlign::left, label.text);
  }
  canvas.text({bar.x0, bar.y0 - 1.6 * em}, look.label(look.muted), TextAlign::left, flow_unit(flow, display));
}

void draw_scale_bar(Canvas& canvas, const CanvasRect& image, double units_per_m, double em) {
  const double unit = units_per_m * kMetresPerMillimetre;
  const double mm = round_up_125(0.15 * image.width() / unit), length = mm * unit;
  const std::string text = fixed(mm, decimals_of_125(mm)) + " mm";
  const TextLook look{.em = static_cast<float>(em), .weight = Weight::strong, .color = {255, 255, 255}};
  const double w = std::max(length, canvas.text_width(look, text)) + 1.4 * em, h = 2.6 * em, gap = 0.5 * em;
  const CanvasRect box{image.x1 - gap - w, image.y1 - gap - h, image.x1 - gap, image.y1 - gap};
  canvas.fill(box, {kBlack, 0.67});
  const double middle = 0.5 * (box.x0 + box.x1);
  canvas.text({middle, box.y0 + 0.95 * em}, look, TextAlign::centre, text);
  const double x0 = canvas.snap(middle - 0.5 * length), y = canvas.snap(box.y1 - 0.65 * em);
  canvas.fill({x0, y - 0.12 * em, x0 + length, y + 0.12 * em}, {look.color});
}

RulerStep ruler_step(double px_per_mm, double least_px, double scale) {
  constexpr double kSteps[] = {1, 2, 5};
  for (int power = -3; power < 5; ++power) {
    for (const double factor : kSteps) {
      const double step = factor * std::pow(10.0, power);
      if (step * px_per_mm < least_px) continue;
      int minor = factor == 2 ? 4 : 5;
      if (step * px_per_mm / minor < 6.0 * scale) minor = 2;
      return {.major_mm = step, .minor_per_major = minor, .decimals = std::max(0, -power)};
    }
  }
  return {};
}

RulerAxis ruler_axis(double low_m, double high_m, double pixels, double least_px, double scale) {
  const double low = low_m / kMetresPerMillimetre;
  const double high = high_m / kMetresPerMillimetre;
  // Smaller on a short ruler, which would otherwise have only one number.
  const double least = std::max(std::min(least_px, 0.25 * pixels), 0.6 * least_px);
  return {low, high, ruler_step(pixels / std::max(high - low, 1e-6), least, scale)};
}

namespace {

constexpr Rgb kAccent = {76, 195, 224}, kFlow = {242, 193, 78};
constexpr double kBeamOpacity = 0.59, kLineOpacity = 0.78;
constexpr double kEnd = 9.0, kFlowReach = 26.0, kFlowGap = 5.0;  // units

PlanePoint beyond(PlanePoint from, PlanePoint way, double by_m) {
  return {from.x_m + by_m * way.x_m, from.z_m + by_m * way.z_m};
}

}  // namespace

GuideLine m_mode_guide(const Grid& grid, PlanePoint at) {
  const int column = line_column(grid, at);
  return {
      .from = grid.point(column, 0), .to = grid.point(column, grid.nz - 1), .color = kAccent, .opacity = kLineOpacity};
}

GateShape gate_shape(const Grid& grid, const ImagingParams& p) {
  GateShape g{.middle = {p.doppler.x_m, p.doppler.z_m}, .shallow = {}, .deep = {}, .along = {0.0, 1.0}};
  if (grid.polar()) {
    const double x = p.doppler.x_m, down = p.doppler.z_m - grid.sector.apex_z_m;
    if (const double r = std::hypot(x, down); r > 0.0) g.along = {x / r, down / r};
  }
  const double half = 0.5 * p.doppler.length_m;
  g.shallow = beyond(g.middle, g.along, -half);
  g.deep = beyond(g.middle, g.along, half);
  return g;
}

std::vector<GuideLine> gate_guides(const Grid& grid, const ImagingParams& p, double unit_m) {
  const GateShape g = gate_shape(grid, p);
  const double all_m = std::hypot(grid.x1_m - grid.x0_m, grid.z1_m - grid.z0_m);
  const PlanePoint across{-g.along.z_m, g.along.x_m};
  const double angle = p.color_flow.angle_rad;
  const PlanePoint flow{g.along.x_m * std::cos(angle) + g.along.z_m * std::sin(angle),
                        g.along.z_m * std::cos(angle) - g.along.x_m * std::sin(angle)};
  const auto end = [&](PlanePoint at) {
    return GuideLine{beyond(at, across, -kEnd * unit_m), beyond(at, across, kEnd * unit_m), kAccent, 1.0, 2.0};
  };
  const auto arm = [&](double way) {
    return GuideLine{beyond(g.middle, flow, way * kFlowGap * unit_m), beyond(g.middle, flow, way * kFlowReach * unit_m),
                     kFlow, 1.0, 1.5};
  };
  return {{beyond(g.shallow, g.along, -all_m), g.shallow, kAccent, kBeamOpacity},  // the beam without the gate
          {g.deep, beyond(g.deep, g.along, all_m), kAccent, kBeamOpacity},
          end(g.shallow),
          end(g.deep),
          arm(-1.0),
          arm(1.0)};
}

namespace {

std::vector<FlowLabel> velocity_labels(double limit_m_s, double room) {
  const double limit = limit_m_s * velocity_unit(limit_m_s).per_m_s;
  const int decimals = velocity_decimals(limit);
  std::vector<FlowLabel> labels = {{0.0, true, signed_fixed(limit, decimals)},
                                   {1.0, true, signed_fixed(-limit, decimals)}};
  const double step = round_up_125(2.0 * limit / std::max(room, 1.0));
  for (double v = -std::floor(limit / step) * step; v <= limit; v += step) {
    if (limit - std::abs(v) < 0.4 * step) continue;  // position of the limit
    const double shown = std::abs(v) < 1e-9 * step ? 0.0 : v;
    labels.push_back({0.5 - 0.5 * v / limit, false, signed_fixed(shown, decimals_of_125(step))});
  }
  return labels;
}

struct Stop {
  double t, r, g, b;
};

constexpr std::array<Stop, 4> kPower = {{{0, 96, 0, 16}, {0.35, 196, 30, 0}, {0.7, 255, 140, 0}, {1, 255, 240, 110}}};
constexpr std::array<Stop, 4> kTowards = {
    {{0, 20, 26, 42}, {1.0 / 3, 138, 29, 18}, {2.0 / 3, 240, 96, 42}, {1, 255, 224, 138}}};
constexpr std::array<Stop, 4> kAway = {
    {{0, 20, 26, 42}, {1.0 / 3, 27, 63, 168}, {2.0 / 3, 58, 141, 255}, {1, 191, 234, 255}}};

Rgb color_at(const std::array<Stop, 4>& stops, double t) {
  t = std::clamp(t, 0.0, 1.0);
  std::size_t i = 0;
  while (i + 2 < stops.size() && t > stops[i + 1].t) ++i;
  const Stop &a = stops[i], &b = stops[i + 1];
  const double share = (t - a.t) / (b.t - a.t);
  const auto mix = [share](double from, double to) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

}  // namespace

VelocityUnit velocity_unit(double limit_m_s) {
  return limit_m_s < 1.0 ? VelocityUnit{"cm/s", 100.0} : VelocityUnit{"m/s", 1.0};
}

int velocity_decimals(double limit_in_unit) { return limit_in_unit < 1.0 ? 2 : limit_in_unit < 20.0 ? 1 : 0; }

std::vector<FlowLabel> flow_labels(const FlowImage& flow, const ImagingParams& params, double room) {
  if (params.color_flow.mode == FlowMode::velocity) {
    return flow.aliasing_m_s > 0.0 ? velocity_labels(flow.aliasing_m_s, room) : std::vector<FlowLabel>();
  }
  std::vector<FlowLabel> labels;
  for (int i = 0; i <= 2; ++i) {
    const double level_db = params.color_flow.threshold_db + kFlowPowerRange_db * i / 2.0;
    labels.push_back({1.0 - i / 2.0, i == 0, fixed(level_db, 0)});
  }
  return labels;
}

std::string flow_unit(const FlowImage& flow, const ImagingParams& params) {
  return params.color_flow.mode == FlowMode::velocity ? velocity_unit(flow.aliasing_m_s).name : "flow dB";
}

Rgb flow_bar_color(const ImagingParams& params, double from_top) {
  const double t = 1.0 - from_top;
  return params.color_flow.mode == FlowMode::velocity ? flow_velocity_color(2.0 * t - 1.0) : flow_power_color(t);
}

std::string velocity_text(double velocity_m_s, double limit_m_s) {
  const VelocityUnit unit = velocity_unit(limit_m_s);
  return signed_fixed(velocity_m_s * unit.per_m_s, velocity_decimals(limit_m_s * unit.per_m_s)) + " " + unit.name;
}

Rgb flow_power_color(double t) { return color_at(kPower, t); }
Rgb flow_velocity_color(double t) { return t >= 0.0 ? color_at(kTowards, t) : color_at(kAway, -t); }

}  // namespace echoloop
