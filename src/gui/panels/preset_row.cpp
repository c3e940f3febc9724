#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/units.h"
#include "gui/panels/panels.h"

namespace echoloop {
namespace {

constexpr const char* kPanel = "preset_panel";
constexpr float kChip = 24;
constexpr float kChipGap = 4;
constexpr float kMoreChip = 40;

const PresetView* active_of(const Presets& presets) {
  const auto i = static_cast<std::size_t>(presets.active);
  return presets.active >= 0 && i < presets.list.size() ? &presets.list[i] : nullptr;
}

std::string chip_help(const PresetView& p, bool active, bool changed) {
  std::string text = p.about;
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (!p.probe.empty() && p.fits) add("Made for " + p.probe + ".");
  if (!p.probe.empty() && !p.fits) {
    add("Made for " + p.probe + ": band, depth and position are not applied here.");
  }
  if (!p.no_effect.empty()) add(p.no_effect);
  if (p.is_default) add("Applied automatically when this probe is opened.");
  if (active && changed) add("Settings were changed; click to restore the preset.");
  if (text.empty()) add("Applies this preset.");
  return text;
}

// Returns the reason why the name cannot be saved; empty: it can.
std::string why_not_this_name(const Presets& presets, const std::string& name) {
  if (name.find_first_not_of(' ') == std::string::npos) return "Type a name.";
  const auto same =
      std::ranges::find_if(presets.list, [&](const PresetView& p) { return lower_case(p.name) == lower_case(name); });
  if (same == presets.list.end()) return {};
  const bool active = presets.active == static_cast<int>(same - presets.list.begin());
  if (!same->own) return "Name of a built-in preset.";
  return active ? "Overwrite below." : "Name already in use.";
}

// Draws a curved arrow: to the left for undo, to the right for redo.
void turn_icon(const Ui& ui, const Rect& r, Direction way, ImU32 color) {
  const float side = way == Direction::left ? -1.0F : 1.0F;
  const float radius = ui.px(4), x = r.cx() - side * ui.px(1), top = r.cy() - ui.px(2);
  constexpr int kPieces = 10;
  ui.stroke({x + side * ui.px(4), top}, {x, top}, color, 1.5F);
  ImVec2 last{x, top};
  for (int i = 1; i <= kPieces; ++i) {  // half a circle on the other side
    const float angle = 3.14159265F * static_cast<float>(i) / kPieces;
    const ImVec2 at{x - side * radius * std::sin(angle), top + radius - radius * std::cos(angle)};
    ui.stroke(last, at, color, 1.5F);
    last = at;
  }
  ui.stroke(last, {x + side * ui.px(3), last.y}, color, 1.5F);
  ui.triangle(x + side * ui.px(7), top, way, color, 6);
}

void dots_icon(const Ui& ui, const Rect& r, ImU32 color) {
  for (const float dx : {-5.0F, 0.0F, 5.0F}) ui.disc(r.cx() + ui.px(dx), r.cy(), 1.5F, color);
}

}  // namespace

HistoryAct PresetRow::draw(PanelContext& c, Column& column, const EditHistory& history) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, 2);
  ui.text(Type::strong, r.x0 + ui.px(16), r.y0, r.height(), theme::kText, "Presets");
  const float side = ui.px(26);
  const auto cell = [&](int from_right) {
    const float x1 = r.x1 - static_cast<float>(from_right) * (side + ui.px(2));
    return Rect{x1 - side, r.cy() - 0.5F * side, x1, r.cy() + 0.5F * side};
  };
  HistoryAct act = HistoryAct::none;
  const std::string back = history.undo_text(), forth = history.redo_text();
  const std::string back_tip = back + ". Ctrl+Z.", forth_tip = forth + ". Ctrl+Shift+Z or Ctrl+Y.";
  if (ui.icon_button("undo", cell(2), {"Undo", back_tip, back.empty() ? "No changes to undo." : ""})) {
    act = HistoryAct::undo;
  }
  turn_icon(ui, cell(2), Direction::left, back.empty() ? theme::kDisabled : theme::kText2);
  if (ui.icon_button("redo", cell(1), {"Redo", forth_tip, forth.empty() ? "No changes to redo." : ""})) {
    act = HistoryAct::redo;
  }
  turn_icon(ui, cell(1), Direction::right, forth.empty() ? theme::kDisabled : theme::kText2);
  if (ui.icon_button(
          "preset_menu", cell(0),
          {"Presets", "Save, rename or delete presets, or set the default for this probe.", why_no_files(c.model)})) {
    const PresetView* active = active_of(c.model.presets);
    const std::string name = active != nullptr && active->own ? active->name : "";
    name_ = {};
    std::memcpy(name_.data(), name.data(), std::min(name.size(), name_.size() - 1));
    focus_ = true;
    sure_ = false;
    ui.open_popup(kPanel);
  }
  dots_icon(ui, cell(0), theme::kText2);
  draw_chips(c, column);
  draw_panel(c, r);
  return act;
}

