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

constexpr const char* kAxisRoles[] = {"time", "element", "transmit", "frame", "line", "iq"};

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
  const bool wrong = !reason.error.empty();
  const std::string& text = wrong ? reason.error : reason.text;
  if (ui.width(Type::small, text) > line.width())
    ui.hit(("import/reason/" + reason.id).c_str(), line, {reason.title, text, {}});
  ui.text_fitted(Type::small, line.x0, line.x1, line.y0, line.height(), wrong ? theme::kRed : reason.color, text);
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

// Draws the name of the samples' array; ends left of the button for the file's contents.
void draw_data_line(const AssistantScene& c, AssistantChoice& choice, const Rect& line) {
  Ui& ui = c.ui;
  const auto& data = c.import().data;
  const float button_end = choice.narrow ? line.x1 - ui.px(92) : line.x1;
  const float text_end = data.can_split ? button_end - ui.px(72) : button_end;
  float x = ui.text(Type::body, line, theme::kText2, "Data") + ui.px(8);
  x = ui.text_fitted(Type::strong, x, text_end, line.y0, line.height(), theme::kText,
                     data.name.empty() ? "the array" : data.name) +
      ui.px(10);
  ui.text_fitted(Type::small, x, text_end, line.y0, line.height(), theme::kMuted, data.why);
  if (data.can_split &&
      ui.button("import/split", {button_end - ui.px(64), line.y0, button_end, line.y1},
                {.label = "Split", .active = data.split},
                {"Split", "One axis as two: waves side by side in a matrix. Off: the axes as they are stored.", {}}))
    c.order({.act = ImportAct::split});
  if (choice.narrow) draw_contents_button(c, choice, line);
}

