// Step of a lesson: text, checks with the values found, buttons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.h"

namespace echoloop {
namespace {

// Draws a check with a disc if it holds, a ring otherwise.
void draw_check(const Ui& ui, const Rect& r, const LessonLine& line, Type type) {
  const float x = r.x0 + ui.px(7);
  if (line.held) {
    ui.disc(x, r.cy(), 6, theme::kAccent);
  } else {
    ui.ring(x, r.cy(), 5.5F, theme::kText2, 1.25F);
  }
  const float found = ui.width(type, line.found);
  ui.text_right(type, r.x1, r.y0, r.height(), line.held ? theme::kText : theme::kText2, line.found);
  ui.text_fitted(type, r.x0 + ui.px(20), r.x1 - found - ui.px(8), r.y0, r.height(), theme::kText2, line.check);
}

struct LessonButton {
  const char* id;
  std::string_view label, help;
  LessonAct act;
};
constexpr std::array<LessonButton, 4> kButtons = {
    {{"lesson/back", "Back", "The step before.", LessonAct::back},
     {"lesson/set_up", "Set up", "The situation of this step again.", LessonAct::set_up},
     {"lesson/show", "Show", "Applies a solution.", LessonAct::show},
     {"lesson/next", "Next", "The next step.", LessonAct::next}}};

void draw_buttons(PanelContext& c, const Rect& r) {
  const LessonView& lesson = c.model.lesson;
  const float gap = c.ui.px(6), width = (r.width() - 3 * gap) / static_cast<float>(kButtons.size());
  float x = r.x0;
  for (const LessonButton& button : kButtons) {
    const bool first = button.act == LessonAct::back && lesson.step <= 1;
    const bool last = button.act == LessonAct::next && lesson.step >= lesson.steps;
    const bool primary = button.act == LessonAct::next && lesson.done;
    const std::string help =
        button.act == LessonAct::show ? std::string(button.help) + " " + lesson.hint : std::string(button.help);
    if (c.ui.button(button.id, {std::round(x), r.y0, std::round(x + width), r.y1},
                    {.label = button.label, .emphasis = primary ? Emphasis::primary : Emphasis::plain},
                    {button.label, help,
                     first  ? "This is the first step."
                     : last ? "This is the last step."
                            : ""})) {
      c.commands.send(command::LessonStep{button.act});
    }
    x += width + gap;
  }
}

void draw_close(PanelContext& c, float right, float y) {
  const Rect close{right - c.ui.px(22), y, right, y + c.ui.px(22)};
  if (c.ui.icon_button("lesson/close", close, {"Close", "Ends the lesson; the settings stay.", {}}))
    c.commands.send(command::LessonStep{LessonAct::close});
  c.ui.cross(close.cx(), close.cy(), theme::kText2);
}

}  // namespace

void lesson_card(PanelContext& c, Column& column) {
  const LessonView& lesson = c.model.lesson;
  Ui& ui = c.ui;
  const float pad = ui.px(12), line = ui.px(18), inner = column.x1 - column.x0 - 2 * pad + ui.px(8);
  const float text = ui.paragraph_height(Type::body, inner, line, lesson.text);
  const float title = ui.paragraph_height(Type::strong, inner, line, lesson.step_title);
  const float checks = ui.px(22) * static_cast<float>(lesson.lines.size());
  const float height = ui.px(34) + title + text + checks + ui.px(54);
  column.y += ui.px(8);
  const Rect card = ui.row(column, height / ui.scale(), 9).inset(-ui.px(4));
  ui.fill(card, theme::kCanvas, 6);
  ui.outline(card, lesson.done ? theme::kAccent : theme::kLine2, 6);
  const float x = card.x0 + pad;
  draw_close(c, card.x1 - ui.px(8), card.y0 + ui.px(8));
  ui.text_fitted(Type::small, x, card.x1 - ui.px(36), card.y0 + ui.px(8), ui.px(22), theme::kMuted,
                 fmt::format("{}, step {} of {}", lesson.title, lesson.step, lesson.steps));
  float y = card.y0 + ui.px(34);
  y += ui.paragraph(Type::strong, x, y, inner, line, theme::kText, lesson.step_title);
  y += ui.paragraph(Type::body, x, y, inner, line, theme::kText2, lesson.text) + ui.px(4);
  for (const LessonLine& check : lesson.lines) {
    draw_check(ui, {x, y, x + inner, y + ui.px(22)}, check, Type::body);
    y += ui.px(22);
  }
  draw_buttons(c, {x, y + ui.px(8), x + inner, y + ui.px(8 + theme::kRow)});
}

float lesson_strip(PanelContext& c, const Rect& area) {
  const LessonView& lesson = c.model.lesson;
  if (lesson.title.empty()) return area.y0;
  Ui& ui = c.ui;
  constexpr float kLow = 780, kOneRow = 48;  // at scale 1
  if (area.height() < ui.px(kLow)) {         // heading, checks that do not hold yet, buttons; the text is the tooltip
    const Rect r{area.x0, area.y0 + ui.px(6), area.x1, area.y0 + ui.px(6 + kOneRow)};
    ui.fill(r, theme::kCanvas, 6);
    ui.outline(r, lesson.done ? theme::kAccent : theme::kLine2, 6);
    const Rect buttons{r.x1 - ui.px(330), r.y0 + ui.px(8), r.x1 - ui.px(44), r.y1 - ui.px(8)};
    const Rect words{r.x0 + ui.px(14), r.y0, buttons.x0 - ui.px(16), r.y1};
    ui.hit("lesson/text", words, {lesson.step_title, lesson.text, {}});
    const float half = std::round(words.cx());
    ui.text_fitted(Type::medium, words.x0, half - ui.px(12), r.y0, r.height(), theme::kText,
                   fmt::format("{}/{}  {}", lesson.step, lesson.steps, lesson.step_title));
    const auto open = std::ranges::find(lesson.lines, false, &LessonLine::held);
    if (!lesson.lines.empty())
      draw_check(ui, {half, r.y0, words.x1, r.y1}, open != lesson.lines.end() ? *open : lesson.lines.back(),
                 Type::medium);
    draw_buttons(c, buttons);
    draw_close(c, r.x1 - ui.px(8), r.y0 + ui.px(13));
    return r.y1;
  }
  const float pad = ui.px(16), line = ui.px(21);
  const float left = std::round(0.58F * area.width()) - 2 * pad;
  const float text = ui.paragraph_height(Type::medium, left, line, lesson.text);
  const float checks = ui.px(26) * static_cast<float>(lesson.lines.size());
  const float height = std::max(ui.px(34) + text, checks + ui.px(50)) + ui.px(10);
  const Rect card{area.x0, area.y0 + ui.px(8), area.x1, area.y0 + ui.px(8) + height};
  ui.fill(card, theme::kCanvas, 6);
  ui.outline(card, lesson.done ? theme::kAccent : theme::kLine2, 6);
  const float x = card.x0 + pad;
  ui.text_fitted(Type::large_strong, x, x + left, card.y0 + ui.px(6), ui.px(28), theme::kText,
                 fmt::format("{}/{}  {}", lesson.step, lesson.steps, lesson.step_title));
  ui.paragraph(Type::medium, x, card.y0 + ui.px(34), left, line, theme::kText2, lesson.text);
  draw_close(c, card.x1 - ui.px(8), card.y0 + ui.px(8));
  const Rect right{x + left + 2 * pad, card.y0 + ui.px(8), card.x1 - ui.px(44), card.y1 - ui.px(8)};
  float y = right.y0;
  for (const LessonLine& check : lesson.lines) {
    draw_check(ui, {right.x0, y, right.x1, y + ui.px(26)}, check, Type::medium);
    y += ui.px(26);
  }
  draw_buttons(c, {right.x0, right.y1 - ui.px(32), right.x1, right.y1});
  return card.y1;
}

}  // namespace echoloop
