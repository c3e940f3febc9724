#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/param_table.h"
#include "core/units.h"
#include "gui/overlay/transfer_function.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

void swatch(const Ui& ui, const Rect& r, ColorMap map) {
  constexpr int kPieces = 8;
  const auto color = [map](int i) {
    const Rgb c = map_color(map, static_cast<double>(i) / kPieces);
    return IM_COL32(c.r, c.g, c.b, 255);
  };
  for (int i = 0; i < kPieces; ++i) {
    const float x0 = std::round(r.x0 + r.width() * static_cast<float>(i) / kPieces);
    const float x1 = std::round(r.x0 + r.width() * static_cast<float>(i + 1) / kPieces);
    ui.list().AddRectFilledMultiColor({x0, r.y0}, {x1, r.y1}, color(i), color(i + 1), color(i + 1), color(i));
  }
}

bool map_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const auto chosen = static_cast<std::size_t>(c.edits.params.display.color_map);
  const Rect r = ui.labelled(column, "Colour map", true);
  const float gap = ui.px(6);
  const float side = (r.width() - ui.px(2) - 3 * gap) / 4;
  bool changed = false;
  const std::span<const ParamChoice> maps = param("color_map").choices;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const float x = std::round(r.x0 + static_cast<float>(i) * (side + gap));
    const Rect cell{x, r.cy() - ui.px(8), std::round(x + side), r.cy() + ui.px(8)};
    const std::string id = std::string("map/") + std::string(maps[i].name);
    const Hit h = ui.control(id.c_str(), cell, FocusKind::radio);
    ui.tip(id.c_str(), h, cell, {maps[i].label, param("color_map").help, {}});
    swatch(ui, cell.inset(ui.px(1)), static_cast<ColorMap>(i));
    const Rect frame = cell.inset(-ui.px(2));
    if (i == chosen) {
      ui.outline(frame, theme::kAccent, 3, 2);
    } else {
      ui.outline(cell, h.hovered ? theme::kMuted : theme::kLine2, 2);
    }
    if (h.clicked && i != chosen) {
      c.edits.params.display.color_map = static_cast<ColorMap>(i);
      changed = true;
    }
  }
  return changed;
}

void reference_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const std::string& why = c.model.no_effect.reference;
  const Rect r = ui.labelled(column, "0 dB level", why.empty());
  if (ui.button("auto_reference", r, {.label = "Brightest pixel"},
                {"0 dB level",
                 "Sets 0 dB to the brightest pixel of the current image, once. The level is then fixed: brightness "
                 "never changes automatically.",
                 why})) {
    c.commands.send(command::AutoReference{});
  }
}

constexpr std::array<OwnRow, kTgcSteps + 1> kDisplayRows = {{{"tgc_1_db", tgc_rows},
                                                             {"tgc_2_db", nullptr},
                                                             {"tgc_3_db", nullptr},
                                                             {"tgc_4_db", nullptr},
                                                             {"tgc_5_db", nullptr},
                                                             {"tgc_6_db", nullptr},
                                                             {"tgc_7_db", nullptr},
                                                             {"tgc_8_db", nullptr},
                                                             {"color_map", map_row}}};

}  // namespace

void display_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const ImagingParams& p = c.edits.params;
  const float link = open ? more_link(ui, "more_display", column, column.y, c.more_display) : 0;
  ui.header("panel_display", column, "Display", open ? "" : fixed(p.display.dynamic_range_db, 0) + " dB", open, link);
  if (!open) return;
  column.y += ui.px(2);
  const MoreRows more = c.more_display ? MoreRows::shown : MoreRows::hidden;
  bool changed = param_rows(c, column, {kPart<&ImagingParams::display>}, more, kDisplayRows);
  if (!c.compact || c.more_display) reference_row(c, column);
  changed |= param_rows(c, column, {kPart<&ImagingParams::refine>}, more, {});
  if (changed) c.commands.send(command::ParamsChanged{});
}

// TGC: eight sliders over depth, as on a scanner's console, with the curve through them. Display only.

namespace {

constexpr std::array<const char*, kTgcSteps> kKeys = {"tgc_1_db", "tgc_2_db", "tgc_3_db", "tgc_4_db",
                                                      "tgc_5_db", "tgc_6_db", "tgc_7_db", "tgc_8_db"};
constexpr float kSliderRow = 24;  // height of a slider in one line
constexpr float kDepthWidth = 24;

std::string summary(const std::array<double, kTgcSteps>& gains, std::string_view unit) {
  if (is_flat(gains)) return "flat";
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  return signed_fixed(*least, 0) + " to " + signed_fixed(*most, 0) + std::string(unit);
}

void set_all(ImagingParams& p, double gain_db) {
  for (const char* key : kKeys) set_number(p, *find_param(key), gain_db);
}

// Returns the depth of step `i` in mm; in a sector measured from its apex.
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
  ImagingParams& p = c.edits.params;
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
