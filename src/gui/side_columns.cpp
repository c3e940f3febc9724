#include "gui/side_columns.h"

#include <utility>

#include "gui/toolkit/splitter.h"

namespace echoloop {

HistoryAct SideColumns::draw(PanelContext& c, const WindowLayout& l, const EditHistory& history) {
  Ui& ui = c.ui;
  draw_left_splitter(c, l);
  if (l.right_shown) draw_right_splitter(c, l);
  ui.focus().enter(WindowPart::left);
  take_objects_wheel(c.view.transient.objects, l.left);
  take_timeline_wheel(c.view.transient.timeline, l.right_shown ? l.right : l.left);
  left_.begin(c, "left_bar", l.left);
  const HistoryAct act = draw_panels(c, left_, PanelSide::left, l.left, history);
  if (!l.right_shown) draw_panels(c, left_, PanelSide::right, l.left, history);
  left_.end();
  if (!l.right_shown) return act;
  ui.focus().enter(WindowPart::right);
  right_.begin(c, "right_bar", l.right);
  draw_panels(c, right_, PanelSide::right, l.right, history);
  right_.end();
  return act;
}

// The values of the measure panel are no longer needed when it is closed; it opens with the first mark.
void SideColumns::open_measure_panel(PanelContext& c) {
  // After a reset or its undo the panel is open or folded as it was.
  if (std::exchange(resets_, c.state.reset.count) != c.state.reset.count) measure_shown_ = !c.state.marks.list.empty();
  bool& open = c.view.is_open("measure", c.compact);
  if (!measure_shown_ && !c.state.marks.list.empty()) measure_shown_ = open = true;
  if (!open && c.state.image.measured.image.number != 0) c.state.image.measured = c.state.image.measured_a = {};
}

// Of one side; a narrow window has one column for all panels. The presets are below the source.
HistoryAct SideColumns::draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                                    const EditHistory& history) {
  constexpr float kWholeStream = 940;  // height of a column that has room for every row
  HistoryAct act = HistoryAct::none;
  if (side == PanelSide::right) open_measure_panel(c);
  const bool high = area.height() >= c.ui.px(kWholeStream);
  c.more_stream = high != other_stream_;
  for (const PanelRow& panel : panels()) {
    if (panel.side != side) continue;
    column.draw(panel);
    if (panel.key == "source") act = presets_.draw(c, column.next(), history);
  }
  other_stream_ = high != c.more_stream;
  return act;
}

void SideColumns::draw_left_splitter(PanelContext& c, const WindowLayout& l) {
  Ui& ui = c.ui;
  const float scale = ui.scale(), mouse = ImGui::GetIO().MousePos.x;
  const float logical = ImGui::GetIO().DisplaySize.x / scale, right = l.right.width() / scale;
  const float grab = ui.px(6);  // beside the column, so that its scroll bar stays free
  ui.focus().enter(WindowPart::left);
  ui.vertical(l.splitter_left, l.left.y0, l.left.y1, theme::kEdge);
  const Hit hit = ui.control("splitter_left", {l.splitter_left, l.left.y0, l.splitter_left + grab, l.left.y1},
                             FocusKind::slider, "Width of the left column");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hit.pressed) splitter_grip_ = mouse - l.splitter_left;
  float& width = c.view.widths.left;
  if (hit.held) width = clamp_left_width((mouse - splitter_grip_) / scale, logical, right);
  if (const float by = splitter_by_key(hit); by != 0) {
    width = clamp_left_width(l.left.width() / scale + by, logical, right);
  }
  if (splitter_reset(hit)) width = 0;
}

void SideColumns::draw_right_splitter(PanelContext& c, const WindowLayout& l) {
  Ui& ui = c.ui;
  const float scale = ui.scale(), mouse = ImGui::GetIO().MousePos.x;
  const float logical = ImGui::GetIO().DisplaySize.x / scale, left = l.left.width() / scale;
  const float grab = ui.px(6);
  ui.focus().enter(WindowPart::right);
  ui.vertical(l.splitter_right - ui.hairline(), l.right.y0, l.right.y1, theme::kEdge);
  const Hit hit = ui.control("splitter_right", {l.splitter_right - grab, l.right.y0, l.splitter_right, l.right.y1},
                             FocusKind::slider, "Width of the right column");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hit.pressed) splitter_grip_ = mouse - l.splitter_right;
  float& width = c.view.widths.right;
  if (hit.held) width = clamp_right_width(logical - (mouse - splitter_grip_) / scale, logical, left);
  if (const float by = splitter_by_key(hit); by != 0) {
    width = clamp_right_width(l.right.width() / scale - by, logical, left);
  }
  if (splitter_reset(hit)) width = 0;
}

}  // namespace echoloop
