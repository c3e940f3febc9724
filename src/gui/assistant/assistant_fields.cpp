#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "gui/assistant/assistant_parts.h"

namespace echoloop {
namespace {

constexpr float kFieldPad = 16, kIndent = kFieldIndent, kLabel = kFieldLabel;

struct ImportGroupWords {
  ImportGroup group;
  const char* title;
  const char* note;
};
constexpr ImportGroupWords kImportGroups[] = {{ImportGroup::missing, "Missing", "most important first"},
                                              {ImportGroup::doubts, "Doubts", "the samples contradict"},
                                              {ImportGroup::guessed, "Guessed", "click a source to see the value"},
                                              {ImportGroup::answered, "Answers", "Ctrl+Z undoes"},
                                              {ImportGroup::read, "Read", ""},
                                              {ImportGroup::optional, "Optional", ""}};

struct AxisRoleKey {
  const char* role;
  const char* letter;
};
constexpr AxisRoleKey kAxisRoleKeys[] = {{"time", "T"},  {"element", "E"}, {"transmit", "X"},
                                         {"frame", "F"}, {"line", "L"},    {"iq", "I"}};

std::string role_label(const std::string& role) { return role == "iq" ? "I, Q" : role; }

void draw_chip_grip(const Ui& ui, const Rect& chip, ImU32 ink) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column)
      ui.disc(chip.x0 + ui.px(9) + static_cast<float>(column) * ui.px(4),
              chip.cy() + static_cast<float>(row - 1) * ui.px(4), 1, ink);
  }
}

}  // namespace

void draw_reason(Ui& ui, Column& column, const Reason& reason) {
  Rect line = ui.row(column, 16, 3);
  line.x0 += ui.px(reason.indent);
  const bool whole = ui.width(Type::small, reason.text) <= line.width();
  if (!whole) ui.hit(("import/reason/" + reason.id).c_str(), line, {reason.title, reason.text, {}});
  ui.text_fitted(Type::small, line.x0, line.x1, line.y0, line.height(), reason.color, reason.text);
}

namespace {

// Draws the button for the file's contents at the end of a row, in a narrow window.
void draw_contents_button(const AssistantScene& c, AssistantChoice& choice, const Rect& row) {
  const Rect button{row.x1 - c.ui.px(84), row.y0, row.x1, row.y1};
  if (c.ui.button("import/contents", button, {.label = "Contents", .active = choice.contents_open},
                  {"Contents",
                   c.import().raw.on ? "First bytes, numbers of the header, length of a line."
                                     : "Names, shapes and values of the file.",
                   {}}))
    choice.contents_open = !choice.contents_open;
}

}  // namespace

