// All messages of the run, newest first, each complete with time and severity; the message line shortens long ones. A
// click copies one message, a button all of them. UI thread only.
#include <fmt/format.h>

#include <algorithm>

#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/panels/panels.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr float kLogLine = 16;

void muted_line(PanelContext& c, Column& column, std::string_view text) {
  const float wrap = column.x1 - column.x0;
  column.y += c.ui.paragraph(Type::small, column.x0, column.y, wrap, c.ui.px(kLogLine), theme::kMuted, text);
}

void message_row(PanelContext& c, Column& column, std::size_t i) {
  Ui& ui = c.ui;
  const Message& m = c.model.notices.messages.list()[i];
  const float text_x = column.x0 + ui.px(14), pad = ui.px(3), wrap = column.x1 - text_x;
  const std::string line = message_line(m);
  const float height = ui.paragraph_height(Type::small, wrap, ui.px(kLogLine), line) + 2 * pad;
  const Rect r{column.x0, column.y, column.x1, column.y + height};
  column.y += height;
  const std::string id = fmt::format("log/{}", i);
  const Hit h = ui.control(id.c_str(), r, FocusKind::line, line);
  if (h.hovered) ui.fill(r, theme::kHover, 4);
  if (h.clicked) ImGui::SetClipboardText(line.c_str());
  ui.tip(id.c_str(), h, r, {"Click to copy", "Copies this message with its time.", {}});
  const Severity looks = m.stay == Stay::resolved ? Severity::info : m.severity;
  ui.disc(column.x0 + ui.px(4), r.y0 + pad + ui.px(0.5F * kLogLine), 3, severity_dot(looks));
  ui.paragraph(Type::small, text_x, r.y0 + pad, wrap, ui.px(kLogLine), severity_ink(looks), line);
}

void copy_row(PanelContext& c, Column& column) {
  Rect r = c.ui.row(column, theme::kRow, 4);
  r.x0 = r.x1 - c.ui.px(104);
  const std::string_view why = c.model.notices.messages.list().empty() ? "No messages yet." : "";
  if (c.ui.button("log_copy", r, {.label = "Copy all"},
                  {"Copy all", "Copies all listed messages with time and severity.", why})) {
    ImGui::SetClipboardText(c.model.notices.messages.text().c_str());
  }
}

}  // namespace

void log_panel(PanelContext& c, Column& column, bool& open) {
  const std::size_t n = c.model.notices.messages.list().size(), removed = c.model.notices.messages.removed();
  c.ui.header("panel_log", column, "Log", counted(n, "message"), open);
  if (!open) return;
  copy_row(c, column);
  if (n == 0) muted_line(c, column, "No messages yet.");
  for (std::size_t i = 0; i < n; ++i) message_row(c, column, i);
  if (removed > 0) muted_line(c, column, counted(removed, "older message") + " not kept.");
}

// One control per row of injection_specs() and copy_specs().

namespace {

template <class Settings>
bool setting_row(PanelContext& c, Column& column, const SettingSpec<Settings>& spec, Settings& settings,
                 std::string_view why_not) {
  constexpr double kMostTyped = 1e12;  // a frame number that no stream reaches, and that still fits the column
  // End of the slider's track; larger values can be typed.
  const double track_end = std::min(spec.max, spec.unit == "ms" ? 1000.0 : spec.unit == "s" ? 60.0 : 1e6);
  double& value = settings.*spec.member;
  SliderLook look{.id = spec.key.data(),
                  .label = spec.label,
                  .unit = spec.unit,
                  .decimals = spec.step < 0.1   ? 2
                              : spec.step < 1.0 ? 1
                                                : 0,
                  .track_max = track_end,
                  .most = std::min(spec.max, kMostTyped),
                  .help = spec.help,
                  .why_not = why_not};
  std::optional<double> wanted;
  if (spec.least > 0.0) {
    look.track = Track::logarithmic;
    look.track_min = look.least = spec.least;
    wanted = slider(c.ui, column, look, value, Settings().*spec.member);
  } else {
    wanted = slider_from_off(c.ui, column, look, value, spec.step);
  }
  if (wanted) value = *wanted;
  return wanted.has_value();
}

bool copy_rows(PanelContext& c, Column& column) {
  bool changed = false;
  const bool cpu = c.model.device.backend == "CPU";
  for (const CopySpec& spec : copy_specs()) {
    const bool bus = spec.key.starts_with("bus");
    if (bus && !cpu) continue;
    changed |= setting_row(c, column, spec, c.edits.stream.copy,
                           bus ? std::string_view() : std::string_view(c.model.no_effect.streams));
  }
  return changed;
}

}  // namespace

void faults_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  Injection& inject = c.edits.stream.inject;
  const std::string on = to_text(inject);
  ui.header("panel_faults", column, "Fault injection", on.empty() ? "all off" : on, open);
  if (!open) return;
  ui.paragraph_row(column, 16, theme::kMuted, "Deliberate faults, to show how each policy reacts.");
  bool changed = false;
  for (const InjectionSpec& spec : injection_specs()) {
    const bool no_stalls = spec.member == &Injection::stall_every_s && inject.stall_ms <= 0.0;
    const bool no_event = spec.member == &Injection::missing_event && !c.model.no_effect.streams.empty();
    changed |= setting_row(c, column, spec, inject,
                           no_stalls  ? "Stalls are off: set a duration first."
                           : no_event ? std::string_view(c.model.no_effect.streams)
                                      : std::string_view());
  }
  ui.paragraph_row(column, 16, theme::kMuted, "Copies to the device.");
  changed |= copy_rows(c, column);
  column.y += ui.px(4);
  if (ui.button("faults_off", ui.row(column, theme::kRow, 4), {.label = "All off"},
                {"All off", "Turns all faults off; counters keep their values.",
                 on.empty() ? "All faults are off already." : ""})) {
    inject = {};
    changed = true;
  }
  if (changed) c.commands.send(command::StreamChanged{});
}

}  // namespace echoloop
