#include "gui/side_columns.h"

#include <utility>

#include "gui/toolkit/splitter.h"

namespace echoloop {

void PanelColumn::begin(PanelContext& c, const char* bar, const Rect& area) {
  c_ = &c;
  area_ = area;
  if (std::exchange(compact_, c.compact) != c.compact) was_open_.clear();  // other panels are folded then
  const float padding = c.ui.px(c.compact ? 12 : 16);
  start_ = scroll_.begin(c.ui, bar, area);
  if (scroll_.moved()) opened_.reset();  // the user looks elsewhere
  column_ = {area.x0 + padding, area.x1 - padding, start_ + c.ui.px(4), c.compact};
  first_ = true;
}

Column& PanelColumn::next() {
  const Ui& ui = c_->ui;
  if (!first_) {
    column_.y += ui.px(3);
    ui.horizontal(area_.x0, area_.x1, column_.y, theme::kLine);
    column_.y += ui.hairline() + ui.px(3);
  }
  first_ = false;
  return column_;
}

void PanelColumn::draw(const PanelRow& panel) {
  bool& open = c_->view.is_open(panel.key, c_->compact);
  if (panel.closed == ClosedPanel::left_out && !open) {
    was_open_[panel.key] = false;
    return;
  }
  Column& column = next();
  const float top = column.y - start_;
  panel.draw(*c_, column, open);
  watch(panel, open, top);
}

void PanelColumn::watch(const PanelRow& panel, bool open, float top) {
  constexpr int kSettled = 10;
  const auto [was, first] = was_open_.try_emplace(panel.key, open);
  if (open && !first && !was->second) opened_ = Opened{&panel};
  if (!open && opened_ && opened_->panel == &panel) opened_.reset();
  was->second = open;
  if (!opened_ || opened_->panel != &panel) return;
  const float bottom = column_.y + c_->ui.px(8) - start_;
  opened_->same = bottom - top == opened_->height ? opened_->same + 1 : 0;
  opened_->height = bottom - top;
  scroll_.show(top, bottom);
  scroll_.show(top, top);
  if (opened_->same >= kSettled) opened_.reset();
}

void PanelColumn::end() { scroll_.end(c_->ui, column_.y + c_->ui.px(8)); }

HistoryAct SideColumns::draw(PanelContext& c, const WindowLayout& l, const EditHistory& history) {
  if (!l.left_shown) return HistoryAct::none;
  Ui& ui = c.ui;
  draw_splitter(c, l, PanelSide::left);
  if (l.right_shown) draw_splitter(c, l, PanelSide::right);
  ui.focus().enter(WindowPart::left);
  for (const PanelRow& panel : panels()) {
    if (panel.take_wheel == nullptr) continue;
    panel.take_wheel(c, panel.side == PanelSide::right && l.right_shown ? l.right : l.left);
  }
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

// The edge between a column and the image, with the room to grab it on the image's side: scroll bars stay free.
void SideColumns::draw_splitter(PanelContext& c, const WindowLayout& l, PanelSide side) {
  Ui& ui = c.ui;
  const bool left = side == PanelSide::left;
  const Rect& column = left ? l.left : l.right;
  const float edge = left ? l.splitter_left : l.splitter_right, grab = ui.px(6);
  const float scale = ui.scale(), mouse = ImGui::GetIO().MousePos.x;
  const float logical = ImGui::GetIO().DisplaySize.x / scale, other = (left ? l.right : l.left).width() / scale;
  ui.focus().enter(left ? WindowPart::left : WindowPart::right);
  ui.vertical(left ? edge : edge - ui.hairline(), column.y0, column.y1, theme::kEdge);
  const Hit hit = ui.control(left ? "splitter_left" : "splitter_right",
                             {left ? edge : edge - grab, column.y0, left ? edge + grab : edge, column.y1},
                             FocusKind::slider, left ? "Width of the left column" : "Width of the right column");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hit.pressed) splitter_grip_ = mouse - edge;
  float& width = left ? c.view.widths.left : c.view.widths.right;
  const auto clamped = [&](float wanted) {
    return left ? clamp_left_width(wanted, logical, other) : clamp_right_width(wanted, logical, other);
  };
  const float dragged = (mouse - splitter_grip_) / scale;
  if (hit.held) width = clamped(left ? dragged : logical - dragged);
  if (const float by = splitter_by_key(hit); by != 0) width = clamped(column.width() / scale + (left ? by : -by));
  if (splitter_reset(hit)) width = 0;
}

}  // namespace echoloop
