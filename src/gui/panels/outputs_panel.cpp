// Outputs to other programs: one switch each, and the programs that read. UI thread only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/stream_settings.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/layout.h"

namespace echoloop {
namespace {

struct OutputText {
  std::string_view label, help;
};
constexpr std::array<OutputText, kOutputKinds> kTexts = {{
    {"Tap",
     "Programs of this user read images, complex pixels and results of analyses while the stream runs, each the "
     "newest; "
     "the stream does not wait for them. In Python: el.Tap(\"iq\")."},
    {"OpenIGTLink",
     "3D Slicer and other clients receive the newest image, at most 60 per second, with its place in mm. Programs of "
     "this machine, unless --igtl-address names another address."},
    {"Control", "Programs of this user set parameters, open, freeze, record and save. Changes can be undone."},
}};

void reader_row(PanelContext& c, Column& column, const OutputReader& reader) {
  const Rect r = c.ui.row(column, 18, 0);
  const std::string rate = fixed(reader.rate_hz, 1) + "/s", dropped = fmt::format("{} dropped", reader.dropped);
  const float lost_x = r.x1 - c.ui.width(Type::small, dropped);
  const float rate_x = lost_x - c.ui.px(10) - c.ui.width(Type::small, rate);
  c.ui.text_fitted(Type::small, r.x0 + c.ui.px(24), rate_x - c.ui.px(6), r.y0, r.height(), theme::kText2,
                   reader.kind.empty() ? reader.name : reader.kind + ", " + reader.name);
  c.ui.text(Type::small, rate_x, r.y0, r.height(), theme::kText, rate);
  c.ui.text(Type::small, lost_x, r.y0, r.height(), reader.dropped > 0 ? theme::kText : theme::kMuted, dropped);
}

void output_rows(PanelContext& c, Column& column, const OutputView& output) {
  Ui& ui = c.ui;
  const OutputText& text = kTexts[static_cast<std::size_t>(output.kind)];
  const Rect r = ui.row(column, theme::kRow, 2);
  const std::string id = "output/" + std::string(text.label);
  if (ui.check_box(id.c_str(), r, text.label, output.on, {text.label, text.help, why_no_files(c.model)}))
    c.commands.send(command::TurnOutput{output.kind, !output.on});
  if (!output.on) return;
  const float end = r.x0 + ui.px(24) + ui.width(Type::body, text.label) + ui.px(12);
  const Rect place{std::max(end, r.x1 - ui.width(Type::small, output.place)), r.y0, r.x1, r.y1};
  const std::string copy = id + "/place";
  const Hit h = ui.control(copy.c_str(), place, FocusKind::line, output.place);
  ui.tip(copy.c_str(), h, place, {"Click to copy", "Copies the name or address for the other program.", {}});
  if (h.clicked) ImGui::SetClipboardText(output.place.c_str());
  ui.text_fitted(Type::small, place.x0, place.x1 + 1, r.y0, r.height(), h.hovered ? theme::kText : theme::kMuted,
                 output.place);
  if (output.readers.empty() && output.kind != OutputKind::control) {
    const Rect none = ui.row(column, 18, 0);
    ui.text(Type::small, none.x0 + ui.px(24), none.y0, none.height(), theme::kMuted, "No reader.");
  }
  for (const OutputReader& reader : output.readers) reader_row(c, column, reader);
}

std::string summary_of(const std::vector<OutputView>& outputs) {
  const auto on = std::ranges::count(outputs, true, &OutputView::on);
  std::size_t readers = 0;
  for (const OutputView& output : outputs) readers += output.readers.size();
  if (on == 0) return "off";
  return fmt::format("{} on, {}", on, counted(readers, "reader"));
}

}  // namespace

bool has_outputs(const PanelContext& c) {
  return c.view.transient.outputs || std::ranges::any_of(c.model.saving.outputs, &OutputView::on);
}

void outputs_panel(PanelContext& c, Column& column, bool& open) {
  c.ui.header("panel_outputs", column, "Outputs", summary_of(c.model.saving.outputs), open);
  if (!open) return;
  for (const OutputView& output : c.model.saving.outputs) output_rows(c, column, output);
}

}  // namespace echoloop
