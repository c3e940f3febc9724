#include "gui/toolkit/ui.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace echoloop {
namespace {

constexpr float kComboLeft = 10, kComboRight = 26;  // margins of the text; the chevron is at the right

// Returns the stop of a text field: its id without the marks that hide it and the number that renews it.
std::string_view stop_of_text(std::string_view id) {
  while (!id.empty() && id.front() == '#') id.remove_prefix(1);
  while (!id.empty() && id.back() >= '0' && id.back() <= '9') id.remove_suffix(1);
  return id;
}

// Returns the new choice after the keys, for options side by side; nullopt: unchanged.
std::optional<int> stepped(const Hit& h, std::size_t count, int chosen) {
  int at = chosen;
  for (const KeyPress& press : h.keys) {
    if (press.key == Key::left || press.key == Key::up) --at;
    if (press.key == Key::right || press.key == Key::down) ++at;
    if (press.key == Key::home) at = 0;
    if (press.key == Key::end) at = static_cast<int>(count) - 1;
    at = std::clamp(at, 0, static_cast<int>(count) - 1);
  }
  return at == chosen ? std::nullopt : std::optional(at);
}

}  // namespace

void Ui::begin_frame(ImDrawList* list, const Fonts* fonts, float scale, bool escape) {
  begin(list, fonts, scale);
  escape_ = escape;
  enter_ = false;
  parts_move_ = false;
  tooltip_.begin_frame();
  areas_.clear();
  clicked_.clear();
  ring_ = {};
  focus_.begin_frame();
  early_.begin_frame();
  if (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1)) focus_.hide();
}

Rect Ui::rect_of(const std::string& id) const {
  const auto found = areas_.find(id);
  return found == areas_.end() ? Rect{} : found->second.whole;
}

Hit Ui::hit(const char* id, const Rect& r) {
  const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin();
  const ImVec2 clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
  areas_[id] = {r, r.common({clip_min.x, clip_min.y, clip_max.x, clip_max.y})};
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
  const bool typing = this->typing();
  if (!focus_.take(press, typing ? Typing::yes : Typing::no)) {
    enter_ = enter_ || press.key == Key::enter;
    return false;
  }
  if (typing) ++text_fields_;
  if (press.key == Key::escape) escape_ = false;
  return true;
}

// Draws outside the control, so that the ring never covers it.
void Ui::draw_ring() {
  if (ring_.list == nullptr) return;
  ImDrawList* under = swap_list(ring_.list);
  list().PushClipRect({ring_.clip.x0, ring_.clip.y0}, {ring_.clip.x1, ring_.clip.y1}, false);
  outline(ring_.rect.inset(-px(3)), theme::kAccent, theme::kRadius + 2);
  list().PopClipRect();
  swap_list(under);
}

// Offers the tooltip also under keyboard focus, until a key acts on the control, when it would cover the view.
Hit Ui::hit(const char* id, const Rect& r, const Tip& tip) {
  Hit h = hit(id, r);
  this->tip(id, h, r, tip);
  return h;
}

void Ui::tip(const char* id, const Hit& h, const Rect& r, const Tip& tip) {
  focus_.name(id, tip.title);
  if (!tip.why_not.empty()) focus_.disable(id);
  const bool by_key = h.focused && focus_.arrived() && !tooltip_.taken();
  if (!(h.hovered || by_key) || h.held || (tip.text.empty() && tip.why_not.empty())) return;
  tooltip_.offer(ImGui::GetID(id), r, tip);
}

double Ui::step_s() const { return motion_ == Motion::on ? static_cast<double>(ImGui::GetIO().DeltaTime) : kAtOnce_s; }

bool Ui::moving() const {
  return parts_move_ || tooltip_.waits() || (ImGui::IsAnyItemActive() && ImGui::IsAnyMouseDown());
}

bool Ui::holding() const { return ImGui::IsAnyItemActive(); }

void Ui::end_frame() {
  tooltip_.end_frame(*this);
  draw_ring();
  focus_.end_frame();
}

Rect Ui::row(Column& c, float height, float gap) const {
  const Rect r{c.x0, c.y, c.x1, c.y + px(height)};
  c.y = r.y1 + px(gap);
  return r;
}

void Ui::paragraph_row(Column& c, float line, ImU32 color, std::string_view text) const {
  constexpr float kGap = 4;
  c.y += paragraph(Type::small, c.x0, c.y, c.x1 - c.x0, px(line), color, text) + px(kGap);
}

Rect Ui::labelled(Column& c, std::string_view label, bool enabled, float needed) {
  Rect r = row(c, theme::kRow, theme::kRowGap);
  const float end = text(Type::body, r.x0, r.y0, r.height(), enabled ? theme::kText2 : theme::kDisabled, label);
  r.x0 = std::min(r.x0 + px(c.label_width()), std::max(end + px(8), r.x1 - needed));
  return r;
}

