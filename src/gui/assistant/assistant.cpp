#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "gui/assistant/assistant_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kTwoColumnsBelow = 1160;  // in logical width of the window

void draw_assistant_bar(const AssistantScene& c, const Rect& r) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  ui.focus().enter(WindowPart::status);
  float x = ui.text_fitted(Type::strong, r.x0 + ui.px(16), r.x0 + ui.px(236), r.y0, r.height(), theme::kText,
                           import.file_name) +
            ui.px(16);
  ui.vertical(x, r.cy() - ui.px(9), r.cy() + ui.px(9), theme::kLine2);
  x += ui.px(16);
  if (!c.model.device.backend.empty()) x = ui.badge(x, r.cy(), {.text = c.model.device.backend}) + ui.px(12);
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

// Completes a drag: a name to a field, a role to an axis.
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

namespace {

// Returns divisors between 1 and n, the smallest first; at most kMostListed.
std::vector<std::size_t> divisors(std::size_t n) {
  constexpr std::size_t kMostTried = 100'000, kMostListed = 28;
  std::vector<std::size_t> small, large;
  for (std::size_t d = 2; d <= kMostTried && d <= n / d; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  if (small.size() > kMostListed) small.resize(kMostListed);
  return small;
}

}  // namespace

// Draws buttons that divide the marked axis of raw bytes, or join it with the next faster one. Shortens `row`.
void draw_shape_buttons(const AssistantScene& c, const AssistantChoice& choice, Rect& row) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (choice.axis >= import.axes.size()) return;
  const ImportAxis& axis = import.axes[choice.axis];
  const Rect join{row.x1 - ui.px(60), row.y0, row.x1, row.y1};
  const Rect divide{join.x0 - ui.px(84), row.y0, join.x0 - ui.px(6), row.y1};
  row.x1 = divide.x0 - ui.px(6);
  constexpr std::size_t kMostAxes = 5;
  const std::vector<std::size_t> faster = divisors(axis.length);
  std::vector<std::string> products;
  for (const std::size_t n : faster) products.push_back(fmt::format("{} × {}", n, axis.length / n));
  const std::vector<Choice> choices(products.begin(), products.end());
  const std::string_view why = import.axes.size() == kMostAxes ? "A file has five axes at most."
                               : choices.empty()               ? "The length of the marked axis has no divisors."
                                                               : std::string_view();
  ui.fill(divide, theme::kField, theme::kRadius);
  const ImU32 ink = why.empty() ? theme::kText2 : theme::kMuted;
  ui.text(Type::body, divide.x0 + ui.px(10), divide.y0, divide.height(), ink, "Divide");
  ui.chevron(divide.x1 - ui.px(12), divide.cy(), Direction::down, theme::kMuted);
  if (const auto picked =
          ui.menu("import/divide", divide, choices, -1,
                  {"Divide the marked axis", "Faster × slower: elements × transmits, transmits × frames.", why}))
    c.order({.act = ImportAct::divide, .index = axis.index, .length = faster[static_cast<std::size_t>(*picked)]});
  if (ui.button("import/join", join, {.label = "Join"},
                {"Join the marked axis with the one at its left", "One axis as long as both.",
                 choice.axis == 0 ? "The first axis has no left neighbour." : std::string_view()}))
    c.order({.act = ImportAct::join, .index = axis.index});
}

namespace {

void order_raw(const AssistantScene& c, const char* key, std::string_view value) {
  c.order({.act = ImportAct::raw, .id = key, .text = std::string(value)});
}

// Draws the start of a row; returns the rest of it.
Rect draw_raw_label(Ui& ui, Column& column, const char* label) {
  Rect r = ui.row(column, 30, 2);
  ui.ring(r.x0 + ui.px(5), r.cy(), 4.5F, theme::kAccent, 1.5F);
  ui.text(Type::body, r.x0 + ui.px(kFieldIndent), r.y0, r.height(), theme::kText2, label);
  r.x0 += ui.px(kFieldLabel + 18);
  return r;
}

// Shortens `row` by a square for the chevron of a menu; returns the square.
Rect cut_chevron(const Ui& ui, Rect& row) {
  const Rect square{row.x1 - ui.px(26), row.y0, row.x1, row.y1};
  row.x1 = square.x0 - ui.px(4);
  return square;
}

// Returns the index of `label`; -1: none.
int index_of(std::span<const Choice> choices, std::string_view label) {
  const auto at = std::ranges::find(choices, label, &Choice::label);
  return at == choices.end() ? -1 : static_cast<int>(at - choices.begin());
}

void draw_raw_type(const AssistantScene& c, Column& column) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  std::vector<std::string> common{"int16", "uint16", "int8", "float32"};
  if (std::ranges::find(common, raw.dtype) == common.end()) common.push_back(raw.dtype);
  const std::vector<Choice> segments(common.begin(), common.end()), all(raw.types.begin(), raw.types.end());
  Rect type = draw_raw_label(ui, column, "Type");
  const Rect more = cut_chevron(ui, type);
  if (const auto picked =
          ui.segmented("import/dtype", type, segments, index_of(segments, raw.dtype), {"Type", "Of one value.", {}}))
    order_raw(c, "dtype", common[static_cast<std::size_t>(*picked)]);
  if (const auto picked = ui.menu("import/dtype_menu", more, all, index_of(all, raw.dtype), {"Type", "All types.", {}}))
    order_raw(c, "dtype", raw.types[static_cast<std::size_t>(*picked)]);
  ui.chevron(more.cx(), more.cy(), Direction::down, theme::kMuted);
  draw_reason(ui, column,
              {.id = "Type", .title = "Type", .indent = kFieldIndent, .text = raw.why_type, .error = raw.type_error});
}

