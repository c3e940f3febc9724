// The Measure panel: what the marks on the image measure, live.
#include <string>

#include "gui/panels/measure_parts.h"
#include "gui/panels/panels.h"
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

// Rows of the Measure panel. The pointer over a row lights the mark up; a click selects it.
void marks_list(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  if (c.state.marks.list.empty()) {
    ui.paragraph_row(column, 18, theme::kMuted,
                     "Choose a tool above the image: distances (C), angles, regions (A). A region gives "
                     "statistics, two regions contrast, a point the FWHM, a line the profile.");
    return;
  }
  int removed = 0;
  for (const Mark& mark : c.state.marks.list) {
    if (mark_row(c, column, mark)) removed = mark.number;
  }
  if (removed != 0) remove_mark(c.state.marks, removed);
  column.y += ui.px(4);
}

// It is opened from the tool bar, and by the first thing that is drawn; closed it takes no room at all.
void head_row(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kHeader, 0);
  const float end = ui.text(Type::strong, r, theme::kText, "Measure");
  if (c.levels_a != nullptr) {
    ui.text(Type::small, end + ui.px(10), r.y0, r.height(), theme::kMuted, "values of A and B");
  }
  const float size = ui.px(22);
  const Rect close{r.x1 - size, r.cy() - 0.5F * size, r.x1, r.cy() + 0.5F * size};
  if (ui.icon_button("close_measure", close, {"Close", "Reopen from the tool bar; marks are kept.", {}})) open = false;
  ui.cross(close.cx(), close.cy(), theme::kText2);
}

void save_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  column.y += ui.px(4);
  Rect r = ui.row(column, theme::kRow, 4);
  r.x0 = r.x1 - ui.px(104);
  const std::string_view why =
      why_no_files(c.state, c.state.image.measured.values.empty() && c.state.image.measured.profiles.empty() &&
                                    !c.state.image.measured.histogram
                                ? "No measurements yet."
                                : "");
  if (ui.button("save_measurements", r, {.label = "Save CSV"},
                {"Save CSV",
                 "All values with their last 30 s, profiles and histogram, with units, source and parameters.", why})) {
    call(c.commands.save, SaveWhat::measurements);
  }
}

}  // namespace

void measure_panel(PanelContext& c, Column& column, bool& open) {
  head_row(c, column, open);
  Measured& m = c.state.image.measured;
  c.measuring.update(m, c.state.marks, c.levels, c.view.histogram ? HistogramUse::yes : HistogramUse::no,
                     ImGui::GetTime());
  if (c.levels_a != nullptr) {
    c.measuring_a.update(c.state.image.measured_a, c.state.marks, *c.levels_a, HistogramUse::no, ImGui::GetTime());
  } else {
    c.state.image.measured_a = {};
  }
  if (const auto& awaited = c.state.image.awaited) {
    note_row(c, column, "Waiting for the first image. Marks of " + awaited->shown_of + " are kept with it.");
  }
  marks_list(c, column);
  column.y += c.ui.px(4);
  if (shows_weight(c.state.params.formation) && Measuring::has_work(c.state.marks)) {
    note_row(c, column, "The image shows weights, which are no levels: select Show, Image to measure.");
  }
  const bool work = Measuring::has_work(c.state.marks);
  const auto gap = [&] { column.y += c.ui.px(4); };
  if (c.levels_a != nullptr) {
    c.measuring.compare(m, c.state.image.measured_a, c.state.marks, c.levels, *c.levels_a);
    compare_blocks(c, column);
    histogram_block(c, column);
    if (work || c.view.histogram) save_row(c, column);
    return;
  }
  for (const MeasuredPair& pair : m.pairs) pair_block(c, column, pair), gap();
  for (const MeasuredRegion& region : m.regions) region_block(c, column, region), gap();
  for (const MeasuredPoint& point : m.points) point_block(c, column, point), gap();
  for (const MeasuredProfile& line : m.profiles) profile_block(c, column, line), gap();
  histogram_block(c, column);
  if (work || c.view.histogram) save_row(c, column);
}

}  // namespace echoloop