bool Ui::typing() const { return ImGui::GetIO().WantTextInput || early_.awaited(); }

void Ui::start_editing(const char* id, const std::string& initial, const std::string& stop) {
  editing_id_ = ImGui::GetID(id);
  editing_stop_ = stop.empty() ? id : stop;
  editing_fresh_ = true;
  await_text(ImGui::IsMouseReleased(0) || ImGui::IsMouseDown(0) ? EarlyText::From::now : EarlyText::From::later);
  const std::size_t n = std::min(initial.size(), sizeof editing_text_ - 1);
  std::memcpy(editing_text_, initial.data(), n);
  editing_text_[n] = '\0';
}

bool Ui::is_editing(const char* id) const { return editing_id_ != 0 && editing_id_ == ImGui::GetID(id); }

bool Ui::text_line(const char* id, const Rect& r, std::span<char> buffer, bool focus) {
  const std::string stop(stop_of_text(id));
  areas_[stop] = {r, r};
  return text_input(id, stop, r, buffer, focus);
}

bool Ui::text_input(const char* id, const std::string& stop, const Rect& r, std::span<char> buffer, bool focus) {
  fill(r, theme::kField, theme::kRadius);
  ImGui::SetCursorScreenPos({r.x0, r.y0});
  compat::push_font(fonts().font(Type::body), fonts().size(Type::body));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(10), 0.5F * (r.height() - fonts().size(Type::body))});
  ImGui::PushItemWidth(r.width());
  const Hit by_key = key_stop(stop.c_str(), r, FocusKind::text, "Text");
  if (focus || (by_key.focused && focus_.moved_to() != nullptr)) {
    ImGui::SetKeyboardFocusHere();
    await_text(EarlyText::From::later);
  }
  early_.give_to(stop);
  ImGui::PushID(text_fields_);
  const bool accepted = ImGui::InputText(id, buffer.data(), buffer.size(),
                                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  if (ImGui::IsItemActive()) {
    early_.has_keyboard(stop);
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

bool Ui::button(const char* id, const Rect& r, const ButtonLook& look, const Tip& t) {
  const bool enabled = t.why_not.empty();
  const bool primary = look.emphasis == Emphasis::primary && enabled;
  const Hit h = control(id, r, FocusKind::button, look.label);
  tip(id, h, r, t);
  const ImU32 ground = primary ? (h.hovered ? theme::kAccentHover : theme::kAccent)
                               : ((h.hovered && enabled) || look.active ? theme::kHover : theme::kField);
  fill(r, ground, theme::kRadius);
  if (look.active) outline(r, theme::kAccent, theme::kRadius);
  const Type type = primary ? Type::strong : Type::body;
  const float label_width = width(type, look.label);
  const float gap = look.shortcut.empty() ? 0 : px(8);
  const float all = label_width + gap + (look.shortcut.empty() ? 0 : width(Type::small, look.shortcut));
  const float x = r.cx() - 0.5F * all;
  text(type, x, r.y0, r.height(), !enabled ? theme::kDisabled : primary ? theme::kInk : theme::kText, look.label);
  const ImU32 faint = !enabled                   ? theme::kDisabled
                      : primary                  ? theme::kInkMuted
                      : h.hovered || look.active ? theme::kText2
                                                 : theme::kMuted;
  text(Type::small, x + label_width + gap, r.y0, r.height(), faint, look.shortcut);
  return h.clicked && enabled;
}

bool Ui::link(const char* id, const Rect& r, std::string_view label, std::string_view shortcut, const Tip& t) {
  const Hit h = control(id, r, FocusKind::button, label);
  tip(id, h, r, t);
  const float end = text(Type::body, r.x0, r.y0, r.height(), h.hovered ? theme::kText : theme::kText2, label);
  if (!shortcut.empty()) text(Type::small, end + px(8), r.y0, r.height(), theme::kMuted, shortcut);
  return h.clicked;
}

bool Ui::icon_button(const char* id, const Rect& r, const Tip& t) {
  const Hit h = control(id, r);
  tip(id, h, r, t);
  if (h.hovered) fill(r, theme::kHover, theme::kRadius);
  return h.clicked && t.why_not.empty();
}

std::optional<int> Ui::segmented(const char* id, const Rect& r, std::span<const Choice> options, int chosen,
                                 const Tip& t) {
  const bool enabled = t.why_not.empty();
  const Hit by_key = key_stop(id, r, FocusKind::slider, t.title);
  tip(id, by_key, r, t);
  std::optional<int> result = enabled ? stepped(by_key, options.size(), chosen) : std::nullopt;
  fill(r, theme::kField, theme::kRadius);
  const float n = static_cast<float>(options.size());
  // Equal cells if all labels fit, else each as wide as its label and an equal share of the remaining width.
  const auto all = [&](Type type) {
    float w = 0;
    for (const Choice& option : options) w += width(type, option.label);
    return w;
  };
  const Type type = all(Type::body) + n * px(6) <= r.width() ? Type::body : Type::small;  // enough space between labels
  const float labels = all(type);
  float widest = 0;
  for (const Choice& option : options) widest = std::max(widest, width(type, option.label));
  const bool equal = widest + px(10) <= r.width() / n;
  float x = r.x0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const float own = equal ? r.width() / n : width(type, options[i].label) + (r.width() - labels) / n;
    const Rect cell{std::round(x), r.y0, std::round(x + own), r.y1};
    x += own;
    const std::string cell_id = std::string(id) + "/" + std::string(options[i].label);
    const Hit h = hit(cell_id.c_str(), cell);
    if (h.pressed) focus_.point_at(id);
    tip(cell_id.c_str(), h, cell, t);
    const bool on = static_cast<int>(i) == chosen;
    if (on && enabled) {
      fill(cell.inset(px(2)), theme::kSelected, theme::kRadius - 1);
    } else if ((h.hovered && enabled) || on) {
      fill(cell.inset(px(2)), theme::kHover, theme::kRadius - 1);
    }
    const ImU32 ink = !enabled ? theme::kDisabled : on || h.hovered ? theme::kText : theme::kText2;
    text_centred(type, cell, ink, options[i].label);
    if (h.clicked && enabled && !on) result = static_cast<int>(i);
  }
  return result;
}

float Ui::combo_width(std::string_view shown) const {
  return std::ceil(width(Type::body, shown) + px(kComboLeft + kComboRight));
}

std::optional<int> Ui::combo(const char* id, const Rect& r, const Choice& shown, std::span<const Choice> options,
                             int chosen, const Tip& t) {
  const bool enabled = t.why_not.empty();
  const Hit h = control(id, r, FocusKind::button, t.title);
  tip(id, h, r, t);
  const std::string popup = std::string(id) + "/list";
  const bool open = ImGui::IsPopupOpen(popup.c_str());
  fill(r, (h.hovered || open) && enabled ? theme::kHover : theme::kField, theme::kRadius);
  const ImU32 ink = enabled ? theme::kText : theme::kDisabled;
  const float room = r.x1 - px(kComboRight);
  const float end = text_fitted(Type::body, r.x0 + px(kComboLeft), room, r.y0, r.height(), ink, shown.label);
  if (!shown.note.empty() && end + px(6) + width(Type::body, shown.note) <= room) {
    text(Type::body, end + px(6), r.y0, r.height(), enabled ? theme::kText2 : theme::kDisabled, shown.note);
  }
  chevron(r.x1 - px(15), r.cy(), Direction::down, enabled ? theme::kMuted : theme::kDisabled);
  return choice_list(id, r, options, chosen, h.clicked && enabled);
}

std::optional<int> Ui::menu(const char* id, const Rect& r, std::span<const Choice> options, int chosen, const Tip& t) {
  const Hit h = control(id, r, FocusKind::button, t.title);
  tip(id, h, r, t);
  return choice_list(id, r, options, chosen, h.clicked && t.why_not.empty());
}

std::optional<int> Ui::choice_list(const char* id, const Rect& r, std::span<const Choice> options, int chosen,
                                   bool open) {
  const std::string popup = std::string(id) + "/list";
  if (open) open_popup(popup.c_str());
  std::optional<int> result;
  if (!ImGui::IsPopupOpen(popup.c_str())) return result;
  const float row_height = px(26);
  const float pad = px(4);
  float wide = r.width();
  for (const Choice& option : options) {
    wide = std::max(wide, width(Type::body, option.label) + width(Type::body, option.note) + px(56));
  }
  wide = std::min(wide, std::max(r.width(), px(480)));  // limits long folder names of recordings
  const float tall = row_height * static_cast<float>(options.size()) + 2 * pad;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float top = r.y1 + px(4) + tall > screen.y ? std::max(px(4), r.y0 - px(4) - tall) : r.y1 + px(4);
  const float left = std::max(px(4), std::min(r.x0, screen.x - wide - px(4)));
  if (!begin_popup(popup.c_str(), {left, top, left + wide, top + tall})) return result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const float y = top + pad + row_height * static_cast<float>(i);
    const Rect line{left + pad, y, left + wide - pad, y + row_height};
    const std::string line_id = std::string(id) + "/" + std::to_string(i);
    const Hit on_line = control(line_id.c_str(), line, FocusKind::line, options[i].label);
    if (on_line.hovered) fill(line, theme::kHover, 4);
    const bool on = static_cast<int>(i) == chosen;
    if (on) focus_.begin_at(line_id);
    if (on) check({line.x0 + px(4), line.cy() - px(7), line.x0 + px(18), line.cy() + px(7)}, theme::kAccent);
    const float right = line.x1 - px(4), note = std::min(width(Type::body, options[i].note) + px(6), px(120));
    const float x = text_fitted(Type::body, line.x0 + px(24), right - (options[i].note.empty() ? 0 : note), line.y0,
                                line.height(), on || on_line.hovered ? theme::kText : theme::kText2, options[i].label);
    text_fitted(Type::body, x + px(6), right, line.y0, line.height(), on_line.hovered ? theme::kText2 : theme::kMuted,
                options[i].note);
    if (on_line.clicked) {
      result = static_cast<int>(i);
      close_popup();
    }
  }
  end_popup();
  return result;
}

