// The speed of sound; below it, with "more", the button of its search, then progress, curves, peak and Apply.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/measure_parts.h"
#include "gui/panels/param_rows.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kCurveHeight = 64;
constexpr std::string_view kFindHelp =
    "Searches 41 speeds of sound within 150 m/s on the frame on screen for the one at which the channels agree best, "
    "in the selected region or the whole image, with F 1.5 or more. The stream continues; no parameter changes before "
    "Apply.";

void progress_row(PanelContext& c, Column& column, double fraction) {
  Ui& ui = c.ui;
  Rect r = ui.row(column, theme::kRow, 4);
  const Rect cancel{r.x1 - ui.px(64), r.y0, r.x1, r.y1};
  const std::string percent = fmt::format("{:.0f} %", 100.0 * fraction);
  r.x1 = cancel.x0 - ui.px(8);
  const float end = ui.text(Type::small, r, theme::kText2, "Searching");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText2, percent);
  const Rect track{end + ui.px(8), r.cy() - ui.px(2), r.x1 - ui.width(Type::small, "100 %") - ui.px(8),
                   r.cy() + ui.px(2)};
  ui.fill(track, theme::kLine, 2);
  const float done = track.width() * static_cast<float>(std::clamp(fraction, 0.0, 1.0));
  ui.fill({track.x0, track.y0, track.x0 + done, track.y1}, theme::kAccent, 2);
  if (ui.button("sound_speed_cancel", cancel, {.label = "Cancel"}, {"Cancel", "Ends the search.", {}})) {
    call(c.commands.sound_speed, SoundSpeedAct::cancel);
  }
}

void draw_phi(const Ui& ui, const Rect& box, const FoundSpeeds& found, const FoundSpeed& curve, ImU32 color) {
  if (curve.phi.size() < 2) return;
  const auto [lowest, highest] = speed_curve_axis(curve);
  const Plot plot{box, {found.first_m_s, found.last_m_s, {}}, {highest, lowest, {}}};
  const double step = (found.last_m_s - found.first_m_s) / static_cast<double>(curve.phi.size() - 1);
  draw_curve(ui, plot, curve.phi, found.first_m_s, step, color, 1.5F);
}

// Each curve between its own lowest and highest value: their peaks are compared, not their heights.
void curve_plot(PanelContext& c, Column& column, const FoundSpeeds& found) {
  Ui& ui = c.ui;
  const Rect area = ui.row(column, kCurveHeight, 4);
  const Rect box{area.x0, area.y0, area.x1, area.y1 - ui.px(16)};
  ui.fill(box, theme::kCanvas, 2);
  const FoundSpeed& chosen = found.chosen();
  draw_phi(ui, box, found, &chosen == &found.elements ? found.transmits : found.elements, theme::kMuted);
  draw_phi(ui, box, found, chosen, theme::kAccent);
  const Plot plot{box, {found.first_m_s, found.last_m_s, {}}, {}};
  ui.vertical(std::round(plot.x_px(found.assumed_m_s)), box.y0, box.y1, theme::kLine2);
  ui.vertical(std::round(plot.x_px(chosen.peak_m_s)), box.y0, box.y1, theme::kAccent);
  const float y = box.y1 + ui.px(1), h = ui.px(14);
  ui.text(Type::small, box.x0, y, h, theme::kMuted, fixed(found.first_m_s, 0));
  ui.text_right(Type::small, box.x1, y, h, theme::kMuted, fixed(found.last_m_s, 0) + " m/s");
  const std::string peak = fixed(chosen.peak_m_s, 0);
  const float half = 0.5F * ui.width(Type::small, peak);
  const float left = box.x0 + ui.px(40), right = box.x1 - ui.px(64);
  ui.text(Type::small, std::clamp(plot.x_px(chosen.peak_m_s) - half, left, std::max(left, right - 2 * half)), y, h,
          theme::kText, peak);
  const Hit hit = ui.hit("sound_speed_curve", area);
  ui.tip(
      "sound_speed_curve", hit, area,
      {"Coherence over the speed of sound",
       "Coherent share of the channels' energy, each curve from its own lowest to its own highest value; accent: the "
       "curve of the result. Gray line: speed of the image.",
       {}});
}

void result_rows(PanelContext& c, Column& column, const FoundSpeeds& found) {
  Ui& ui = c.ui;
  curve_plot(c, column, found);
  const auto line = [&](const char* axis, const FoundSpeed& curve) {
    if (curve.phi.empty()) return;
    const Rect r = ui.row(column, 18, 0);
    ui.text(Type::small, r, theme::kText2, axis);
    ui.text_right(Type::small, r.x1, r.y0, r.height(), &curve == &found.chosen() ? theme::kText : theme::kMuted,
                  fmt::format("{} m/s, prominence {:.0f} %", fixed(curve.peak_m_s, 0), 100.0 * curve.prominence));
  };
  line("Peak over elements", found.elements);
  line("Peak over transmits", found.transmits);
  if (!found.f_number.empty()) note_row(c, column, found.f_number);
  for (const std::string& warning : found.chosen().warnings) note_row(c, column, warning);
  const double whole = std::round(found.chosen().peak_m_s);
  Rect r = ui.row(column, theme::kRow, 4);
  ui.text_fitted(Type::small, r.x0, r.x1 - ui.px(132), r.y0, r.height(), theme::kMuted, found.region);
  const bool same = c.state.params.formation.sound_speed_m_s == whole;
  if (ui.button("sound_speed_apply", {r.x1 - ui.px(128), r.y0, r.x1 - ui.px(34), r.y1},
                {.label = same ? "Applied" : "Apply " + fixed(whole, 0), .emphasis = Emphasis::primary},
                {"Apply", "Sets the speed of sound to the peak. Undo restores the speed before.",
                 same ? "The speed of sound is the peak already." : ""})) {
    c.state.params.formation.sound_speed_m_s = whole;
    call(c.commands.params_changed);
  }
  const Rect close{r.x1 - ui.px(28), r.y0, r.x1, r.y1};
  if (ui.icon_button("sound_speed_close", close, {"Close", "Hides the result of the search.", {}})) {
    call(c.commands.sound_speed, SoundSpeedAct::close);
  }
  ui.cross(close.cx(), close.cy(), theme::kText2);
}

void find_row(PanelContext& c, Column& column) {
  const Rect r = c.ui.row(column, theme::kRow, 4);
  if (c.ui.button("sound_speed_find", r, {.label = "Find speed of sound"},
                  {"Find the speed of sound", kFindHelp, c.state.analyses.sound_speed.why_not})) {
    call(c.commands.sound_speed, SoundSpeedAct::find);
  }
}

}  // namespace

bool sound_speed_row(PanelContext& c, Column& column) {
  const SoundSpeedView& search = c.state.analyses.sound_speed;
  const bool changed = param_row(c, column, "sound_speed_m_s");
  if (search.fraction) {
    progress_row(c, column, *search.fraction);
    return changed;
  }
  if (c.more_formation) find_row(c, column);
  if (search.found) result_rows(c, column, *search.found);
  return changed;
}

}  // namespace echoloop