void draw_header_bytes(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  const std::string bytes = std::to_string(raw.header_bytes);
  if (ui.is_editing("import/header")) {
    if (const auto text = ui.edit_field(area); text && *text != bytes) order_raw(c, "header_bytes", *text);
  } else {
    const Hit h = ui.control("import/header", area, FocusKind::button, "Header");
    ui.tip("import/header", h, area, {"Header", "Bytes before the first sample.", {}});
    ui.fill(area, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    const float x = ui.text(Type::body, area.x0 + ui.px(10), area.y0, area.height(), theme::kText, bytes);
    ui.text(Type::body, x + ui.px(5), area.y0, area.height(), theme::kMuted, "bytes");
    if (h.clicked) ui.start_editing("import/header", bytes);
  }
  if (!raw.header_error.empty()) ui.outline(area, theme::kRed, theme::kRadius);
}

void draw_raw_header(const AssistantScene& c, Column& column) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  Rect header = draw_raw_label(ui, column, "Header");
  const Rect minus{header.x1 - ui.px(68), header.y0, header.x1 - ui.px(36), header.y1},
      plus{header.x1 - ui.px(32), header.y0, header.x1, header.y1};
  header.x1 = minus.x0 - ui.px(6);
  const Rect usual = cut_chevron(ui, header);
  constexpr std::array<Choice, 10> kHeaders = {
      {{"0"}, {"64"}, {"128"}, {"256"}, {"512"}, {"1024"}, {"2048"}, {"4096"}, {"8192"}, {"65536"}}};
  if (const auto picked =
          ui.menu("import/header_menu", usual, kHeaders, index_of(kHeaders, std::to_string(raw.header_bytes)),
                  {"Header", "Usual lengths.", {}}))
    order_raw(c, "header_bytes", kHeaders[static_cast<std::size_t>(*picked)].label);
  ui.chevron(usual.cx(), usual.cy(), Direction::down, theme::kMuted);
  draw_header_bytes(c, header);
  const std::size_t step = raw.dtype.ends_with("8") ? 1 : raw.dtype.ends_with("16") ? 2 : 4;
  if (ui.button("import/header_minus", minus, {.label = "−"}, {"Shorter header", "By one value.", {}}) &&
      raw.header_bytes >= step)
    order_raw(c, "header_bytes", std::to_string(raw.header_bytes - step));
  if (ui.button("import/header_plus", plus, {.label = "+"}, {"Longer header", "By one value.", {}}))
    order_raw(c, "header_bytes", std::to_string(raw.header_bytes + step));
  draw_reason(
      ui, column,
      {.id = "Header", .title = "Header", .indent = kFieldIndent, .text = raw.why_header, .error = raw.header_error});
}

}  // namespace

void draw_raw_fields(const AssistantScene& c, AssistantChoice& choice, Column& column) {
  Ui& ui = c.ui;
  const ImportRaw& raw = c.import().raw;
  draw_raw_type(c, column);
  constexpr std::array<Choice, 2> kOrders = {{{"little"}, {"big"}}};
  if (const auto picked =
          ui.segmented("import/order", draw_raw_label(ui, column, "Byte order"), kOrders,
                       raw.byte_order == "big" ? 1 : 0, {"Byte order", "Of the bytes of one value.", {}}))
    order_raw(c, "byte_order", *picked == 1 ? "big" : "little");
  draw_reason(ui, column, {.id = "Byte order", .title = "Byte order", .indent = kFieldIndent, .text = raw.why_order});
  draw_raw_header(c, column);
  const Rect shape = ui.row(column, 22, 2);
  ui.text(Type::body, shape, theme::kText2, "Shape");
  ui.text_right(Type::small, shape.x1, shape.y0, shape.height(), theme::kMuted, "fastest axis first");
  draw_axes(c, choice, column);
  // Bar of the whole file: header, samples, remainder.
  const Rect bar = ui.row(column, 8, 4);
  const double size = static_cast<double>(std::max<std::size_t>(1, raw.file_bytes));
  const auto at = [&](std::size_t n) {
    return bar.x0 + bar.width() * static_cast<float>(std::min(1.0, static_cast<double>(n) / size));
  };
  ui.fill(bar, theme::kField, 3);
  const bool fits = raw.described_bytes <= raw.file_bytes;
  ui.fill({bar.x0, bar.y0, at(raw.described_bytes), bar.y1}, fits ? theme::kAccent : theme::kRed, 3);
  ui.fill({bar.x0, bar.y0, at(raw.header_bytes), bar.y1}, theme::kText2, 3);
  const bool whole = raw.described_bytes == raw.file_bytes;
  draw_reason(ui, column,
              {.id = "account",
               .title = "Bytes of the file",
               .color = whole  ? theme::kText2
                        : fits ? theme::kWarn
                               : theme::kRed,
               .text = raw.account});
}

}  // namespace echoloop