void PresetRow::draw_chips(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const auto& list = c.model.presets.list;
  const int most_lines = c.compact ? 1 : 2;
  // Width of the chip for the remaining presets: it shows the active preset's name if that is among them.
  const PresetView* chosen = active_of(c.model.presets);
  const float named = chosen != nullptr ? ui.width(Type::body, chosen->name) + ui.px(26) : 0;
  float x = column.x0;
  int line = 0;
  std::size_t i = 0;
  for (; i < list.size(); ++i) {
    const PresetView& p = list[i];
    const bool active = static_cast<int>(i) == c.model.presets.active;
    const bool dot = active && c.model.presets.changed;
    const std::string key = p.slot > 0 ? std::to_string(p.slot) : "";
    const float key_width = key.empty() ? 0 : ui.width(Type::small, key) + ui.px(4);
    const float w = std::min(key_width + ui.width(Type::body, p.name) + ui.px(dot ? 20 : 10), column.x1 - column.x0);
    const bool last_line = line + 1 == most_lines;
    const bool hidden = static_cast<int>(i) < c.model.presets.active;
    const float more_width = std::max(ui.px(kMoreChip), hidden ? named : 0.0F);
    const float room = column.x1 - (last_line && i + 1 < list.size() ? more_width + ui.px(kChipGap) : 0);
    if (x + w > room && x > column.x0) {
      if (last_line) break;
      ++line;
      x = column.x0;
      column.y += ui.px(kChip + kChipGap);
      --i;
      continue;
    }
    const Rect r{x, column.y, x + w, column.y + ui.px(kChip)};
    const std::string id = fmt::format("preset/{}", i);
    const Hit h = ui.control(id.c_str(), r, FocusKind::button, p.name);
    ui.tip(id.c_str(), h, r, {p.name, chip_help(p, active, c.model.presets.changed), {}});
    ui.fill(r, active ? theme::kSelected : h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    if (!key.empty()) {
      ui.text(Type::small, r.x0 + ui.px(5), r.y0, r.height(), active || h.hovered ? theme::kText2 : theme::kMuted, key);
    }
    const float end = ui.text_fitted(Type::body, r.x0 + ui.px(5) + key_width, r.x1 - ui.px(dot ? 13 : 3), r.y0,
                                     r.height(), active || h.hovered ? theme::kText : theme::kText2, p.name);
    if (dot) ui.disc(end + ui.px(8), r.cy(), 2, theme::kAccent);
    if (h.clicked) c.commands.send(command::Preset{{PresetCommand::load, static_cast<int>(i)}});
    x = r.x1 + ui.px(kChipGap);
  }
  if (i < list.size()) draw_rest(c, {x, column.y, column.x1, column.y + ui.px(kChip)}, i);
  column.y += ui.px(kChip + 6);
}

// Draws the presets from `first` on, which do not fit, as a list behind one chip; it shows the active one.
void PresetRow::draw_rest(PanelContext& c, const Rect& room, std::size_t first) {
  Ui& ui = c.ui;
  const auto& list = c.model.presets.list;
  const auto active = static_cast<std::size_t>(std::max(c.model.presets.active, 0));
  const bool hidden = active >= first && active < list.size();  // the active one is among the rest
  const Rect r{room.x0, room.y0, hidden ? room.x1 : room.x0 + ui.px(kMoreChip), room.y1};
  std::vector<std::string> keys;
  for (const PresetView& p : list) keys.push_back(p.slot > 0 ? std::to_string(p.slot) : "");
  std::vector<Choice> choices;
  for (std::size_t k = 0; k < list.size(); ++k) choices.push_back({list[k].name, keys[k]});
  ui.fill(r, hidden ? theme::kSelected : theme::kField, theme::kRadius);
  if (hidden) {
    const float right = r.x1 - ui.px(c.model.presets.changed ? 18 : 8);
    const float end =
        ui.text_fitted(Type::body, r.x0 + ui.px(6), right, r.y0, r.height(), theme::kText, list[active].name);
    if (c.model.presets.changed) ui.disc(end + ui.px(8), r.cy(), 2, theme::kAccent);
  } else {
    ui.text_centred(Type::body, r, theme::kText2, fmt::format("+{}", list.size() - first));
  }
  if (const auto picked = ui.menu("preset_more", r, choices, c.model.presets.active,
                                  {"More presets", "All presets and their keys.", {}})) {
    c.commands.send(command::Preset{{PresetCommand::load, *picked}});
  }
}

void PresetRow::order(PanelContext& c, PresetCommand act) {
  const int index = act == PresetCommand::save_as ? -1 : c.model.presets.active;
  c.commands.send(command::Preset{{act, index, name_.data()}});
  c.ui.close_popup();
}

void PresetRow::draw_panel(PanelContext& c, const Rect& below) {
  Ui& ui = c.ui;
  const float w = ui.px(300);
  const float x = std::max(ui.px(4), std::min(below.x0, ImGui::GetIO().DisplaySize.x - w - ui.px(4)));
  const float y = below.y1 + ui.px(4);
  const PresetView* active = active_of(c.model.presets);
  const float h = ui.px(active != nullptr ? 214 : 116);
  if (!ui.begin_popup(kPanel, {x, y, x + w, y + h}, theme::kPanel)) return;
  Column column{x + ui.px(14), x + w - ui.px(14), y + ui.px(10), c.compact};
  ui.text(Type::strong, ui.row(column, 22, 4), theme::kText, "Save current settings as");
  const Rect field = ui.row(column, theme::kRow, 6);
  const bool entered = ui.text_line("##preset_name", field, name_, std::exchange(focus_, false));
  if (name_[0] == '\0' && !ImGui::IsItemActive()) {
    ui.text(Type::body, field.x0 + ui.px(10), field.y0, field.height(), theme::kMuted, "Name");
  }
  const std::string no_name = why_not_this_name(c.model.presets, name_.data());
  const Rect row = ui.row(column, theme::kRow, 8);
  const float half = std::round(0.5F * (row.width() - ui.px(8)));
  const bool pressed = ui.button(
      "preset_save", {row.x0, row.y0, row.x0 + half, row.y1}, {.label = "Save as", .emphasis = Emphasis::primary},
      {"Save as", "Saves all settings and the probe as a new preset with this name.", no_name});
  if (pressed || (entered && no_name.empty())) order(c, PresetCommand::save_as);
  if (name_[0] != '\0' && !no_name.empty()) {
    ui.text_fitted(Type::small, row.x0 + half + ui.px(8), row.x1, row.y0, row.height(), theme::kText2, no_name);
  }
  if (active != nullptr) draw_own(c, column);
  ui.end_popup();
}

// Draws the controls of the active preset.
void PresetRow::draw_own(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const PresetView active = c.model.presets.list[static_cast<std::size_t>(c.model.presets.active)];
  const std::string_view shipped = active.own ? "" : "Built-in presets are read-only. Save under a new name first.";
  ui.horizontal(column.x0, column.x1, column.y, theme::kLine);
  column.y += ui.px(6);
  ui.text_fitted(Type::strong, column.x0, column.x1, column.y, ui.px(22), theme::kText, "Preset " + active.name);
  column.y += ui.px(26);
  const Rect row = ui.row(column, theme::kRow, 6);
  const float third = std::round((row.width() - ui.px(12)) / 3);
  const auto cell = [&](int i) {
    const float x0 = row.x0 + static_cast<float>(i) * (third + ui.px(6));
    return Rect{x0, row.y0, x0 + third, row.y1};
  };
  if (ui.button("preset_overwrite", cell(0), {.label = "Overwrite"},
                {"Overwrite", "Overwrites this preset with the current settings.", shipped})) {
    order(c, PresetCommand::overwrite);
  }
  const std::string taken = why_not_this_name(c.model.presets, name_.data());
  const std::string other = active.name == name_.data() ? "Enter a new name above first." : taken;
  const std::string_view no_rename = !shipped.empty() ? shipped : std::string_view(other);
  if (ui.button("preset_rename", cell(1), {.label = "Rename"},
                {"Rename", "Renames the preset to the name above.", no_rename})) {
    order(c, PresetCommand::rename);
  }
  if (ui.button("preset_delete", cell(2), {.label = sure_ ? "Sure?" : "Delete", .active = sure_},
                {"Delete", "Deletes the preset and the file, after confirmation.", shipped})) {
    if (std::exchange(sure_, true)) order(c, PresetCommand::remove);
  }
  const Rect check = ui.row(column, theme::kRow, 0);
  const std::string label = "Default for " + (active.probe.empty() ? c.model.presets.probe : active.probe);
  if (ui.check_box("preset_default", check, label, active.is_default,
                   {"Default for the probe", "Applied automatically when this probe is opened.", shipped})) {
    order(c, active.is_default ? PresetCommand::unset_default : PresetCommand::set_default);
  }
}

}  // namespace echoloop
