// Identity, hover, tooltips, text entry and popups; the controls themselves are in widgets.cpp and slider.cpp.
#include "gui/ui.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace echoloop {
namespace {

constexpr double kTipDelay_s = 0.4;

// Of a text field: its id without the marks that hide it and the number that renews it.
std::string_view stop_of_text(std::string_view id) {
  while (!id.empty() && id.front() == '#') id.remove_prefix(1);
  while (!id.empty() && id.back() >= '0' && id.back() <= '9') id.remove_suffix(1);
  return id;
}

}  // namespace

void Ui::begin_frame(ImDrawList* list, const Fonts* fonts, float scale, bool escape) {
  begin(list, fonts, scale);
  escape_ = escape;
  tip_candidate_ = 0;
  areas_.clear();
  clicked_.clear();
  ring_ = {};
  focus_.begin_frame();
  if (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1)) focus_.hide();
}

Rect Ui::rect_of(const std::string& id) const {
  const auto found = areas_.find(id);
  return found == areas_.end() ? Rect{} : found->second.whole;
}

Hit Ui::hit(const char* id, const Rect& r) {
  const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin();
  const ImVec2 clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
  areas_[id] = {r, r.common({clip_min.x, clip_min.y, clip_max.x, clip_max.y}), under_popup_ != nullptr};
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
  if (h.clicked) clicked_.emplace_back(id);
  return h;
}

Hit Ui::control(const char* id, const Rect& r, FocusKind kind, std::string_view name) {
  Hit h = hit(id, r);
  if (h.pressed) focus_.point_at(id);
  const Hit by_key = key_stop(id, r, kind, name);
  h.focused = by_key.focused;
  h.clicked = h.clicked || by_key.clicked;
  h.keys = by_key.keys;
  return h;
}

Hit Ui::key_stop(const char* id, const Rect& r, FocusKind kind, std::string_view name) {
  focus_.add(id, r, kind, name);
  Hit h;
  h.focused = focus_.shown_on(id);
  h.keys = focus_.take_keys(id);
  h.clicked = kind != FocusKind::slider && !h.keys.empty();
  if (h.focused) {
    const ImVec2 low = list().GetClipRectMin(), high = list().GetClipRectMax();
    ring_ = {&list(), r, {low.x, low.y, high.x, high.y}};
  }
  return h;
}

bool Ui::take_key(const KeyPress& press) {
  const bool typing = ImGui::GetIO().WantTextInput;
  if (!focus_.take(press, typing ? Typing::yes : Typing::no)) return false;
  if (typing) ++text_fields_;
  if (press.key == Key::escape) escape_ = false;
  return true;
}

// Outside the control, so that it never covers what it marks.
void Ui::draw_ring() {
  if (ring_.list == nullptr) return;
  ImDrawList* under = swap_list(ring_.list);
  list().PushClipRect({ring_.clip.x0, ring_.clip.y0}, {ring_.clip.x1, ring_.clip.y1}, false);
  outline(ring_.rect.inset(-px(3)), theme::kAccent, theme::kRadius + 2);
  list().PopClipRect();
  swap_list(under);
}

// Of a control that was reached by key as well, until a key acts on it: then it would be in the way.
void Ui::tip(const char* id, const Hit& h, const Rect& r, const Tip& tip) {
  focus_.name(id, tip.title);
  const bool by_key = h.focused && focus_.arrived() && tip_candidate_ == 0;
  if (!(h.hovered || by_key) || h.held || (tip.text.empty() && tip.why_not.empty())) return;
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
  tip_waits_ = tip_id_ != 0 && now - tip_since_ < kTipDelay_s;
  if (tip_id_ != 0 && !tip_waits_) draw_tip();
  draw_ring();
  focus_.end_frame();
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

void Ui::start_editing(const char* id, const std::string& initial, const std::string& stop) {
  editing_id_ = ImGui::GetID(id);
  editing_stop_ = stop.empty() ? id : stop;
  editing_fresh_ = true;
  const std::size_t n = std::min(initial.size(), sizeof editing_text_ - 1);
  std::memcpy(editing_text_, initial.data(), n);
  editing_text_[n] = '\0';
}

bool Ui::is_editing(const char* id) const { return editing_id_ != 0 && editing_id_ == ImGui::GetID(id); }

bool Ui::text_line(const char* id, const Rect& r, std::span<char> buffer, bool focus) {
  return text_input(id, std::string(stop_of_text(id)), r, buffer, focus);
}

bool Ui::text_input(const char* id, const std::string& stop, const Rect& r, std::span<char> buffer, bool focus) {
  fill(r, theme::kField, theme::kRadius);
  ImGui::SetCursorScreenPos({r.x0, r.y0});
  compat::push_font(fonts().font(Type::body), fonts().size(Type::body));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(10), 0.5F * (r.height() - fonts().size(Type::body))});
  ImGui::PushItemWidth(r.width());
  const Hit by_key = key_stop(stop.c_str(), r, FocusKind::text, "Text");
  if (focus || (by_key.focused && focus_.moved_to() != nullptr)) ImGui::SetKeyboardFocusHere();
  ImGui::PushID(text_fields_);
  const bool accepted = ImGui::InputText(id, buffer.data(), buffer.size(),
                                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  if (ImGui::IsItemActive()) {
    focus_.point_at(stop);
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
  const int fields = std::exchange(edited_field_, text_fields_);
  const bool accepted = text_input("##edit", editing_stop_, r, editing_text_, fresh);
  const bool left = (ImGui::IsItemDeactivated() || fields != text_fields_) && !fresh;
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
  focus_.begin_popup(id);
  under_popup_ = swap_list(ImGui::GetWindowDrawList());
  if (escape_ && editing_id_ == 0) {
    escape_ = false;
    ImGui::CloseCurrentPopup();
  }
  return true;
}

void Ui::end_popup() {
  focus_.end_popup();
  swap_list(std::exchange(under_popup_, nullptr));
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
