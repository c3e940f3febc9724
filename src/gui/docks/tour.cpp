#include "gui/docks/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "source/phantom_list.h"

namespace echoloop {
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

// Beside the target where there is room, never over it unless it fills the window.
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
  const bool on_top = target.y1 < 0.1F * screen.y;  // what stands beside it there belongs to it
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
  ui.hit("tour_callout", box);  // behind its buttons: nothing below it is pressed
  ui.hit("tour_target", target);
  ui.end_callout();
  if (forth) go(1);
  if (previous) go(-1);
  if (skipped) end();
  return opened ? step.lesson : std::string_view();
}

}  // namespace echoloop
