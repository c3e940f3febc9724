// Own method of image formation: state, parameters, messages of the compiler. Drawn only while a file is in use.
#include <fmt/format.h>

#include "core/own_method.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
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

// A line of text that a click copies.
void copied_row(Ui& ui, Column& column, const std::string& id, ImU32 ink, const std::string& text) {
  const float x = column.x0 + ui.px(14), wrap = column.x1 - x, pad = ui.px(3);
  const Rect r{column.x0, column.y, column.x1,
               column.y + ui.paragraph_height(Type::small, wrap, ui.px(kMessageLine), text) + 2 * pad};
  column.y = r.y1;
  const Hit h = ui.control(id.c_str(), r, FocusKind::line, text);
  if (h.hovered) ui.fill(r, theme::kHover, 4);
  if (h.clicked) ImGui::SetClipboardText(text.c_str());
  ui.tip(id.c_str(), h, r, {"Click to copy", "Copies the text.", {}});
  ui.paragraph(Type::small, x, r.y0 + pad, wrap, ui.px(kMessageLine), ink, text);
}

void line_row(PanelContext& c, Column& column, std::size_t i) {
  const OwnLine& line = c.model.image.method.lines[i];
  const std::string file = c.model.image.method.file.filename().string();
  const Severity severity = line.kind == "error" ? Severity::error : Severity::warning;
  c.ui.disc(column.x0 + c.ui.px(4), column.y + c.ui.px(3 + 0.5F * kMessageLine), 3, severity_dot(severity));
  copied_row(c.ui, column, fmt::format("method/{}", i), severity_ink(severity),
             line.line > 0 ? fmt::format("{}:{}: {}", file, line.line, line.text) : line.text);
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

// Question whether the method of another program may be used.
void offer_rows(PanelContext& c, Column& column, const OwnOffer& offer) {
  Ui& ui = c.ui;
  ui.paragraph_row(column, kMessageLine, theme::kText,
                   fmt::format("{} offers the method {}.", offer.program, offer.name));
  const Rect r = ui.row(column, theme::kRow, 6);
  const float middle = 0.5F * (r.x0 + r.x1), half = ui.px(3);
  const std::string id = fmt::format("offer/{}", offer.id);
  const std::string_view why_not = why_no_files(c.model);
  const auto answer = [&](MethodAnswer with) { c.commands.send(command::AnswerMethod{offer.id, with}); };
  if (ui.button((id + "/use").c_str(), {r.x0, r.y0, middle - half, r.y1},
                {.label = "Use", .emphasis = Emphasis::primary},
                {"Use", "The program gets each frame and computes its image.", why_not}))
    answer(MethodAnswer::use);
  if (ui.button((id + "/refuse").c_str(), {middle + half, r.y0, r.x1, r.y1}, {.label = "Refuse"},
                {"Refuse", "Ends the connection with the program.", why_not}))
    answer(MethodAnswer::refuse);
}

void value_row(Ui& ui, Column& column, std::string_view label, const std::string& value) {
  const Rect r = ui.row(column, 18, 0);
  ui.text(Type::small, r.x0 + ui.px(14), r.y0, r.height(), theme::kMuted, label);
  ui.text(Type::small, r.x1 - ui.width(Type::small, value), r.y0, r.height(), theme::kText, value);
}

void program_rows(PanelContext& c, Column& column, const OwnProgram& program) {
  Ui& ui = c.ui;
  const bool wrong = !program.connected || !program.problem.empty();
  const float x = column.x0 + ui.px(14), wrap = column.x1 - x;
  const bool in_use = c.edits.params.formation.adaptive == Adaptive::own;
  const std::string_view state = !program.connected ? "Ended; delay-and-sum in its place"
                                 : !in_use          ? "Connected; another method is in use"
                                 : wrong            ? "Running, with frames of delay-and-sum in its place"
                                                    : "Running";
  ui.disc(column.x0 + ui.px(4), column.y + ui.px(8), 3, wrong ? theme::kRed : theme::kAccent);
  column.y += ui.paragraph(Type::small, x, column.y, wrap, ui.px(kMessageLine), theme::kText, state);
  column.y += ui.paragraph(Type::small, x, column.y, wrap, ui.px(kMessageLine), theme::kMuted,
                           fmt::format("{}, input {}", program.program, program.input));
  if (!program.place.empty()) copied_row(ui, column, "method/place", theme::kMuted, program.place);
  value_row(ui, column, "Rate",
            fmt::format("{:.1f} of {:.1f} /s", program.rate_hz, program.rate_hz + program.skipped_hz));
  value_row(ui, column, "Time p50, p95", fmt::format("{:.2f}, {:.2f} ms", program.p50_ms, program.p95_ms));
  value_row(ui, column, "of it in the function", fmt::format("{:.2f} ms", program.function_p50_ms));
  if (!program.problem.empty())
    copied_row(ui, column, "method/problem", severity_ink(Severity::error), program.problem);
  if (ui.button(
          "method/detach", ui.row(column, theme::kRow, 6), {.label = "Detach"},
          {"Detach", "Ends the connection with the program; delay-and-sum forms the image.", why_no_files(c.model)}))
    c.commands.send(command::AnswerMethod{0, MethodAnswer::detach});
}

void difference_rows(PanelContext& c, Column& column) {
  const OwnDifference& difference = c.model.image.method.difference;
  c.edits.view.difference_wanted = true;
  if (difference.method.empty() && difference.why_not.empty()) return;
  const float x = column.x0 + c.ui.px(14), wrap = column.x1 - x;
  const bool known = difference.levels.pixels > 0;
  if (known) {
    value_row(c.ui, column, "Difference, rms", fixed(difference.levels.rms_db, 1) + " dB");
    value_row(c.ui, column, "mean", fixed(difference.levels.mean_db, 1) + " dB");
  }
  const std::string from = fmt::format("from {}, of its pixels down to 50 dB below the brightest", difference.method);
  const std::string none = "No difference: " + (difference.why_not.empty() ? "no echoes" : difference.why_not);
  column.y +=
      c.ui.paragraph(Type::small, x, column.y, wrap, c.ui.px(kMessageLine), theme::kMuted, known ? from : none) +
      c.ui.px(4);
}

}  // namespace

bool has_method_file(const PanelContext& c) {
  const OwnMethodView& view = c.model.image.method;
  return !view.file.empty() || !view.offers.empty() || !view.program.name.empty();
}

void method_panel(PanelContext& c, Column& column, bool& open) {
  const OwnMethodView& view = c.model.image.method;
  const bool program = view.file.empty() && !view.program.name.empty();
  const std::string name = program ? "Python: " + view.program.name : view.file.stem().string();
  c.ui.header("panel_method", column, "Own method", name, open);
  if (!open) return;
  for (const OwnOffer& offer : view.offers) offer_rows(c, column, offer);
  if (program) program_rows(c, column, view.program);
  if (!view.file.empty()) state_row(c, column);
  if (c.edits.params.formation.adaptive == Adaptive::own && (program || view.state != OwnState::none))
    difference_rows(c, column);
  bool changed = false;
  if (const auto& own = c.edits.params.formation.own; own != nullptr && (program || !view.file.empty()))
    for (std::size_t k = 0; k < own->parameters.size(); ++k) changed |= parameter_row(c, column, k);
  for (std::size_t i = 0; i < view.lines.size(); ++i) line_row(c, column, i);
  if (changed) c.commands.send(command::ParamsChanged{});
}

}  // namespace echoloop