void draw_axes(const AssistantScene& c, AssistantChoice& choice, Column& column) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (!import.raw.on) {
    const Rect line = ui.row(column, 24, 4);
    const float button_end = choice.narrow ? line.x1 - ui.px(92) : line.x1;  // left of the buttons
    const float text_end = import.data.can_split ? button_end - ui.px(72) : button_end;
    float x = ui.text(Type::body, line, theme::kText2, "Data") + ui.px(8);
    x = ui.text_fitted(Type::strong, x, text_end, line.y0, line.height(), theme::kText,
                       import.data.name.empty() ? "the array" : import.data.name) +
        ui.px(10);
    ui.text_fitted(Type::small, x, text_end, line.y0, line.height(), theme::kMuted, import.data.why);
    if (import.data.can_split &&
        ui.button("import/split", {button_end - ui.px(64), line.y0, button_end, line.y1},
                  {.label = "Split", .active = import.data.split},
                  {"Split", "One axis as two: waves side by side in a matrix. Off: the axes as they are stored.", {}}))
      c.order({.act = ImportAct::split});
    if (choice.narrow) draw_contents_button(c, choice, line);
  }
  const std::size_t n = import.axes.size();
  if (n == 0) return;
  const float gap = ui.px(8), wide = (column.x1 - column.x0 - gap * static_cast<float>(n - 1)) / static_cast<float>(n);
  const float top = column.y, tall = ui.px(68);
  for (std::size_t k = 0; k < n; ++k) {
    const ImportAxis& axis = import.axes[k];
    const float x = std::round(column.x0 + static_cast<float>(k) * (wide + gap));
    const Rect cell{x, top, std::round(x + wide), top + tall};
    const std::string id = "import/axis/" + std::to_string(k);
    const std::string name = "Axis " + std::to_string(k + 1);
    const Hit h = ui.control(id.c_str(), cell, FocusKind::slider, name);
    ui.tip(id.c_str(), h, cell,
           {name, "Type T time, E element, X transmit, F frame, L line, I I and Q, or drag a role here.", {}});
    if (h.pressed || h.focused) choice.axis = k;
    for (const KeyPress& press : h.keys) {
      const bool left = press.key == Key::left, right = press.key == Key::right;
      if (right && k + 1 < n) c.order({.act = ImportAct::role, .text = axis.role, .index = import.axes[k + 1].index});
      if (left && k > 0) c.order({.act = ImportAct::role, .text = axis.role, .index = import.axes[k - 1].index});
    }
    if (h.pressed && !axis.role.empty()) {
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      choice.drag = {.entry = {}, .role = axis.role, .x = mouse.x, .y = mouse.y};
    }
    choice.places.push_back({.where = cell, .field = {}, .axis = axis.index});
    ui.outline(cell, choice.axis == k ? theme::kAccent : theme::kLine2, theme::kRadius);
    const Rect size{cell.x0, cell.y0 + ui.px(4), cell.x1, cell.y0 + ui.px(30)};
    if (import.raw.on) {
      const std::string edit = "import/extent/" + std::to_string(k);
      const Rect field = size.inset(ui.px(3));
      if (ui.is_editing(edit.c_str())) {
        if (const auto text = ui.edit_field(field); text && *text != std::to_string(axis.length))
          c.order({.act = ImportAct::extent, .text = *text, .index = axis.index});
      } else {
        const Hit on = ui.control(edit.c_str(), field, FocusKind::button, "Length");
        ui.fill(field, on.hovered ? theme::kHover : theme::kField, theme::kRadius);
        ui.text_centred(Type::strong, field, theme::kText, std::to_string(axis.length));
        if (on.clicked) ui.start_editing(edit.c_str(), std::to_string(axis.length));
      }
    } else {
      ui.text_centred(Type::strong, size, theme::kText, std::to_string(axis.length));
    }
    const Rect chip{cell.x0 + ui.px(5), cell.y1 - ui.px(34), cell.x1 - ui.px(5), cell.y1 - ui.px(6)};
    ui.fill(chip, axis.role.empty() ? theme::kField : theme::kSelected, theme::kRadius);
    const std::string role = axis.role.empty() ? "—" : role_label(axis.role);
    const bool wide = 0.5F * (chip.width() - ui.width(Type::body, role)) > ui.px(20);  // enough for the grip next to it
    if (!axis.role.empty() && wide) draw_chip_grip(ui, chip, theme::kText2);
    ui.text_centred(Type::body, chip, axis.role.empty() ? theme::kMuted : theme::kText, role);
  }
  column.y = top + tall + ui.px(8);
  Rect roles = ui.row(column, 28, 4);
  if (import.raw.on) draw_shape_buttons(c, choice, roles);
  std::vector<const AxisRoleKey*> others;
  float needed = ui.width(Type::small, "Other roles") + ui.px(4);
  for (const AxisRoleKey& role : kAxisRoleKeys) {
    if (std::ranges::find(import.axes, role.role, &ImportAxis::role) != import.axes.end()) continue;
    others.push_back(&role);
    needed += ui.width(Type::body, role_label(role.role)) + ui.px(40);
  }
  float x = roles.x0;
  if (needed <= roles.width()) x = ui.text(Type::small, roles, theme::kMuted, "Other roles") + ui.px(10);
  for (const AxisRoleKey* const other : others) {
    const AxisRoleKey& role = *other;
    const std::string label = role_label(role.role);
    const Rect chip{x, roles.y0, x + ui.width(Type::body, label) + ui.px(34), roles.y1};
    if (chip.x1 > roles.x1) break;
    const std::string id = std::string("import/role/") + role.role;
    const Hit h = ui.control(id.c_str(), chip, FocusKind::button, label);
    ui.tip(id.c_str(), h, chip, {label, "Drag onto an axis, or click to give it to the marked axis.", {}});
    ui.fill(chip, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    ui.outline(chip, theme::kLine2, theme::kRadius);
    draw_chip_grip(ui, chip, theme::kMuted);
    ui.text(Type::body, chip.x0 + ui.px(22), chip.y0, chip.height(), theme::kText2, label);
    if (h.pressed) {
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      choice.drag = {.entry = {}, .role = role.role, .x = mouse.x, .y = mouse.y};
    }
    if (h.clicked && !choice.drag.moving && choice.axis < n)
      c.order({.act = ImportAct::role, .text = role.role, .index = import.axes[choice.axis].index});
    x = chip.x1 + ui.px(6);
  }
  if (!import.axes_error.empty() || import.raw.on) {  // always for raw bytes: rows below do not move
    draw_reason(ui, column, {.id = "axes", .title = "Axes", .color = theme::kRed, .text = import.axes_error});
  }
}

