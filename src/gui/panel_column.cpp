#include "gui/panel_column.h"

#include <utility>

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

}  // namespace echoloop
