// Mode View of the window: presets by organ, the few controls of the image, the card with first keys. All other
// controls are in the mode Engineer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/units.h"
#include "gui/overlay/m_mode_columns.h"
#include "gui/panels/panels.h"

namespace echoloop {
namespace {

constexpr float kSwitchRow = 27, kSwitchWidth = 30, kSwitchHeight = 18;

std::string_view no_source(const ParamContext& c) { return c.acquisition == nullptr ? kNoAcquisition : ""; }

// Draws the depth of the last image row, in centimetres.
bool depth_row(PanelContext& c, Column& column) {
  constexpr double kPerMetre = 100.0, kLeast_m = 5e-3;
  ParamSpec spec = param("depth_max_m");
  spec.label = "Depth";
  spec.unit = "cm";
  spec.shown_per_si = kPerMetre;
  spec.min = c.edits.params.formation.depth_min_m + kLeast_m;
  spec.control.why_not = no_source;
  spec.control.drag_min = spec.min * kPerMetre;
  spec.control.drag_max = std::max(spec.control.drag_min + 1.0, 0.1 * recorded_depth_mm(c.model, c.edits));
  return number_row(c, column, spec, spec.control);
}

// Draws one width for the smoothing along depth and across the image.
bool smoothing_row(PanelContext& c, Column& column) {
  ParamSpec spec = param("smooth_axial_m");
  spec.label = "Smoothing";
  spec.help =
      "Sigma of a Gaussian average of the levels, along depth and across the image. Lowers speckle and "
      "resolution; 0 is off.";
  spec.control.drag_max = 1.0;
  if (!number_row(c, column, spec, spec.control)) return false;
  c.edits.params.refine.smooth_lateral_m = c.edits.params.refine.smooth_axial_m;
  return true;
}

bool angle_row(PanelContext& c, Column& column) {
  ParamSpec spec = param("flow_angle_rad");
  spec.label = "Vessel angle";
  return number_row(c, column, spec, spec.control);
}

// Draws a switch with its key; returns true if it was clicked.
bool switch_row(PanelContext& c, Column& column, const char* id, std::string_view key, bool on, const Tip& tip) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, kSwitchRow, 0);
  const bool enabled = tip.why_not.empty();
  const Hit h = ui.control(id, r, FocusKind::button, tip.title);
  ui.tip(id, h, r, tip);
  const float end = ui.text(Type::body, r, enabled ? theme::kText2 : theme::kDisabled, tip.title);
  ui.text(Type::small, end + ui.px(8), r.y0, r.height(), theme::kMuted, key);
  const float y = std::round(r.cy() - ui.px(0.5F * kSwitchHeight));
  const Rect box{r.x1 - ui.px(kSwitchWidth), y, r.x1, y + ui.px(kSwitchHeight)};
  ui.fill(box, on && enabled ? theme::kSelected : h.hovered && enabled ? theme::kHover : theme::kField, 9);
  ui.outline(box, on && enabled ? theme::kAccent : theme::kLine2, 9);
  const float inset = ui.px(0.5F * kSwitchHeight);
  ui.disc(on ? box.x1 - inset : box.x0 + inset, box.cy(), 5.5F,
          !enabled ? theme::kDisabled
          : on     ? theme::kText
                   : theme::kMuted);
  return h.clicked && enabled;
}

void dock_switch(PanelContext& c, Column& column, Dock dock, std::string_view why_not) {
  const DockRow row = dock_row(dock);
  const std::string id = "switch/" + std::string(row.key_in_file);
  if (switch_row(c, column, id.c_str(), row.key_name, c.view.dock == dock, {row.name, row.text, why_not}))
    toggle_dock(c.edits, c.commands, c.view, dock);
}

}  // namespace

std::string_view why_no_flow(const Model& model, const Edits& edits) {
  return why_no_effect(param("flow"), param_context(model, edits));
}

void toggle_flow(const Model& model, Edits& edits, Commands& commands) {
  ColorFlowParams& flow = edits.params.color_flow;
  const Acquisition* const a = model.source.acquisition.get();
  const bool timed = flow.prf_hz > 0.0 || (a != nullptr && a->frame_rate_hz > 0.0);
  flow.mode = flow.mode != FlowMode::off ? FlowMode::off : timed ? FlowMode::velocity : FlowMode::power;
  commands.send(command::ParamsChanged{});
}

void image_panel(PanelContext& c, Column& column, bool& open) {
  c.ui.header("panel_image", column, "Image", "", open);
  if (!open) return;
  column.y += c.ui.px(2);
  bool changed = param_row(c, column, "gain_db");
  changed |= depth_row(c, column);
  changed |= param_row(c, column, "dynamic_range_db");
  changed |= smoothing_row(c, column);
  changed |= tgc_rows(c, column);
  const ColorFlowParams& flow = c.edits.params.color_flow;
  const bool on = flow.mode != FlowMode::off;
  if (switch_row(c, column, "switch/flow", "F", on,
                 {"Colour flow", "Velocity along the beam in colour, over the image.", why_no_flow(c.model, c.edits)}))
    toggle_flow(c.model, c.edits, c.commands);
  const bool gate = c.edits.params.doppler.gate != Gate::off;
  if (flow.mode == FlowMode::velocity && !gate) changed |= angle_row(c, column);
  const std::string_view sourceless = no_source(param_context(c));
  dock_switch(c, column, Dock::m_mode, sourceless);
  dock_switch(c, column, Dock::spectrogram, gate ? "" : why_no_effect(param("gate"), param_context(c)));
  if (gate) {
    changed |= angle_row(c, column);
    if (flow.angle_rad == 0.0) c.ui.paragraph_row(column, 16, theme::kMuted, kNeedAngle);
  }
  if (changed) c.commands.send(command::ParamsChanged{});
}

