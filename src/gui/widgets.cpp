// Buttons, segments, combos, radios, check boxes, headers, badges.
#include <algorithm>
#include <cmath>
#include <string>

#include "gui/ui.h"

namespace echoloop {

namespace {

// Of a choice whose parts lie side by side, by the keys for it.
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
  // Equal cells, or, where a label needs more, each as wide as its label and an equal share of the rest.
  float labels = 0;
  float widest = 0;
  for (const Choice& option : options) {
    labels += width(Type::body, option.label);
    widest = std::max(widest, width(Type::body, option.label));
  }
  const bool equal = widest + px(10) <= r.width() / n;
  float x = r.x0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const float own = equal ? r.width() / n : width(Type::body, options[i].label) + (r.width() - labels) / n;
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
    text_centred(Type::body, cell, ink, options[i].label);
    if (h.clicked && enabled && !on) result = static_cast<int>(i);
  }
  return result;
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
  const float room = r.x1 - px(26);
  const float end = text_fitted(Type::body, r.x0 + px(10), room, r.y0, r.height(), ink, shown.label);
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
  wide = std::min(wide, std::max(r.width(), px(420)));  // a recording's name may be long
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
    const float note = options[i].note.empty() ? 0 : width(Type::body, options[i].note) + px(6);
    const float x = text_fitted(Type::body, line.x0 + px(24), line.x1 - px(4) - note, line.y0, line.height(),
                                on || on_line.hovered ? theme::kText : theme::kText2, options[i].label);
    text(Type::body, x + px(6), line.y0, line.height(), on_line.hovered ? theme::kText2 : theme::kMuted,
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

void Ui::header(const char* id, Column& c, std::string_view title, std::string_view gist, bool& open,
                float link_width) {
  const Rect r = row(c, theme::kHeader, 0);
  const Hit h = control(id, {r.x0, r.y0, r.x1 - link_width, r.y1}, FocusKind::button, title);
  if (h.clicked) open = !open;
  chevron(r.x0 + px(4), r.cy(), open ? Direction::down : Direction::right, h.hovered ? theme::kText : theme::kMuted);
  const float end = text(Type::strong, r.x0 + px(16), r.y0, r.height(), theme::kText, title);
  const float right = r.x1 - link_width - (link_width > 0 ? px(8) : 0);
  const float room = right - end - px(12);
  if (gist.empty() || room < px(24)) return;
  const float x = std::max(right - width(Type::small, gist), end + px(12));
  text_fitted(Type::small, x, right + 1, r.y0, r.height(), theme::kMuted, gist);
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