namespace {

// Draws the evidence, and the buttons of both answers.
void draw_doubt(const AssistantScene& c, Column& column, const ImportField& field) {
  Ui& ui = c.ui;
  const ImportSpectrum& s = c.import().spectrum;
  const bool drawn = field.drawn && s.power.size() > 1;
  const Rect row = ui.row(column, field.drawn ? 82 : 30, 4);
  if (field.group != ImportGroup::doubts) {
    ui.text(Type::small, row.x0 + ui.px(kIndent), row.y0, ui.px(28), theme::kMuted, "Answered.");
    return;
  }
  const float buttons = ui.px(110);
  if (drawn) {
    const Rect plot{row.x0 + ui.px(kIndent), row.y0, row.x1 - buttons - ui.px(10), row.y1 - ui.px(16)};
    ui.fill(plot, theme::kCanvas, theme::kRadius);
    const double span = s.step_hz * static_cast<double>(s.power.size() - 1);
    const auto x_of = [&](double hz) {
      return plot.x0 + plot.width() * static_cast<float>(std::clamp((hz - s.first_hz) / span, 0.0, 1.0));
    };
    ui.fill({x_of(s.low_hz), plot.y0, x_of(s.high_hz), plot.y1}, theme::kSelected);
    ImVec2 last{};
    for (std::size_t k = 0; k < s.power.size(); ++k) {  // range 40 dB
      const float level = std::clamp(1.0F + 0.25F * std::log10(std::max(s.power[k], 1e-4F)), 0.0F, 1.0F);
      const ImVec2 at{x_of(s.first_hz + static_cast<double>(k) * s.step_hz),
                      plot.y1 - ui.px(2) - level * (plot.height() - ui.px(8))};
      if (k > 0) ui.stroke(last, at, theme::kText, 1.0F);
      last = at;
    }
    for (const auto& [hz, ink] : {std::pair{s.stated_hz, theme::kText2}, {s.measured_hz, theme::kAccent}})
      ui.fill({x_of(hz), plot.y0, x_of(hz) + ui.hairline(), plot.y1}, ink);
    ui.text(Type::small, plot.x0, plot.y1, ui.px(16), theme::kMuted, fmt::format("{:.3g}", s.first_hz * 1e-6));
    ui.text_centred(Type::small, {plot.x0, plot.y1, plot.x1, plot.y1 + ui.px(16)}, theme::kText2,
                    fmt::format("file {:.3g}, echoes {:.3g}", s.stated_hz * 1e-6, s.measured_hz * 1e-6));
    ui.text_right(Type::small, plot.x1, plot.y1, ui.px(16), theme::kMuted,
                  fmt::format("{:.3g} MHz", (s.first_hz + span) * 1e-6));
  }
  Rect button{row.x1 - buttons, row.y0, row.x1, row.y0 + ui.px(28)};
  if (!drawn) button = {row.x0 + ui.px(kIndent), row.y0, row.x0 + ui.px(kIndent) + ui.px(170), row.y0 + ui.px(28)};
  if (!field.cure.empty()) {
    const std::string id = "import/cure/" + field.id;
    if (ui.button(id.c_str(), button, {.label = field.cure, .active = true},
                  {field.cure, "Takes the value of the samples.", {}})) {
      if (field.id == "axes") {
        const auto& axes = c.import().axes;
        const auto time = std::ranges::find(axes, "time", &ImportAxis::role);
        if (time != axes.end()) c.order({.act = ImportAct::role, .text = "element", .index = time->index});
      } else {
        c.order({.act = field.mirrors ? ImportAct::mirror : ImportAct::answer, .id = field.id, .text = field.cured});
      }
    }
  }
  if (field.keep.empty()) return;
  if (drawn) {
    button.y0 += ui.px(34);
    button.y1 += ui.px(34);
  } else if (!field.cure.empty()) {
    button = {button.x1 + ui.px(8), button.y0, button.x1 + ui.px(118), button.y1};
  }
  const std::string id = "import/keep/" + field.id;
  if (ui.button(id.c_str(), button, {.label = field.keep},
                {field.keep, "Keeps the stated value; the doubt is dismissed.", {}}))
    c.order({.act = ImportAct::keep, .id = field.id});
}

// Draws the button that confirms the value.
void draw_confirm(const AssistantScene& c, const Rect& area, const ImportField& field) {
  Ui& ui = c.ui;
  const std::string id = "import/confirm/" + field.id;
  const Hit h = ui.control(id.c_str(), area, FocusKind::button, "Confirm " + field.label);
  ui.tip(id.c_str(), h, area, {"Confirm", "The value is right as shown: an answer, no assumption.", {}});
  ui.fill(area, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
  ui.check({area.cx() - ui.px(6), area.cy() - ui.px(6), area.cx() + ui.px(6), area.cy() + ui.px(6)},
           h.hovered ? theme::kAccent : theme::kText2);
  if (h.clicked) c.order({.act = ImportAct::keep, .id = field.id});
}

void draw_field(const AssistantScene& c, AssistantChoice& choice, Column& column, const ImportField& field) {
  Ui& ui = c.ui;
  const bool flat = field.place == ImportGroup::read || field.place == ImportGroup::optional;
  const Rect row = ui.row(column, flat ? 24 : 32, 1);
  const float dot = row.x0 + ui.px(5);
  switch (field.group) {
    case ImportGroup::missing:
    case ImportGroup::doubts:
      ui.disc(dot, row.cy(), 5, theme::kWarn);
      break;
    case ImportGroup::guessed:
      ui.ring(dot, row.cy(), 4.5F, theme::kAccent, 1.5F);
      break;
    case ImportGroup::answered:
    case ImportGroup::read:
      ui.check({dot - ui.px(6), row.cy() - ui.px(6), dot + ui.px(6), row.cy() + ui.px(6)}, theme::kAccent);
      break;
    case ImportGroup::optional:
      break;
  }
  ui.text_fitted(Type::body, row.x0 + ui.px(kIndent), row.x0 + ui.px(kLabel + 16), row.y0, row.height(), theme::kText2,
                 field.label);
  const std::string id = "import/field/" + field.id;
  Rect box{row.x0 + ui.px(kLabel + 18), row.y0 + ui.px(1), row.x1, row.y1 - ui.px(1)};
  const bool has_value = field.id == "axes" ? !field.needed : !field.value.empty();
  if (field.group == ImportGroup::missing && has_value) {
    const Rect confirm{box.x1 - ui.px(30), box.y0, box.x1, box.y1};
    draw_confirm(c, confirm, field);
    box.x1 = confirm.x0 - ui.px(6);
  }
  const Rect whole = box;
  if (field.id != "axes") {
    choice.places.push_back({.where = whole, .field = field.id, .axis = 0});
    const bool by_words = !field.words.empty();
    if (by_words || field.forms.size() > 1) {
      std::vector<Choice> choices;
      for (const std::string& one : by_words ? field.words : field.forms) choices.push_back({one});
      const auto value = std::ranges::find(field.words, field.value);
      const std::size_t chosen =
          by_words ? static_cast<std::size_t>(value - field.words.begin()) : field.form;  // end: none
      const Rect chevron{box.x1 - ui.px(28), box.y0, box.x1, box.y1};
      const std::string menu = "import/form/" + field.id;
      if (!flat) ui.fill(box, theme::kField, theme::kRadius);
      if (const auto picked = ui.menu(menu.c_str(), chevron, choices, static_cast<int>(chosen),
                                      {field.label, by_words ? field.help : "How the value is stated.", {}})) {
        const auto index = static_cast<std::size_t>(*picked);
        c.order(by_words ? ImportOrder{.act = ImportAct::answer, .id = field.id, .text = field.words[index]}
                         : ImportOrder{.act = ImportAct::form, .id = field.id, .index = index});
      }
      ui.chevron(chevron.cx(), chevron.cy(), Direction::down, theme::kMuted);
      box.x1 = chevron.x0;
    }
    if (ui.is_editing(id.c_str())) {
      if (const auto text = ui.edit_field(box)) c.order({.act = ImportAct::answer, .id = field.id, .text = *text});
    } else {
      const Hit h = ui.control(id.c_str(), box, FocusKind::button, field.label);
      ui.tip(id.c_str(), h, box, {field.label, field.help, {}});
      if (!flat || h.hovered) ui.fill(box, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
      const float right = box.x1 - ui.px(10);
      const float note = std::min(ui.width(Type::small, field.origin), 0.42F * box.width());
      const std::string form =
          field.forms.size() > 1 && field.group != ImportGroup::read && (field.value.empty() || field.id == "transmits")
              ? field.forms[field.form] + (field.value.empty() ? "" : ": ")
              : "";
      std::string value = form + (field.value.empty() && form.empty() ? "—" : field.value);
      const float begin = box.x0 + ui.px(10), end = right - note - ui.px(8);
      if (!field.value.empty() && ui.width(Type::body, value) > end - begin) value = field.value;  // value first
      float x = ui.text_fitted(Type::body, begin, end, box.y0, box.height(),
                               field.value.empty() ? theme::kMuted : theme::kText, value);
      if (!field.value.empty() && !field.unit.empty() &&
          x + ui.width(Type::body, field.unit) + ui.px(14) < right - note)
        ui.text(Type::body, x + ui.px(5), box.y0, box.height(), theme::kMuted, field.unit);
      ui.text_fitted(Type::small, right - note, right + 1, box.y0, box.height(),
                     field.group == ImportGroup::answered ? theme::kAccent : theme::kText2, field.origin);
      if (h.clicked) {
        ui.start_editing(id.c_str(), field.typed);
        const auto named = std::ranges::find(c.import().entries, field.origin, &ImportEntry::path);
        if (!field.origin.empty() && named != c.import().entries.end()) choice.selected = field.origin;
      }
    }
    if (!field.error.empty()) ui.outline(whole, theme::kRed, theme::kRadius);
  }
  if (!field.error.empty() || !field.reason.empty() || field.place == ImportGroup::missing) {
    const bool red = !field.error.empty();
    const float wrap = row.x1 - row.x0 - ui.px(kIndent);
    if ((field.place == ImportGroup::doubts || field.id == "axes") && !red) {
      const bool open = field.group == field.place;
      column.y += ui.paragraph(Type::small, row.x0 + ui.px(kIndent), column.y, wrap, ui.px(16),
                               open ? theme::kText2 : theme::kMuted, field.reason) +
                  ui.px(3);
    } else if (!flat || red) {
      draw_reason(ui, column,
                  {.id = field.id,
                   .title = field.label,
                   .indent = kIndent,
                   .color = red ? theme::kRed : theme::kMuted,
                   .text = red ? field.error : field.reason});
    }
  }
  if (field.place == ImportGroup::doubts) draw_doubt(c, column, field);
}

void draw_group(const AssistantScene& c, AssistantChoice& choice, Column& column, ImportGroup group) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (std::ranges::find(import.fields, group, &ImportField::place) == import.fields.end()) return;
  const auto n = std::ranges::count_if(
      import.fields, [group](const ImportField& field) { return field.place == group && field.group == group; });
  const ImportGroupWords& words = *std::ranges::find(kImportGroups, group, &ImportGroupWords::group);
  ui.horizontal(column.x0 - ui.px(kFieldPad), column.x1 + ui.px(kFieldPad), column.y, theme::kLine);
  const Rect head = ui.row(column, 30, 0);
  const float x = ui.text(Type::strong, head, theme::kText, words.title) + ui.px(8);
  ui.text(Type::body, x, head.y0, head.height(), theme::kMuted, std::to_string(n));
  ui.text_right(Type::small, head.x1, head.y0, head.height(), theme::kMuted, words.note);
  for (const ImportField& field : import.fields) {
    if (field.place == group) draw_field(c, choice, column, field);
  }
  column.y += ui.px(6);
}

// Returns "3 missing, 1 needed; 1 doubt" or "2 missing (optional)" for the sections below; empty: none.
std::string open_points(const ImportState& import) {
  const std::size_t n_missing = import.count(ImportGroup::missing), n_doubts = import.count(ImportGroup::doubts);
  const std::string needed = import.n_needed() == 0 ? " (optional)" : fmt::format(", {} needed", import.n_needed());
  std::string text = n_missing == 0 ? "" : fmt::format("{} missing{}", n_missing, needed);
  if (n_doubts > 0) text += (text.empty() ? "" : "; ") + counted(n_doubts, "doubt");
  return text;
}

void draw_buttons(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const float x0 = area.x0 + ui.px(kFieldPad), x1 = area.x1 - ui.px(kFieldPad), gap = ui.px(8);
  const float y0 = area.y0 + ui.px(14), y1 = y0 + ui.px(30), wide = x1 - x0 - 2 * gap;
  const Rect save{x0, y0, x0 + 0.38F * wide, y1}, open{save.x1 + gap, y0, save.x1 + gap + 0.4F * wide, y1};
  const Rect cancel{open.x1 + gap, y0, x1, y1};
  const std::size_t n_open = import.count(ImportGroup::missing) + import.count(ImportGroup::doubts);
  const std::string label =
      n_open == 0 || import.n_needed() > 0 ? "Save description" : fmt::format("Save ({} unanswered)", n_open);
  const std::string text =
      (import.target.empty() ? "Writes into your own folder" : "Writes " + import.target + " beside the file") +
      "; the file then opens without questions." +
      (n_open == 0 ? ""
                   : " Values that are not answered are saved as assumptions, and listed so each "
                     "time the file opens.");
  const std::string_view kiosk = c.model.no_effect.files.empty() ? std::string_view(import.why_not_open)
                                                                 : std::string_view(c.model.no_effect.files);
  if (ui.button("import/save", save, {.label = label, .emphasis = Emphasis::primary},
                {"Save description   Ctrl+S", text, kiosk}))
    c.order({.act = ImportAct::save});
  if (ui.button("import/open", open, {.label = "Open without saving"},
                {"Open without saving", "The description holds until the program ends.", import.why_not_open}))
    c.order({.act = ImportAct::open_unsaved});
  if (ui.button("import/cancel", cancel, {.label = "Cancel", .shortcut = "Esc"},
                {"Cancel", "Answers are kept until you quit.", {}}))
    c.order({.act = ImportAct::cancel});
}

}  // namespace

void AssistantFields::draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const Rect head{area.x0 + ui.px(kFieldPad), area.y0 + ui.px(6), area.x1 - ui.px(kFieldPad),
                  area.y0 + ui.px(6 + theme::kHeader)};
  ui.text(Type::strong, head, theme::kText, import.raw.on ? "Describe the bytes" : "Describe the data");
  const std::string summary = open_points(import);
  ui.text_right(Type::small, head.x1, head.y0, head.height(), summary.empty() ? theme::kMuted : theme::kWarn,
                summary.empty() ? "nothing missing" : summary);
  const Rect buttons{area.x0, area.y1 - ui.px(56), area.x1, area.y1};
  const Rect list{area.x0, head.y1, area.x1, buttons.y0};
  Column column{head.x0, head.x1, scroll_.begin(ui, "import/fields", list), false};
  if (!import.refusal.empty()) {
    column.y +=
        ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, ui.px(16), theme::kWarn, import.refusal) +
        ui.px(6);
  }
  if (import.raw.on && choice.narrow) draw_contents_button(c, choice, ui.row(column, 28, 4));
  import.raw.on ? draw_raw_fields(c, choice, column) : draw_axes(c, choice, column);
  for (const ImportGroupWords& words : kImportGroups) draw_group(c, choice, column, words.group);
  scroll_.end(ui, column.y + ui.px(12));
  ui.horizontal(area.x0, area.x1, buttons.y0, theme::kLine);
  draw_buttons(c, buttons);
}

}  // namespace echoloop
