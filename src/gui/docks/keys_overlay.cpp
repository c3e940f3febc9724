#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/docks/docks.h"
#include "gui/toolkit/theme.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

struct Group {
  std::string_view name;
  std::vector<const KeyHelp*> rows;
};

// Groups the rows; rows of one group may be anywhere in the table.
std::vector<Group> groups(std::span<const KeyHelp> rows) {
  std::vector<Group> all;
  for (const KeyHelp& help : rows) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Group& g) { return g.name == help.group; });
    if (found == all.end()) found = all.insert(all.end(), {help.group, {}});
    found->rows.push_back(&help);
  }
  return all;
}

constexpr float kLeast = 880, kSide = 20, kBetween = 24;  // of the overlay, at scale 1
constexpr float kHead = 1.2F;                             // height of a group's name, in rows
float rows_of(const Group& group) { return static_cast<float>(group.rows.size()) + kHead; }

// Returns the first group of the second column for the shortest possible longer column.
std::size_t split(const std::vector<Group>& all) {
  float whole = 0;
  for (const Group& g : all) whole += rows_of(g);
  std::size_t best = all.size();
  float best_length = whole, left = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    left += rows_of(all[i]);
    if (const float longer = std::max(left, whole - left); longer < best_length) {
      best_length = longer;
      best = i + 1;
    }
  }
  return best;
}

// Returns a note if the window is too small for the requested scale.
std::string limit_text(const Ui& ui, float wanted, float room) {
  constexpr float kNear = 0.005F;
  if (wanted < ui.scale() + kNear) return {};
  for (const std::string& text : {fmt::format("limited to {:.0f} % by the window size", 100.0F * ui.scale()),
                                  std::string("limited by the window")}) {
    if (ui.width(Type::small, text) <= room) return text;
  }
  return {};
}

// Draws smaller, the current scale (a click resets it), larger; at the right end of r.
std::optional<float> scale_row(Ui& ui, const Rect& r, float wanted_scale) {
  const float side = r.height(), wide = ui.px(72), gap = ui.px(4);
  const Rect up{r.x1 - side, r.y0, r.x1, r.y1};
  const Rect value{up.x0 - gap - wide, r.y0, up.x0 - gap, r.y1};
  const Rect down{value.x0 - gap - side, r.y0, value.x0 - gap, r.y1};
  const float label = ui.width(Type::body, "Interface scale");
  const float left = down.x0 - ui.px(12) - label;
  ui.text(Type::body, left, r.y0, r.height(), theme::kText2, "Interface scale");
  const std::string limit = limit_text(ui, wanted_scale, left - ui.px(12) - r.x0);
  if (!limit.empty()) {
    const float width = ui.width(Type::small, limit);
    const Rect at{left - ui.px(12) - width, r.y0, left - ui.px(12), r.y1};
    ui.text(Type::small, at, theme::kMuted, limit);
    ui.hit("scale_limit", at);
  }
  const std::string percent = fmt::format("{:.0f} %", 100.0F * ui.scale());
  std::optional<float> wanted;
  if (ui.button("scale_down", down, {.label = "−"}, {"Smaller interface", "Ctrl and −.", {}})) {
    wanted = next_scale(ui.scale(), -1);
  }
  if (ui.button("scale_default", value, {.label = percent},
                {"Interface scale", "Scale of the monitor (Ctrl+0).", {}})) {
    wanted = 0.0F;
  }
  if (ui.button("scale_up", up, {.label = "+"}, {"Larger interface", "Ctrl and +.", {}})) {
    wanted = next_scale(ui.scale(), 1);
  }
  return wanted;
}

// Widths of a column of rows: keys, then their effects.
struct RowWidths {
  float key = 0, what = 0;
  Type type = Type::body;
};

RowWidths row_widths(const Ui& ui, std::span<const KeyHelp> rows, Type type) {
  RowWidths w{.type = type};
  for (const KeyHelp& help : rows) {
    w.key = std::max(w.key, ui.width(type, help.key) + ui.px(16));
    w.what = std::max(w.what, ui.width(type, help.what));
  }
  return w;
}

