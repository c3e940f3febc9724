#include <cmath>

#include "gui/overlay/transfer_function.h"
#include "gui/panels/param_rows.h"
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
  const auto chosen = static_cast<std::size_t>(c.state.params.display.color_map);
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
      c.state.params.display.color_map = static_cast<ColorMap>(i);
      changed = true;
    }
  }
  return changed;
}

void reference_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const std::string& why = c.state.no_effect.reference;
  const Rect r = ui.labelled(column, "0 dB level", why.empty());
  if (ui.button("auto_reference", r, {.label = "Brightest pixel"},
                {"0 dB level",
                 "Sets 0 dB to the brightest pixel of the current image, once. The level is then fixed: brightness "
                 "never changes automatically.",
                 why})) {
    call(c.commands.auto_reference);
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
  const ImagingParams& p = c.state.params;
  const float link = open ? more_link(ui, "more_display", column, column.y, c.more_display) : 0;
  ui.header("panel_display", column, "Display", open ? "" : fixed(p.display.dynamic_range_db, 0) + " dB", open, link);
  if (!open) return;
  column.y += ui.px(2);
  const MoreRows more = c.more_display ? MoreRows::shown : MoreRows::hidden;
  const bool changed = param_rows(c, column, {ParamPart::display}, more, kDisplayRows);
  if (!c.compact || c.more_display) reference_row(c, column);
  if (changed) call(c.commands.params_changed);
}

}  // namespace echoloop
