#include "gui/overlay/image_scales.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/units.h"
#include "gui/overlay/flow_scale.h"
#include "gui/overlay/ruler.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"
#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

// The edge around a bar, and its colours: from 0 at the top to 1, one for each row of pixels.
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

void draw_x_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look) {
  const double em = look.em, half = 0.05 * em, away = 0.15 * em;
  const RulerAxis axis = ruler_axis(grid.x0_m, grid.x1_m, image.width(), look.x_apart * em, 0.075 * em);
  const double scale = image.width() / std::max(grid.x1_m - grid.x0_m, 1e-6);
  const double top = canvas.snap(image.y0) - away;
  axis.each([&](double mm, int index) {
    const double x = canvas.snap(image.x0 + (mm * kMetresPerMillimetre - grid.x0_m) * scale);
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

}  // namespace echoloop
