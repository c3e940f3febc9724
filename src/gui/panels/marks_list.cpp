#include "gui/panels/marks_list.h"

#include <string>

#include "gui/state/mark_editor.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

constexpr float kMarkRow = 22;
constexpr int kDecimals = 2;

// True when it is to be deleted.
bool mark_row(PanelContext& c, Column& column, const Mark& mark) {
  Ui& ui = c.ui;
  Marks& marks = c.state.marks;
  const Rect r = ui.row(column, kMarkRow, 0);
  const std::string id = "mark/" + std::to_string(mark.number);
  const float side = ui.px(20);
  const Rect bin{r.x1 - side, r.y0 + ui.px(1), r.x1, r.y0 + ui.px(1) + side};
  const Hit on_bin = ui.control((id + "/delete").c_str(), bin);
  ui.tip((id + "/delete").c_str(), on_bin, bin, {"Delete", "Removes this mark.", {}});
  const std::string name = std::string(name_of(mark.kind)) + " " + std::to_string(mark.number);
  const Hit on_row = ui.control(id.c_str(), {r.x0, r.y0, bin.x0, r.y1}, FocusKind::button, name);
  const bool lit = on_row.hovered || on_bin.hovered;
  if (lit) marks.hovered = mark.number;
  if (on_row.clicked) marks.selected = mark.number;
  const bool chosen = marks.selected == mark.number;
  if (lit || chosen) ui.fill({r.x0 - ui.px(6), r.y0, r.x1 + ui.px(2), r.y1}, lit ? theme::kHover : theme::kField, 4);
  const std::string label = mark.role == RegionRole::none ? std::string(name_of(mark.kind)) : mark_label(mark);
  ui.text(Type::badge, r.x0, r.y0, r.height(), theme::kAccent, std::to_string(mark.number));
  const std::string value = mark_value(mark, kDecimals);
  const float value_x = bin.x0 - ui.px(6) - ui.width(Type::body, value);
  ui.text_fitted(Type::body, r.x0 + ui.px(24), value_x - ui.px(8), r.y0, r.height(), theme::kText2, label);
  ui.text(Type::body, value_x, r.y0, r.height(), theme::kText, value);
  const float a = 3.5F * ui.scale();
  const ImU32 ink = on_bin.hovered ? theme::kText : lit ? theme::kText2 : theme::kMuted;
  ui.stroke({bin.cx() - a, bin.cy() - a}, {bin.cx() + a, bin.cy() + a}, ink, 1.5F);
  ui.stroke({bin.cx() - a, bin.cy() + a}, {bin.cx() + a, bin.cy() - a}, ink, 1.5F);
  return on_bin.clicked;
}

}  // namespace

void marks_list(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  if (c.state.marks.list.empty()) {
    column.y += ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, ui.px(18), theme::kMuted,
                             "Choose a tool above the image: distances (C), angles, regions (A). A region gives "
                             "statistics, two regions contrast, a point the FWHM, a line the profile.") +
                ui.px(4);
    return;
  }
  int removed = 0;
  for (const Mark& mark : c.state.marks.list) {
    if (mark_row(c, column, mark)) removed = mark.number;
  }
  if (removed != 0) remove_mark(c.state.marks, removed);
  column.y += ui.px(4);
}

}  // namespace echoloop