void draw_rows(Ui& ui, const Rect& box, float row, const std::vector<Group>& all, const RowWidths& widths) {
  const std::size_t second = split(all);
  const float column = std::round(0.5F * (box.width() - ui.px(kBetween)));
  float y = box.y0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == second) y = box.y0;
    const float x = box.x0 + (i < second ? 0 : column + ui.px(kBetween));
    ui.text(Type::small, x, y + 0.2F * row, row, theme::kMuted, all[i].name);
    y += kHead * row;
    for (const KeyHelp* help : all[i].rows) {
      const float what = x + widths.key, end = what + ui.width(widths.type, help->what);
      ui.text(widths.type, x, y, row, theme::kText, help->key);
      ui.text_fitted(widths.type, what, x + column, y, row, theme::kText2, help->what);
      ui.hit(("key/" + std::string(help->key)).c_str(), {x, y, end, y + row});
      y += row;
    }
  }
}

// Draws the buttons at the left end of `foot`; moves its left end past the last one.
OverlayRequests program_buttons(Ui& ui, Rect& foot, ManualButton manual) {
  const auto button = [&](const char* id, float width, const char* label, const Tip& tip) {
    const Rect r{foot.x0, foot.y0, foot.x0 + ui.px(width), foot.y1};
    foot.x0 = r.x1 + ui.px(8);
    return ui.button(id, r, {.label = label}, tip);
  };
  OverlayRequests requests;
  requests.tour = button("tour_again", 100, "Show tour", {});
  if (manual == ManualButton::shown) {
    requests.manual =
        button("open_manual", 78, "Manual", {"Manual", "Opens the installed manual, one page a topic.", {}});
  }
  requests.about = button("about_program", 72, "About", {"About", "Version, licence and sandbox.", {}});
  return requests;
}

}  // namespace

OverlayRequests draw_keys_overlay(Ui& ui, std::span<const KeyHelp> keys, float wanted_scale, ManualButton manual,
                                  Motion& motion) {
  const std::vector<Group> all = groups(keys);
  const std::size_t second = split(all);
  std::array<float, 2> lengths{};
  for (std::size_t i = 0; i < all.size(); ++i) lengths[i < second ? 0 : 1] += rows_of(all[i]);
  const float rows = std::max(lengths[0], lengths[1]);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float head = ui.px(48), foot = ui.px(56);
  const float row = std::round(std::min(ui.px(24), (screen.y - ui.px(16) - head - foot) / rows));
  // Fits the width to the rows; narrow windows have smaller text.
  const float most = screen.x - ui.px(16);
  const auto wide = [&](const RowWidths& r) { return std::ceil(2 * (r.key + r.what)) + ui.px(kBetween + 2 * kSide); };
  RowWidths widths = row_widths(ui, keys, Type::body);
  if (wide(widths) > most) widths = row_widths(ui, keys, Type::small);
  const float w = std::min(std::max(ui.px(kLeast), wide(widths)), most);
  const float h = head + std::ceil(row * rows) + foot;
  const float x0 = std::round(0.5F * (screen.x - w));
  const float y0 = std::round(std::max(ui.px(4), 0.5F * (screen.y - h)));
  const Rect box{x0, y0, x0 + w, y0 + h};
  if (!ui.begin_popup(kKeysOverlay, box, theme::kPanel)) return {};
  ui.text(Type::strong, box.x0 + ui.px(kSide), box.y0 + ui.px(12), ui.px(24), theme::kText, "Keys");
  draw_rows(ui, {box.x0 + ui.px(kSide), box.y0 + head, box.x1 - ui.px(kSide), box.y1 - foot}, row, all, widths);
  const Rect close{box.x1 - ui.px(36), box.y0 + ui.px(10), box.x1 - ui.px(12), box.y0 + ui.px(34)};
  if (ui.icon_button("close_keys", close, {"Close   Esc", {}, {}})) ui.close_popup();
  ui.cross(close.cx(), close.cy(), theme::kText2);
  const float motion_x = close.x0 - ui.px(44) - ui.width(Type::body, "Motion");
  if (ui.check_box("motion", {motion_x, close.y0, close.x0 - ui.px(12), close.y1}, "Motion", motion == Motion::on,
                   {"Motion", "Zoom, panels and the touch strip move to their new place in 120 ms.", {}})) {
    motion = motion == Motion::on ? Motion::off : Motion::on;
  }
  Rect bottom{box.x0 + ui.px(kSide), box.y1 - ui.px(44), box.x1 - ui.px(kSide), box.y1 - ui.px(16)};
  OverlayRequests requests = program_buttons(ui, bottom, manual);
  requests.scale = scale_row(ui, {bottom.x0 + ui.px(8), bottom.y0, bottom.x1, bottom.y1}, wanted_scale);
  if (requests.tour || requests.about || requests.manual) ui.close_popup();
  ui.end_popup();
  return requests;
}