bool Ui::radio(const char* id, const Rect& r, std::string_view label, bool chosen, const Tip& t) {
  const bool enabled = t.why_not.empty();
  const Hit h = control(id, r, FocusKind::radio, label);
  tip(id, h, r, t);
  const float x = r.x0 + px(8);
  disc(x, r.cy(), 7.5F, h.hovered && enabled ? theme::kHover : theme::kField);
  ring(x, r.cy(), 7.0F, chosen && enabled ? theme::kAccent : theme::kLine2, chosen ? 1.5F : 1.0F);
  if (chosen) disc(x, r.cy(), 3.5F, enabled ? theme::kAccent : theme::kDisabled);
  const ImU32 ink = !enabled ? theme::kDisabled : chosen || h.hovered ? theme::kText : theme::kText2;
  text_fitted(Type::body, r.x0 + px(24), r.x1, r.y0, r.height(), ink, label);
  return h.clicked && enabled && !chosen;
}

bool Ui::check_box(const char* id, const Rect& r, std::string_view label, bool on, const Tip& t) {
  const bool enabled = t.why_not.empty();
  const Hit h = control(id, r, FocusKind::button, label);
  tip(id, h, r, t);
  const float y = std::round(r.cy() - 0.5F * px(16));
  const Rect box{r.x0, y, r.x0 + px(16), y + px(16)};
  fill(box, on && enabled ? theme::kAccent : h.hovered && enabled ? theme::kHover : theme::kField, 3);
  if (!on || !enabled) outline(box, theme::kLine2, 3);
  if (on) check(box, enabled ? theme::kInk : theme::kDisabled);
  text(Type::body, r.x0 + px(24), r.y0, r.height(), enabled ? theme::kText : theme::kDisabled, label);
  return h.clicked && enabled;
}

