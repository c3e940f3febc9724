// The Measure panel: what the marks on the picture measure, live.
#include <fmt/format.h>

#include "gui/mark_shape.h"
#include "gui/panels/marks_list.h"
#include "gui/panels/measure_parts.h"

namespace echoloop {
namespace {

std::string counted(std::size_t n, const char* one, const char* many) {
  return n == 0 ? std::string() : fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string gist(const Marks& marks) {
  std::size_t regions = 0, points = 0, lines = 0;
  for (const Mark& mark : marks.list) {
    regions += is_region(mark.kind) ? 1U : 0U;
    points += mark.kind == MarkKind::point ? 1U : 0U;
    lines += mark.kind == MarkKind::profile ? 1U : 0U;
  }
  std::string text;
  for (const std::string& part :
       {counted(regions, "region", "regions"), counted(points, "point", "points"), counted(lines, "line", "lines")}) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

void save_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  column.y += ui.px(4);
  Rect r = ui.row(column, theme::kRow, 4);
  r.x0 = r.x1 - ui.px(104);
  const std::string_view why =
      c.state.measured.values.empty() && c.state.measured.profiles.empty() && !c.state.measured.histogram
          ? "Nothing has been measured yet."
          : "";
  if (ui.button("save_measurements", r, {.label = "Save CSV"},
                {"Save CSV",
                 "All numbers here, the last 30 s of each, the curves and the histogram, with units, source "
                 "and parameters.",
                 why})) {
    call(c.commands.save, SaveWhat::measurements);
  }
}

}  // namespace

void measure_panel(PanelContext& c, Column& column) {
  bool& open = c.view.is_open(Panel::measure, c.compact);
  c.ui.header("panel_measure", column, "Measure", open ? "" : gist(c.state.marks), open);
  Measured& m = c.state.measured;
  if (!open) {
    if (m.image.number != 0) m = {};
    return;
  }
  c.measuring.update(m, c.state.marks, c.levels, c.view.histogram ? HistogramUse::yes : HistogramUse::no,
                     ImGui::GetTime());
  marks_list(c, column);
  column.y += c.ui.px(4);
  const bool work = Measuring::has_work(c.state.marks);
  const auto gap = [&] { column.y += c.ui.px(4); };
  for (const MeasuredPair& pair : m.pairs) pair_block(c, column, pair), gap();
  for (const MeasuredRegion& region : m.regions) region_block(c, column, region), gap();
  for (const MeasuredPoint& point : m.points) point_block(c, column, point), gap();
  for (const MeasuredProfile& line : m.profiles) profile_block(c, column, line), gap();
  histogram_block(c, column);
  if (work || c.view.histogram) save_row(c, column);
}

}  // namespace echoloop