// Draws the length of an axis; of raw bytes it can be edited.
void draw_extent(const AssistantScene& c, std::size_t k, const Rect& area) {
  Ui& ui = c.ui;
  const ImportAxis& axis = c.import().axes[k];
  const std::string length = std::to_string(axis.length);
  if (!c.import().raw.on) return ui.text_centred(Type::strong, area, theme::kText, length);
  const std::string id = "import/extent/" + std::to_string(k);
  const Rect field = area.inset(ui.px(3));
  if (ui.is_editing(id.c_str())) {
    if (const auto text = ui.edit_field(field); text && *text != length)
      c.order({.act = ImportAct::extent, .text = *text, .index = axis.index});
    return;
  }
  const Hit h = ui.control(id.c_str(), field, FocusKind::button, "Length");
  ui.fill(field, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
  ui.text_centred(Type::strong, field, theme::kText, length);
  if (h.clicked) ui.start_editing(id.c_str(), length);
}

void draw_axis(const AssistantScene& c, AssistantChoice& choice, std::size_t k, const Rect& cell) {
  Ui& ui = c.ui;
  const auto& axes = c.import().axes;
  const ImportAxis& axis = axes[k];
  const std::string id = "import/axis/" + std::to_string(k);
  const std::string name = "Axis " + std::to_string(k + 1);
  const Hit h = ui.control(id.c_str(), cell, FocusKind::slider, name);
  ui.tip(id.c_str(), h, cell,
         {name, "Type T time, E element, X transmit, F frame, L line, I I and Q, or drag a role here.", {}});
  if (h.pressed || h.focused) choice.axis = k;
  for (const KeyPress& press : h.keys) {
    const bool left = press.key == Key::left, right = press.key == Key::right;
    if (right && k + 1 < axes.size()) c.order({.act = ImportAct::role, .text = axis.role, .index = axes[k + 1].index});
    if (left && k > 0) c.order({.act = ImportAct::role, .text = axis.role, .index = axes[k - 1].index});
  }
  if (h.pressed && !axis.role.empty()) choice.drag = drag_from_mouse({}, axis.role);
  choice.places.push_back({.where = cell, .field = {}, .axis = axis.index});
  ui.outline(cell, choice.axis == k ? theme::kAccent : theme::kLine2, theme::kRadius);
  draw_extent(c, k, {cell.x0, cell.y0 + ui.px(4), cell.x1, cell.y0 + ui.px(30)});
  const Rect chip{cell.x0 + ui.px(5), cell.y1 - ui.px(34), cell.x1 - ui.px(5), cell.y1 - ui.px(6)};
  ui.fill(chip, axis.role.empty() ? theme::kField : theme::kSelected, theme::kRadius);
  const std::string role = axis.role.empty() ? "—" : role_label(axis.role);
  const bool wide = 0.5F * (chip.width() - ui.width(Type::body, role)) > ui.px(20);  // enough for the grip next to it
  if (!axis.role.empty() && wide) draw_chip_grip(ui, chip, theme::kText2);
  ui.text_centred(Type::body, chip, axis.role.empty() ? theme::kMuted : theme::kText, role);
}

// Draws the roles that no axis has, as many as fit.
void draw_other_roles(const AssistantScene& c, AssistantChoice& choice, const Rect& row) {
  Ui& ui = c.ui;
  const auto& axes = c.import().axes;
  std::vector<const char*> others;
  float needed = ui.width(Type::small, "Other roles") + ui.px(4);
  for (const char* const role : kAxisRoles) {
    if (std::ranges::find(axes, role, &ImportAxis::role) != axes.end()) continue;
    others.push_back(role);
    needed += ui.width(Type::body, role_label(role)) + ui.px(40);
  }
  float x = row.x0;
  if (needed <= row.width()) x = ui.text(Type::small, row, theme::kMuted, "Other roles") + ui.px(10);
  for (const char* const role : others) {
    const std::string id = std::string("import/role/") + role, label = role_label(role);
    const Rect chip{x, row.y0, x + ui.width(Type::body, label) + ui.px(34), row.y1};
    if (chip.x1 > row.x1) break;
    const Hit h = ui.control(id.c_str(), chip, FocusKind::button, label);
    ui.tip(id.c_str(), h, chip, {label, "Drag onto an axis, or click to give it to the marked axis.", {}});
    ui.fill(chip, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    ui.outline(chip, theme::kLine2, theme::kRadius);
    draw_chip_grip(ui, chip, theme::kMuted);
    ui.text(Type::body, chip.x0 + ui.px(22), chip.y0, chip.height(), theme::kText2, label);
    if (h.pressed) choice.drag = drag_from_mouse({}, role);
    if (h.clicked && !choice.drag.moving && choice.axis < axes.size())
      c.order({.act = ImportAct::role, .text = role, .index = axes[choice.axis].index});
    x = chip.x1 + ui.px(6);
  }
}

}  // namespace

void draw_axes(const AssistantScene& c, AssistantChoice& choice, Column& column) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  if (!import.raw.on) draw_data_line(c, choice, ui.row(column, 24, 4));
  const std::size_t n = import.axes.size();
  if (n == 0) return;
  const float gap = ui.px(8), wide = (column.x1 - column.x0 - gap * static_cast<float>(n - 1)) / static_cast<float>(n);
  const float top = column.y, tall = ui.px(68);
  for (std::size_t k = 0; k < n; ++k) {
    const float x = std::round(column.x0 + static_cast<float>(k) * (wide + gap));
    draw_axis(c, choice, k, {x, top, std::round(x + wide), top + tall});
  }
  column.y = top + tall + ui.px(8);
  Rect roles = ui.row(column, 28, 4);
  if (import.raw.on) draw_shape_buttons(c, choice, roles);
  draw_other_roles(c, choice, roles);
  if (!import.axes_error.empty() || import.raw.on) {  // always for raw bytes: rows below do not move
    draw_reason(ui, column, {.id = "axes", .title = "Axes", .error = import.axes_error});
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

// Returns true for rows without a face.
bool is_flat(const ImportField& field) {
  return field.place == ImportGroup::read || field.place == ImportGroup::optional;
}

// Draws the menu of words, or of ways to state the value, if there are several; shortens `box`.
void draw_form_menu(const AssistantScene& c, const ImportField& field, Rect& box) {
  Ui& ui = c.ui;
  const bool by_words = !field.words.empty();
  if (!by_words && field.forms.size() <= 1) return;
  const std::vector<std::string>& labels = by_words ? field.words : field.forms;
  const std::vector<Choice> choices(labels.begin(), labels.end());
  const auto value = std::ranges::find(field.words, field.value);
  const std::size_t chosen =
      by_words ? static_cast<std::size_t>(value - field.words.begin()) : field.form;  // end: none
  const Rect chevron{box.x1 - ui.px(28), box.y0, box.x1, box.y1};
  const std::string id = "import/form/" + field.id;
  if (!is_flat(field)) ui.fill(box, theme::kField, theme::kRadius);
  if (const auto picked = ui.menu(id.c_str(), chevron, choices, static_cast<int>(chosen),
                                  {field.label, by_words ? field.help : "How the value is stated.", {}})) {
    const auto index = static_cast<std::size_t>(*picked);
    c.order(by_words ? ImportOrder{.act = ImportAct::answer, .id = field.id, .text = field.words[index]}
                     : ImportOrder{.act = ImportAct::form, .id = field.id, .index = index});
  }
  ui.chevron(chevron.cx(), chevron.cy(), Direction::down, theme::kMuted);
  box.x1 = chevron.x0;
}

// Draws the form, the value, the unit and the origin, as far as they fit. A click edits the value and selects its
// origin.
void draw_value(const AssistantScene& c, AssistantChoice& choice, const ImportField& field, const Rect& box) {
  Ui& ui = c.ui;
  const std::string id = "import/field/" + field.id;
  if (ui.is_editing(id.c_str())) {
    if (const auto text = ui.edit_field(box)) c.order({.act = ImportAct::answer, .id = field.id, .text = *text});
    return;
  }
  const Hit h = ui.control(id.c_str(), box, FocusKind::button, field.label);
  ui.tip(id.c_str(), h, box, {field.label, field.help, {}});
  if (!is_flat(field) || h.hovered) ui.fill(box, h.hovered ? theme::kHover : theme::kField, theme::kRadius);
  const bool empty = field.value.empty();
  const float right = box.x1 - ui.px(10);
  const float note = std::min(ui.width(Type::small, field.origin), 0.42F * box.width());
  const bool names_form =
      field.forms.size() > 1 && field.group != ImportGroup::read && (empty || field.id == "transmits");
  const std::string form = names_form ? field.forms[field.form] + (empty ? "" : ": ") : "";
  std::string value = form + (empty && form.empty() ? "—" : field.value);
  const float begin = box.x0 + ui.px(10), end = right - note - ui.px(8);
  if (!empty && ui.width(Type::body, value) > end - begin) value = field.value;  // value first
  const float x =
      ui.text_fitted(Type::body, begin, end, box.y0, box.height(), empty ? theme::kMuted : theme::kText, value);
  if (!empty && !field.unit.empty() && x + ui.width(Type::body, field.unit) + ui.px(14) < right - note)
    ui.text(Type::body, x + ui.px(5), box.y0, box.height(), theme::kMuted, field.unit);
  ui.text_fitted(Type::small, right - note, right + 1, box.y0, box.height(),
                 field.group == ImportGroup::answered ? theme::kAccent : theme::kText2, field.origin);
  if (!h.clicked) return;
  ui.start_editing(id.c_str(), field.typed);
  const auto named = std::ranges::find(c.import().entries, field.origin, &ImportEntry::path);
  if (!field.origin.empty() && named != c.import().entries.end()) choice.selected = field.origin;
}

// Draws the error of the last answer, or the reason: of doubts and axes with all its lines.
void draw_field_reason(Ui& ui, Column& column, const ImportField& field) {
  const bool wrong = !field.error.empty();
  if (!wrong && field.reason.empty() && field.place != ImportGroup::missing) return;
  if (!wrong && (field.place == ImportGroup::doubts || field.id == "axes")) {
    const float indent = ui.px(kIndent);
    column.y += ui.paragraph(Type::small, column.x0 + indent, column.y, column.x1 - column.x0 - indent, ui.px(16),
                             field.group == field.place ? theme::kText2 : theme::kMuted, field.reason) +
                ui.px(3);
  } else if (wrong || !is_flat(field)) {
    draw_reason(ui, column, {field.id, field.label, kIndent, theme::kMuted, field.reason, field.error});
  }
}

void draw_field(const AssistantScene& c, AssistantChoice& choice, Column& column, const ImportField& field) {
  Ui& ui = c.ui;
  const Rect row = ui.row(column, is_flat(field) ? 24 : 32, 1);
  const float dot = row.x0 + ui.px(5);
  if (field.group == ImportGroup::missing || field.group == ImportGroup::doubts) {
    ui.disc(dot, row.cy(), 5, theme::kWarn);
  } else if (field.group == ImportGroup::guessed) {
    ui.ring(dot, row.cy(), 4.5F, theme::kAccent, 1.5F);
  } else if (field.group != ImportGroup::optional) {
    ui.check({dot - ui.px(6), row.cy() - ui.px(6), dot + ui.px(6), row.cy() + ui.px(6)}, theme::kAccent);
  }
  ui.text_fitted(Type::body, row.x0 + ui.px(kIndent), row.x0 + ui.px(kLabel + 16), row.y0, row.height(), theme::kText2,
                 field.label);
  Rect box{row.x0 + ui.px(kLabel + 18), row.y0 + ui.px(1), row.x1, row.y1 - ui.px(1)};
  const bool has_value = field.id == "axes" ? !field.needed : !field.value.empty();
  if (field.group == ImportGroup::missing && has_value) {
    const Rect confirm{box.x1 - ui.px(30), box.y0, box.x1, box.y1};
    draw_confirm(c, confirm, field);
    box.x1 = confirm.x0 - ui.px(6);
  }
  if (field.id != "axes") {
    const Rect whole = box;
    choice.places.push_back({.where = whole, .field = field.id, .axis = 0});
    draw_form_menu(c, field, box);
    draw_value(c, choice, field, box);
    if (!field.error.empty()) ui.outline(whole, theme::kRed, theme::kRadius);
  }
  draw_field_reason(ui, column, field);
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
