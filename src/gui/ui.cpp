// Identity, hover, tooltips, text entry and popups; the controls themselves are in widgets.cpp and slider.cpp.
#include "gui/ui.h"

#include <algorithm>
#include <cstring>

namespace echoloop {

void Ui::begin_frame(ImDrawList* list, const Fonts* fonts, float scale, bool escape) {
  begin(list, fonts, scale);
  escape_ = escape;
  tip_candidate_ = 0;
  rects_.clear();
}

Rect Ui::rect_of(const std::string& id) const {
  const auto found = rects_.find(id);
  return found == rects_.end() ? Rect{} : found->second;
}

Hit Ui::hit(const char* id, const Rect& r) {
  rects_[id] = r;
  if (r.width() < 1 || r.height() < 1) return {};
  ImGui::SetCursorScreenPos({r.x0, r.y0});
  Hit h;
  const bool released = ImGui::InvisibleButton(id, {r.width(), r.height()},
                                               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  h.hovered = ImGui::IsItemHovered();
  h.held = ImGui::IsItemActive() && ImGui::IsMouseDown(0);
  h.pressed = ImGui::IsItemActivated() && ImGui::IsMouseDown(0);
  h.right = released && ImGui::IsMouseReleased(1);
  h.clicked = released && !h.right;
  return h;
}

void Ui::tip(const char* id, const Hit& h, const Rect& r, const Tip& tip) {
  if (!h.hovered || h.held || (tip.text.empty() && tip.why_not.empty())) return;
  tip_candidate_ = ImGui::GetID(id);
  tip_rect_ = r;
  tip_title_ = tip.why_not.empty() ? std::string(tip.title) : std::string(tip.title) + ": no effect here";
  tip_text_ = tip.why_not.empty() ? tip.text : tip.why_not;
}

bool Ui::moving() const { return tip_waits_ || (ImGui::IsAnyItemActive() && ImGui::IsAnyMouseDown()); }

bool Ui::holding() const { return ImGui::IsAnyItemActive(); }

void Ui::end_frame() {
  const double now = ImGui::GetTime();
  if (tip_candidate_ != tip_id_ || ImGui::IsAnyItemActive()) {
    tip_id_ = tip_candidate_;
    tip_since_ = now;
  }
  constexpr double kDelay_s = 0.4;
  tip_waits_ = tip_id_ != 0 && now - tip_since_ < kDelay_s;
  if (tip_id_ != 0 && !tip_waits_) draw_tip();
}

void Ui::draw_tip() {
  ImDrawList* under = swap_list(ImGui::GetForegroundDrawList());
  const float pad = px(12);
  const float line = px(20);
  const float widest = px(320) - 2 * pad;
  const float wanted = std::max(width(Type::strong, tip_title_), std::min(width(Type::body, tip_text_), widest));
  const float wrap = std::min(wanted, widest) + 1;
  const float w = wrap + 2 * pad;
  const float title = paragraph_height(Type::strong, wrap, line, tip_title_);
  const float h = title + paragraph_height(Type::body, wrap, line, tip_text_) + 2 * pad - px(4);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  float x = tip_rect_.x0;
  float y = tip_rect_.y1 + px(6);
  if (y + h > screen.y - px(4)) y = tip_rect_.y0 - px(6) - h;
  x = std::max(px(4), std::min(x, screen.x - w - px(4)));
  y = std::max(px(4), y);
  const Rect box{x, y, x + px(0) + w, y + h};
  fill(box, theme::kHover, 6);
  outline(box, theme::kLine2, 6);
  paragraph(Type::strong, x + pad, y + pad - px(2), wrap, line, theme::kText, tip_title_);
  paragraph(Type::body, x + pad, y + pad - px(2) + title, wrap, line, theme::kText2, tip_text_);
  swap_list(under);
}

Rect Ui::row(Column& c, float height, float gap) const {
  const Rect r{c.x0, c.y, c.x1, c.y + px(height)};
  c.y = r.y1 + px(gap);
  return r;
}

Rect Ui::labelled(Column& c, std::string_view label, std::string_view note, bool enabled) {
  Rect r = row(c, theme::kRow, theme::kRowGap);
  const float end = text(Type::body, r.x0, r.y0, r.height(), enabled ? theme::kText2 : theme::kDisabled, label);
  if (!note.empty()) text(Type::small, end + px(6), r.y0, r.height(), theme::kMuted, note);
  r.x0 += px(c.label_width());
  return r;
}

void Ui::start_editing(const char* id, const std::string& initial) {
  editing_id_ = ImGui::GetID(id);
  editing_fresh_ = true;
  const std::size_t n = std::min(initial.size(), sizeof editing_text_ - 1);
  std::memcpy(editing_text_, initial.data(), n);
  editing_text_[n] = '\0';
}

bool Ui::is_editing(const char* id) const { return editing_id_ != 0 && editing_id_ == ImGui::GetID(id); }

bool Ui::text_line(const char* id, const Rect& r, std::span<char> buffer, bool focus) {
  fill(r, theme::kField, theme::kRadius);
  ImGui::SetCursorScreenPos({r.x0, r.y0});
  compat::push_font(fonts().font(Type::body), fonts().size(Type::body));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(10), 0.5F * (r.height() - fonts().size(Type::body))});
  ImGui::PushItemWidth(r.width());
  if (focus) ImGui::SetKeyboardFocusHere();
  const bool accepted = ImGui::InputText(id, buffer.data(), buffer.size(),
                                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemActive()) {
    outline({r.x0 - px(1), r.y0 - px(1), r.x1 + px(1), r.y1 + px(1)}, theme::kAccent, theme::kRadius + 1);
  }
  ImGui::PopItemWidth();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  return accepted;
}

