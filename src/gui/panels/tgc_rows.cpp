// TGC: eight sliders down the depth, as on a scanner's console, with the curve through them. On the screen only.
#include <algorithm>
#include <array>
#include <string>

#include "core/param_table.h"
#include "core/units.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::array<const char*, kTgcSteps> kKeys = {"tgc_1_db", "tgc_2_db", "tgc_3_db", "tgc_4_db",
                                                      "tgc_5_db", "tgc_6_db", "tgc_7_db", "tgc_8_db"};
constexpr float kSliderRow = 24;  // of sliders of one line
constexpr float kDepthWidth = 24;

std::string summary(const std::array<double, kTgcSteps>& gains, std::string_view unit) {
  if (is_flat(gains)) return "flat";
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  return signed_fixed(*least, 0) + " to " + signed_fixed(*most, 0) + std::string(unit);
}

void set_all(ImagingParams& p, double gain_db) {
  for (const char* key : kKeys) set_number(p, *find_param(key), gain_db);
}

// Depth of step `i`, mm; a sector counts from its apex.
std::string depth_text(const Grid& g, int i) {
  if (g.nx == 0) return std::to_string(i + 1);
  const double first_m = g.polar() ? g.sector.r0_m : g.z0_m;
  const double last_m = g.polar() ? g.sector.r1_m : g.z1_m;
  return fixed((first_m + (last_m - first_m) * i / (kTgcSteps - 1)) / kMetresPerMillimetre, 0);
}

SliderLook look_of(int i) {
  const ParamSpec& spec = *find_param(kKeys[static_cast<std::size_t>(i)]);
  return {.id = spec.key.data(),
          .unit = spec.unit,
          .decimals = spec.decimals,
          .track_min = spec.min,
          .track_max = spec.max,
          .least = spec.min,
          .most = spec.max,
          .sign = Sign::always,
          .lines = Lines::one,
          .fill = Fill::from_normal,
          .help = spec.help,
          .title = spec.label};
}

void draw_curve(const Ui& ui, const Column& column, const std::array<double, kTgcSteps>& gains) {
  const float h = ui.px(kSliderRow);
  const auto place = [&](int i, double gain_db) {
    const float y0 = column.y + static_cast<float>(i) * h;
    const Rect row{column.x0, y0, column.x1, y0 + h};
    return ImVec2{thumb_x(ui, row, look_of(i), gain_db), row.cy()};
  };
  const ImVec2 top = place(0, 0.0), foot = place(kTgcSteps - 1, 0.0);
  ui.vertical(top.x, top.y, foot.y, theme::kLine2);
  for (int i = 0; i + 1 < kTgcSteps; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ui.stroke(place(i, gains[k]), place(i + 1, gains[k + 1]), theme::kAccent, 1.5F);
  }
}

}  // namespace

bool tgc_rows(PanelContext& c, Column& column) {
  bool& open = c.view.transient.tgc_open;
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  column.y += ui.px(3);
  const Rect r = ui.labelled(column, "TGC", true);
  const bool flat = is_flat(p.display.tgc_db);
  const float reset_width = ui.px(52);
  const Rect face{r.x0, r.y0, flat ? r.x1 : r.x1 - reset_width - ui.px(6), r.y1};
  const std::string now =
      ui.fitted(Type::body, face.width() - ui.px(12), summary(p.display.tgc_db, c.compact ? "" : " dB"));
  if (ui.button("tgc", face, {.label = now, .active = open},
                {"Time gain compensation",
                 "Gain over depth, display only: saved levels and measurements are unchanged.",
                 {}})) {
    open = !open;
  }
  bool changed = false;
  if (!flat && ui.button("tgc_flat", {r.x1 - reset_width, r.y0, r.x1, r.y1}, {.label = "Flat"},
                         {"TGC flat", "Sets all eight gains to 0 dB.", {}})) {
    set_all(p, 0.0);
    changed = true;
  }
  if (!open) return changed;
  Column sliders = column;
  sliders.x0 += ui.px(kDepthWidth);
  draw_curve(ui, sliders, p.display.tgc_db);
  for (int i = 0; i < kTgcSteps; ++i) {
    const ParamSpec& spec = *find_param(kKeys[static_cast<std::size_t>(i)]);
    ui.text_right(Type::small, sliders.x0 - ui.px(2), sliders.y, ui.px(kSliderRow), theme::kMuted,
                  depth_text(c.shown_grid, i));
    if (const auto value = slider(ui, sliders, look_of(i), get_number(p, spec), 0.0)) {
      set_number(p, spec, *value);
      changed = true;
    }
  }
  column.y = sliders.y;
  return changed;
}

}  // namespace echoloop
