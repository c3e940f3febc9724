// Own method of image formation: state, parameters, messages of the compiler. Drawn only while a file is in use.
#include <fmt/format.h>

#include "core/own_method.h"
#include "gui/panels/panels.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr float kMessageLine = 16;

std::string_view state_text(const OwnMethodView& view, const FormationParams& f) {
  const bool in_use = f.adaptive == Adaptive::own;
  switch (view.state) {
    case OwnState::none:
    case OwnState::compiling:
      return "Compiling";
    case OwnState::ready:
      return in_use ? "In use" : "Compiled; another method is in use";
    case OwnState::refused:
      return in_use ? "Not compiled; the last good one is in use" : "Not compiled";
    case OwnState::failed:
      return "Failed; delay-and-sum until the next save";
  }
  return "";
}

void state_row(PanelContext& c, Column& column) {
  const OwnMethodView& view = c.model.image.method;
  const bool wrong = view.state == OwnState::refused || view.state == OwnState::failed;
  const float x = column.x0 + c.ui.px(14), wrap = column.x1 - x;
  c.ui.disc(column.x0 + c.ui.px(4), column.y + c.ui.px(8), 3, wrong ? theme::kRed : theme::kAccent);
  column.y += c.ui.paragraph(Type::small, x, column.y, wrap, c.ui.px(kMessageLine), theme::kText,
                             state_text(view, c.edits.params.formation));
  std::string facts = fmt::format("{:.2f} s from save to use", view.seconds);
  if (view.relative_cost > 0.0) facts += fmt::format("; {:.1f} × the time of the coherence factor", view.relative_cost);
  if (view.registers > 0) facts += fmt::format("; {} registers, {} B spilled", view.registers, view.spilled_bytes);
  if (view.state == OwnState::ready)
    column.y += c.ui.paragraph(Type::small, x, column.y, wrap, c.ui.px(kMessageLine), theme::kMuted, facts);
  column.y += c.ui.px(4);
}

void line_row(PanelContext& c, Column& column, std::size_t i) {
  Ui& ui = c.ui;
  const OwnLine& line = c.model.image.method.lines[i];
  const std::string file = c.model.image.method.file.filename().string();
  const std::string text = line.line > 0 ? fmt::format("{}:{}: {}", file, line.line, line.text) : line.text;
  const float x = column.x0 + ui.px(14), wrap = column.x1 - x, pad = ui.px(3);
  const Rect r{column.x0, column.y, column.x1,
               column.y + ui.paragraph_height(Type::small, wrap, ui.px(kMessageLine), text) + 2 * pad};
  column.y = r.y1;
  const std::string id = fmt::format("method/{}", i);
  const Hit h = ui.control(id.c_str(), r, FocusKind::line, text);
  if (h.hovered) ui.fill(r, theme::kHover, 4);
  if (h.clicked) ImGui::SetClipboardText(text.c_str());
  ui.tip(id.c_str(), h, r, {"Click to copy", "Copies file, line and message.", {}});
  const Severity severity = line.kind == "error" ? Severity::error : Severity::warning;
  ui.disc(column.x0 + ui.px(4), r.y0 + pad + ui.px(0.5F * kMessageLine), 3, severity_dot(severity));
  ui.paragraph(Type::small, x, r.y0 + pad, wrap, ui.px(kMessageLine), severity_ink(severity), text);
}

bool parameter_row(PanelContext& c, Column& column, std::size_t k) {
  FormationParams& f = c.edits.params.formation;
  const OwnParameter& p = f.own->parameters[k];
  const std::string id = "own." + p.name;
  const SliderLook look{.id = id.c_str(),
                        .label = p.name,
                        .unit = p.unit,
                        .decimals = p.max - p.min > 50.0  ? 0
                                    : p.max - p.min > 5.0 ? 1
                                                          : 2,
                        .track_min = p.min,
                        .track_max = p.max,
                        .least = p.min,
                        .most = p.max,
                        .help = p.help,
                        .why_not = f.adaptive == Adaptive::own ? "" : "Another method is in use."};
  const auto wanted = slider(c.ui, column, look, f.own_values[k], p.value);
  if (wanted) f.own_values[k] = *wanted;
  return wanted.has_value();
}

}  // namespace

bool has_method_file(const PanelContext& c) { return !c.model.image.method.file.empty(); }

void method_panel(PanelContext& c, Column& column, bool& open) {
  const OwnMethodView& view = c.model.image.method;
  c.ui.header("panel_method", column, "Own method", view.file.stem().string(), open);
  if (!open) return;
  state_row(c, column);
  bool changed = false;
  if (const auto& own = c.edits.params.formation.own; own != nullptr)
    for (std::size_t k = 0; k < own->parameters.size(); ++k) changed |= parameter_row(c, column, k);
  for (std::size_t i = 0; i < view.lines.size(); ++i) line_row(c, column, i);
  if (changed) c.commands.send(command::ParamsChanged{});
}

}  // namespace echoloop