void Ui::header(const char* id, Column& c, std::string_view title, std::string_view summary, bool& open,
                float link_width) {
  const Rect r = row(c, theme::kHeader, 0);
  const Hit h = control(id, {r.x0, r.y0, r.x1 - link_width, r.y1}, FocusKind::button, title);
  if (h.clicked) open = !open;
  chevron(r.x0 + px(4), r.cy(), open ? Direction::down : Direction::right, h.hovered ? theme::kText : theme::kMuted);
  const float end = text(Type::strong, r.x0 + px(16), r.y0, r.height(), theme::kText, title);
  const float right = r.x1 - link_width - (link_width > 0 ? px(8) : 0);
  const float room = right - end - px(12);
  if (summary.empty() || room < px(24)) return;
  const float x = std::max(right - width(Type::small, summary), end + px(12));
  text_fitted(Type::small, x, right + 1, r.y0, r.height(), theme::kMuted, summary);
}

float Ui::badge_width(const BadgeLook& look) const {
  const float k = look.large ? 1.4F : 1.0F;
  return width(look.large ? Type::large_strong : Type::badge, look.text) + px(16 * k) + (look.dot ? px(10 * k) : 0);
}

float Ui::badge(float x, float centre_y, const BadgeLook& look) const {
  const float k = look.large ? 1.4F : 1.0F;
  const float y = std::round(centre_y - 0.5F * px(20 * k));
  const Rect r{x, y, x + badge_width(look), y + px(20 * k)};
  if (look.ground != 0) {
    fill(r, look.ground, 4);
  } else {
    outline(r, look.ink, 4);
  }
  if (look.dot) disc(x + px(11 * k), r.cy(), 3 * k, look.ink);
  text(look.large ? Type::large_strong : Type::badge, x + px(8 * k) + (look.dot ? px(10 * k) : 0), r.y0, r.height(),
       look.ink, look.text);
  return r.x1;
}

}  // namespace echoloop