void look_at_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  ui.header("panel_look_at", column, "Look at", "", open);
  if (!open) return;
  column.y += ui.px(4);
  const std::vector<PresetView>& list = c.model.presets.list;
  std::vector<std::size_t> organs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].organ > 0) organs.push_back(i);
  }
  std::ranges::stable_sort(organs, {}, [&](std::size_t i) { return list[i].organ; });
  Rect r;
  int drawn = 0;
  for (const std::size_t i : organs) {
    const PresetView& preset = list[i];
    const bool left = drawn++ % 2 == 0;
    if (left) r = ui.row(column, theme::kRow, 6);
    const float half = std::round(0.5F * (r.width() - ui.px(8)));
    const Rect cell{left ? r.x0 : r.x1 - half, r.y0, left ? r.x0 + half : r.x1, r.y1};
    const std::string id = "look_at/" + preset.name;
    const bool active = static_cast<int>(i) == c.model.presets.active;
    if (ui.button(id.c_str(), cell,
                  {.label = ui.fitted(Type::body, cell.width() - ui.px(12), preset.name), .active = active},
                  {preset.name, preset.about, {}})) {
      c.commands.send(command::Preset{{PresetCommand::load, static_cast<int>(i)}});
    }
  }
}

void engineer_link(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kHeader, 0);
  const Hit h = ui.control("all_settings", r, FocusKind::button, "Engineer");
  ui.tip("all_settings", h, r, {"Engineer   E", "All settings of the image, the stream and the display.", {}});
  const ImU32 ink = h.hovered ? theme::kText : theme::kText2;
  ui.text(Type::small, r, ink, "All settings: Engineer");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kMuted, "E");
  if (h.clicked) c.view.mode = WindowMode::engineer;
}

void try_card(PanelContext& c, Column& column) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKeys = {
      {{"Space", "Freeze, then drag the strip"},
       {"F", "Flow in colour"},
       {"C", "Measure a distance"},
       {"wheel", "Zoom; on the ruler: depth"},
       {"S", "Save the image"}}};
  constexpr float kRow = 33, kHead = 38, kPad = 14, kKeyHeight = 21, kText = 70;
  Ui& ui = c.ui;
  column.y += ui.px(8);
  const Rect card = ui.row(column, kHead + kRow * static_cast<float>(kKeys.size()) + 4, 9).inset(-ui.px(4));
  ui.fill(card, theme::kCanvas, 6);
  ui.outline(card, theme::kLine2, 6);
  const float x = card.x0 + ui.px(kPad), right = card.x1 - ui.px(8);
  ui.text(Type::strong, x, card.y0 + ui.px(6), ui.px(28), theme::kText, "Try");
  const Rect close{right - ui.px(22), card.y0 + ui.px(9), right, card.y0 + ui.px(31)};
  if (ui.icon_button("close_try", close, {"Close", "Closes this card for good.", {}})) c.view.try_closed = true;
  ui.cross(close.cx(), close.cy(), theme::kText2);
  float y = card.y0 + ui.px(kHead + 4);
  for (const auto& [key, text] : kKeys) {
    const Rect face{x, y, x + ui.width(Type::small, key) + ui.px(16), y + ui.px(kKeyHeight)};
    ui.fill(face, theme::kField, 4);
    ui.outline(face, theme::kLine2, 4);
    ui.text_centred(Type::small, face, theme::kText, key);
    ui.text_fitted(Type::small, x + ui.px(kText - kPad), right, y, face.height(), theme::kText2, text);
    y += ui.px(kRow);
  }
}

void toggle_dock(Edits& edits, Commands& commands, ViewSettings& view, Dock dock) {
  const bool open = view.dock == dock;
  view.transient.m_mode_beside = !open && dock == Dock::spectrogram && view.has_m_mode();
  view.dock = open ? Dock::none : dock;
  take_inspect_tool(edits.marks, view.dock);
  const Gate wanted = open ? Gate::off : Gate::on;
  if (dock != Dock::spectrogram || edits.params.doppler.gate == wanted) return;
  edits.params.doppler.gate = wanted;
  commands.send(command::ParamsChanged{});
}

void take_inspect_tool(Marks& marks, Dock opened) {
  const bool looks = dock_row(opened).place == DockPlace::of_the_image;
  if (looks && (marks.tool == MarkTool::pointer || marks.tool == MarkTool::gate)) marks.tool = MarkTool::inspect;
  if (!looks && marks.tool == MarkTool::inspect) marks.tool = MarkTool::pointer;
  if (opened == Dock::spectrogram && marks.tool == MarkTool::pointer) marks.tool = MarkTool::gate;
  if (opened == Dock::none && marks.tool == MarkTool::gate) marks.tool = MarkTool::pointer;
}

}  // namespace echoloop