std::string keys_markdown_table(std::span<const KeyHelp> keys) {
  std::string text = "| | key | action |\n|---|---|---|\n";
  for (const Group& group : groups(keys)) {
    for (const KeyHelp* help : group.rows) {
      const bool first = help == group.rows.front();
      text += "| " + std::string(first ? group.name : "") + " | " + std::string(help->key) + " | " +
              std::string(help->what) + " |\n";
    }
  }
  return text;
}

namespace {

const std::string kFirstPhantom = "phantom/" + std::string(phantoms().front().title);

const std::array<TourStep, 7> kSteps = {{
    {"Image and status",
     "The badge shows LIVE, REPLAY, FROZEN, STILL (one frame) or FAULT, for a scanner also WAITING or NO SENDER, next "
     "to frame rate, latency and lost frames. The settings used are listed below the image.",
     {"state_badge", "state_badge"}},
    {"Open data",
     "Choose a phantom, press Open, or drop a file of channel data on the window. Recent lists recordings opened "
     "before.",
     {kFirstPhantom.c_str(), "recent"},
     "panel_source"},
    {"Adjust settings",
     "Drag a slider: the image follows. Ctrl-click to type a value, right-click to reset, Ctrl+Z to undo. Keys 1 to 9 "
     "load presets.",
     {"sound_speed_m_s", "f_number"},
     "panel_formation"},
    {"Freeze and review",
     "Space freezes. Then drag this strip or press ← and → to step through the history; all settings apply to history "
     "frames too.",
     {"cine_track", "freeze"}},
    {"Measure",
     "Draw distances, angles and regions on the image; marks keep their position in mm. The pointer shows position and "
     "level.",
     {"tool/pointer", "tool/outline"}},
    {"A dark region that is no cyst",
     "Adaptive methods darken echoes on which the channels disagree. The example has tissue of known level beside a "
     "bright point: dark by the coherence factor, bright by delay-and-sum. X compares both; gCNR and the slope show "
     "the difference.",
     {"compare", "compare"},
     "cine_track",
     "dark-region.echoloop.json"},
    {"Save and record",
     "S saves the image, R starts and stops recording of raw frames. F1 lists all keys.",
     {"picture_button", "record"}},
}};

constexpr float kWide = 340;
constexpr float kArrow = 9;

enum class CardSide { right, left, above, below };

struct Callout {
  Rect box;
  CardSide side = CardSide::right;  // of the target
};

// Places the callout next to the target if possible, never over it unless the target fills the window.
Callout place(const Rect& target, float w, float h, float gap) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const auto fit = [](float v, float size, float whole) {
    return std::clamp(v, 8.0F, std::max(8.0F, whole - size - 8));
  };
  const float x = fit(target.cx() - 0.5F * w, w, screen.x);
  const float y = fit(target.cy() - 0.5F * h, h, screen.y);
  const auto at = [&](CardSide side, float left, float top) {
    left = std::round(left);
    top = std::round(top);
    return Callout{{left, top, left + w, top + h}, side};
  };
  const bool on_top = target.y1 < 0.1F * screen.y;  // controls next to it there belong to it
  if (on_top) return at(CardSide::below, x, target.y1 + gap);
  const bool small = target.width() < 0.5F * screen.x;
  if (small && target.x1 + gap + w < screen.x) return at(CardSide::right, target.x1 + gap, y);
  if (target.y0 - gap - h > 0) return at(CardSide::above, x, target.y0 - gap - h);
  if (target.y1 + gap + h < screen.y) return at(CardSide::below, x, target.y1 + gap);
  if (target.x0 - gap - w > 0) return at(CardSide::left, target.x0 - gap - w, y);
  return at(CardSide::right, fit(target.cx() - 0.5F * w, w, screen.x), fit(target.y1 - h - gap, h, screen.y));
}

void draw_arrow(const Ui& ui, const Callout& c, const Rect& target) {
  const float size = ui.px(kArrow);
  const float x = std::clamp(target.cx(), c.box.x0 + 2 * size, c.box.x1 - 2 * size);
  const float y = std::clamp(target.cy(), c.box.y0 + 2 * size, c.box.y1 - 2 * size);
  switch (c.side) {
    case CardSide::right:
      return ui.triangle(c.box.x0 - size, y, Direction::left, theme::kAccent, kArrow);
    case CardSide::left:
      return ui.triangle(c.box.x1 + size, y, Direction::right, theme::kAccent, kArrow);
    case CardSide::above:
      return ui.triangle(x, c.box.y1 + size, Direction::down, theme::kAccent, kArrow);
    case CardSide::below:
      return ui.triangle(x, c.box.y0 - size, Direction::up, theme::kAccent, kArrow);
  }
}

}  // namespace

