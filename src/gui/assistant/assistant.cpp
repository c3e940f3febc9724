#include "gui/assistant/assistant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kTwoColumnsBelow = 1160;  // of the window's logical width

void draw_assistant_bar(const AssistantScene& c, const Rect& r) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  ui.focus().enter(WindowPart::status);
  float x = ui.text_fitted(Type::strong, r.x0 + ui.px(16), r.x0 + ui.px(236), r.y0, r.height(), theme::kText,
                           import.file_name) +
            ui.px(16);
  ui.vertical(x, r.cy() - ui.px(9), r.cy() + ui.px(9), theme::kLine2);
  x += ui.px(16);
  if (!c.state.device.backend.empty()) x = ui.badge(x, r.cy(), {.text = c.state.device.backend}) + ui.px(12);
  x = ui.badge(x, r.cy(), {.text = "IMPORT", .ink = theme::kAccent}) + ui.px(12);
  const ImportPreview& p = import.preview;
  const auto word = [&](Type type, ImU32 ink, const std::string& text) {
    x = ui.text(type, x, r.y0, r.height(), ink, text) + ui.px(5);
  };
  if (p.n_frames > 0) {
    word(Type::body, theme::kText2, fmt::format("preview frame {} of", p.frame + 1));
    word(Type::strong, theme::kText, grouped(p.n_frames));
    x += ui.px(10);
  }
  if (p.busy) {
    word(Type::body, theme::kText2, "updating");
  } else if (p.image != nullptr) {
    word(Type::body, theme::kText2, "updated in");
    word(Type::strong, theme::kText, fixed(p.took_ms, 0));
    word(Type::body, theme::kMuted, "ms");
  }
  const std::string help = "Help";
  ui.text_right(Type::small, r.x1 - ui.px(16), r.y0, r.height(), theme::kMuted, "F1");
  ui.text_right(Type::body, r.x1 - ui.px(38), r.y0, r.height(), theme::kText2, help);
}

}  // namespace

void Assistant::draw(const AssistantScene& c, const Rect& bar, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (file_ != import.file_name) {
    file_ = import.file_name;
    choice_ = {};
    contents_ = {};
    fields_ = {};
    preview_.begin(import.raw.on ? AssistantPreview::Of::bytes : AssistantPreview::Of::arrays);
  }
  choice_.places.clear();
  const float logical = area.width() / ui.scale();
  choice_.narrow = logical < kTwoColumnsBelow;
  const float contents = choice_.narrow ? 0.0F : std::round(ui.px(std::clamp(0.2625F * logical, 320.0F, 420.0F)));
  const float described = std::round(ui.px(choice_.narrow ? 400.0F : std::clamp(0.3F * logical, 400.0F, 440.0F)));
  const Rect left{area.x0, area.y0, area.x0 + contents, area.y1};
  const Rect middle{left.x1, area.y0, left.x1 + described, area.y1};
  const Rect right{middle.x1, area.y0, area.x1, area.y1};
  ui.fill(area, theme::kPanel);
  ui.fill(right, theme::kCanvas);
  draw_assistant_bar(c, bar);
  ui.focus().enter(WindowPart::left);
  if (!choice_.narrow) contents_.draw(c, choice_, left);
  ui.focus().enter(WindowPart::picture);
  fields_.draw(c, choice_, middle);
  ui.focus().enter(WindowPart::right);
  if (choice_.narrow && choice_.contents_open) {
    ui.fill(right, theme::kPanel);
    contents_.draw(c, choice_, {right.x0, right.y0, std::min(right.x1, right.x0 + ui.px(420)), right.y1});
  } else {
    preview_.draw(c, right);
  }
  for (const float x : {left.x1, middle.x1}) ui.vertical(x, area.y0, area.y1, theme::kEdge);
  drop(c);
}

bool Assistant::take_key(const AssistantScene& c, const KeyPress& press) {
  const ImportState& import = c.import();
  if (press.control) {
    switch (press.key) {
      case Key::s:
        c.order({.act = ImportAct::save});
        return true;
      case Key::z:
      case Key::y:
        c.order({.act = press.key == Key::y || press.shift ? ImportAct::redo : ImportAct::undo});
        return true;
      case Key::f:
        choice_.focus_filter = true;
        if (choice_.narrow) choice_.contents_open = true;
        return true;
      default:
        return false;
    }
  }
  if (press.key == Key::enter && c.ui.focus().focused() == nullptr) {
    c.order({.act = ImportAct::save});
    return true;
  }
  constexpr std::pair<Key, const char*> kRoles[] = {{Key::t, "time"},  {Key::e, "element"}, {Key::x, "transmit"},
                                                    {Key::f, "frame"}, {Key::l, "line"},    {Key::i, "iq"}};
  for (const auto& [key, role] : kRoles) {
    if (key != press.key || choice_.axis >= import.axes.size()) continue;
    c.order({.act = ImportAct::role, .text = role, .index = import.axes[choice_.axis].index});
    return true;
  }
  return false;
}

// What the mouse let go of: a name onto a field, a role onto an axis.
void Assistant::drop(const AssistantScene& c) {
  Ui& ui = c.ui;
  if (choice_.drag.entry.empty() && choice_.drag.role.empty()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  choice_.drag.moving =
      choice_.drag.moving || std::hypot(mouse.x - choice_.drag.x, mouse.y - choice_.drag.y) > ui.px(4);
  if (choice_.drag.moving) {
    const std::string& name = choice_.drag.entry.empty() ? choice_.drag.role : choice_.drag.entry;
    const Rect chip{mouse.x + ui.px(8), mouse.y + ui.px(4), mouse.x + ui.px(28) + ui.width(Type::body, name),
                    mouse.y + ui.px(32)};
    ui.fill(chip, theme::kSelected, theme::kRadius);
    ui.outline(chip, theme::kAccent, theme::kRadius);
    ui.text_centred(Type::body, chip, theme::kText, name);
  }
  const AssistantDrop* over = nullptr;
  for (const AssistantDrop& place : choice_.places) {
    const bool fits = place.field.empty() == choice_.drag.entry.empty();
    if (fits && place.where.contains(mouse.x, mouse.y)) over = &place;
  }
  if (over != nullptr && choice_.drag.moving)
    ui.outline(over->where.inset(-ui.px(2)), theme::kAccent, theme::kRadius + 1);
  if (ImGui::IsMouseDown(0)) return;
  if (choice_.drag.moving && over != nullptr && over->field.empty()) {
    c.order({.act = ImportAct::role, .text = choice_.drag.role, .index = over->axis});
  } else if (choice_.drag.moving && over != nullptr) {
    c.order({.act = ImportAct::answer, .id = over->field, .text = choice_.drag.entry});
  }
  choice_.drag = {};
}

}  // namespace echoloop
