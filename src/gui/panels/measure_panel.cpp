// The Measure panel: what the marks on the picture measure, live.
#include "gui/panels/marks_list.h"
#include "gui/panels/measure_parts.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

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