std::span<const TourStep> tour_steps() { return kSteps; }

void Tour::go(int by) {
  step_ = std::max(0, step_ + by);
  if (step_ >= static_cast<int>(kSteps.size())) end();
}

bool Tour::take_key(const KeyPress& press) {
  if (!running() || !shown_ || press.control) return false;
  switch (press.key) {
    case Key::enter:
    case Key::right:
      go(1);
      return true;
    case Key::left:
      go(-1);
      return true;
    case Key::escape:
      end();
      return true;
    default:
      return false;
  }
}

Rect Tour::target_of(const Ui& ui, const Rect& picture) const {
  const TourStep& step = kSteps[static_cast<std::size_t>(step_)];
  Rect all;
  for (const char* id : {step.targets[0], step.targets[1]}) {
    const Rect r = ui.rect_of(id);
    if (r.width() <= 0) continue;
    all = all.width() <= 0
              ? r
              : Rect{std::min(all.x0, r.x0), std::min(all.y0, r.y0), std::max(all.x1, r.x1), std::max(all.y1, r.y1)};
  }
  if (all.width() <= 0) all = ui.rect_of(step.otherwise);
  if (all.width() > 0) return all;
  return picture;
}

std::string_view Tour::draw(Ui& ui, const Rect& picture) {
  if (!running()) return {};
  shown_ = true;
  const TourStep& step = kSteps[static_cast<std::size_t>(step_)];
  const Rect target = target_of(ui, picture);
  const float pad = ui.px(16), line = ui.px(20);
  const float w = std::min(ui.px(kWide), ImGui::GetIO().DisplaySize.x - 16);
  const float text = ui.paragraph_height(Type::body, w - 2 * pad, line, step.text);
  const float h = pad + ui.px(26) + text + ui.px(14 + theme::kRow) + pad;
  const Callout callout = place(target, w, h, ui.px(kArrow + 6));
  if (!ui.begin_callout("tour", callout.box)) return {};
  const Rect& box = callout.box;
  ImDrawList* inside = ui.swap_list(ImGui::GetForegroundDrawList());
  ui.outline(target.inset(-ui.px(4)), theme::kAccent, theme::kRadius, 2);
  draw_arrow(ui, callout, target);
  ui.swap_list(inside);
  float y = box.y0 + pad - ui.px(2);
  ui.text(Type::strong, box.x0 + pad, y, ui.px(22), theme::kText, step.title);
  ui.text_right(Type::small, box.x1 - pad, y, ui.px(22), theme::kMuted,
                fmt::format("{} of {}", step_ + 1, kSteps.size()));
  y += ui.px(26);
  ui.paragraph(Type::body, box.x0 + pad, y, w - 2 * pad, line, theme::kText2, step.text);
  const float top = box.y1 - pad - ui.px(theme::kRow), bottom = box.y1 - pad;
  const bool last = step_ + 1 == static_cast<int>(kSteps.size());
  const auto button = [&](float x1, float wide) { return Rect{x1 - ui.px(wide), top, x1, bottom}; };
  const Rect next = button(box.x1 - pad, 96), back = button(next.x0 - ui.px(8), 76);
  const Rect example{box.x0 + pad, top, box.x0 + pad + ui.px(108), bottom};
  const bool opened = !step.lesson.empty() && ui.button("tour_lesson", example, {.label = "Open example"}, {});
  const bool forth = ui.button(
      "tour_next", next, {.label = last ? "Done" : "Next", .shortcut = "Enter", .emphasis = Emphasis::primary}, {});
  const bool previous = step_ > 0 && ui.button("tour_back", back, {.label = "Back", .shortcut = "←"}, {});
  const float skip = ui.width(Type::body, "Skip") + ui.width(Type::small, "Esc") + ui.px(8);
  const bool skipped = !last && step.lesson.empty() &&
                       ui.link("tour_skip", {box.x0 + pad, top, box.x0 + pad + skip, bottom}, "Skip", "Esc", {});
  ui.hit("tour_callout", box);  // below its buttons: blocks clicks on controls under it
  ui.hit("tour_target", target);
  ui.end_callout();
  if (forth) go(1);
  if (previous) go(-1);
  if (skipped) end();
  return opened ? step.lesson : std::string_view();
}

}  // namespace echoloop