std::optional<std::string> Ui::edit_field(const Rect& r) {
  const bool fresh = editing_fresh_;
  editing_fresh_ = false;
  const bool accepted = text_line("##edit", r, editing_text_, fresh);
  const bool left = ImGui::IsItemDeactivated() && !fresh;
  if (!accepted && !left) return std::nullopt;
  editing_id_ = 0;
  if (escape_) {
    escape_ = false;
    return std::nullopt;
  }
  return std::string(editing_text_);
}

void Ui::open_popup(const char* id) { ImGui::OpenPopup(id); }

bool Ui::begin_popup(const char* id, const Rect& r, ImU32 ground) {
  if (!ImGui::IsPopupOpen(id)) return false;
  ImGui::SetNextWindowPos({r.x0, r.y0});
  ImGui::SetNextWindowSize({r.width(), r.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, 6 * scale());
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, hairline());
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ground);
  ImGui::PushStyleColor(ImGuiCol_Border, theme::kLine2);
  const bool open =
      ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar |
                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar |
                                ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  if (!open) return false;
  under_popup_ = swap_list(ImGui::GetWindowDrawList());
  if (escape_ && editing_id_ == 0) {
    escape_ = false;
    ImGui::CloseCurrentPopup();
  }
  return true;
}

void Ui::end_popup() {
  swap_list(under_popup_);
  ImGui::EndPopup();
}

bool Ui::begin_callout(const char* id, const Rect& r) {
  ImGui::SetNextWindowPos({r.x0, r.y0});
  ImGui::SetNextWindowSize({r.width(), r.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6 * scale());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, hairline());
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::kHover);
  ImGui::PushStyleColor(ImGuiCol_Border, theme::kAccent);
  const bool open =
      ImGui::Begin(id, nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  under_callout_ = swap_list(ImGui::GetWindowDrawList());
  if (!open) end_callout();
  return open;
}

void Ui::end_callout() {
  swap_list(under_callout_);
  ImGui::End();
}

void Ui::close_popup() { ImGui::CloseCurrentPopup(); }

}  // namespace echoloop
