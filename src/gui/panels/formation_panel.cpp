#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/own_method.h"
#include "core/units.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

bool shows_sector(const PanelContext& c) {
  const Acquisition* a = c.model.source.acquisition.get();
  return a != nullptr && grid_kind(c.edits.params, *a) == GridKind::polar;
}

int transmits_of(const PanelContext& c) {
  const Acquisition* a = c.model.source.acquisition.get();
  return a != nullptr ? a->n_transmits() : 1;
}

bool grid_kind_row(PanelContext& c, Column& column) {
  const bool automatic = c.edits.params.formation.grid_kind == GridChoice::automatic;
  return choice_row(c, column, param("grid_kind"), !automatic ? "" : shows_sector(c) ? "polar" : "cartesian");
}

bool lateral_row(PanelContext& c, Column& column) {
  const FormationParams& p = c.edits.params.formation;
  const FormationParams& d = c.model.defaults.formation;
  const double widest =
      std::max({std::abs(d.lateral_min_m), d.lateral_max_m, std::abs(p.lateral_min_m), p.lateral_max_m, 5e-3}) * 1.5 /
      kMetresPerMillimetre;
  return interval_row(c, column, {.id = "lateral", .label = "Lateral", .track_min = -widest, .track_max = widest},
                      "lateral_min_m", "lateral_max_m", 1.0);
}

bool sector_row(PanelContext& c, Column& column) {
  return interval_row(c, column, {.id = "sector", .label = "Sector", .track_min = -90.0, .track_max = 90.0},
                      "sector_min_rad", "sector_max_rad", 2.0);
}

bool compounding_row(PanelContext& c, Column& column) {
  const ImagingParams& p = c.edits.params;
  const Acquisition* a = c.model.source.acquisition.get();
  const bool automatic = p.formation.compounding == Compounding::automatic;
  const bool lines = a != nullptr && forms_lines(p, *a);
  return choice_row(c, column, param("compounding"), !automatic ? "" : lines ? "lines" : "coherent");
}

bool transmit_range_row(PanelContext& c, Column& column) {
  TransmitParams& p = c.edits.params.transmits;
  const int n = transmits_of(c);
  const SliderLook look{.id = "transmits",
                        .label = "Transmits used",
                        .track_min = 1,
                        .track_max = static_cast<double>(std::max(n, 2)),
                        .least = 1,
                        .most = static_cast<double>(n),
                        .help = "First and last transmit of the image.",
                        .why_not = why_no_effect(param("transmit_first"), param_context(c))};
  const Interval now{static_cast<double>(p.first), static_cast<double>(p.last == 0 ? n : p.last)};
  const auto wanted = range_slider(c.ui, column, look, now, {1, static_cast<double>(n)}, 0);
  if (!wanted) return false;
  p.first = static_cast<int>(wanted->low);
  p.last = static_cast<int>(wanted->high) == n ? 0 : static_cast<int>(wanted->high);
  return true;
}

bool transmit_step_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("transmit_every");
  ParamControl control = spec.control;
  control.drag_min = 1;
  control.drag_max = std::max(2, (transmits_of(c) + 1) / 2);
  return number_row(c, column, spec, control);
}

constexpr std::array<int, 7> kGridSides = {0, 128, 256, 384, 512, 768, 1024};

bool recipe_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const bool changed = param_row(c, column, "recipe");
  if (!c.model.notices.formation_warning.empty()) {
    const float x = column.x0 + ui.px(14);
    ui.disc(column.x0 + ui.px(4), column.y + ui.px(8), 3, theme::kWarn);
    column.y += ui.paragraph(Type::small, x, column.y, column.x1 - x, ui.px(16), theme::kText2,
                             c.model.notices.formation_warning) +
                ui.px(4);
  }
  column.y += ui.px(2);
  return changed;
}

// Returns the range of the sampling: the Nyquist zone of RF, the demodulated band of IQ.
Interval band_limits_mhz(const Model& model, const Edits& edits) {
  const double to_mhz = 1.0 / kHertzPerMegahertz;
  if (model.source.acquisition == nullptr) return {0.0, 20.0};
  const Acquisition& a = *model.source.acquisition;
  if (a.signal == SignalKind::iq) {
    return {std::max(0.0, a.demod_hz - 0.5 * a.sampling_hz) * to_mhz, (a.demod_hz + 0.5 * a.sampling_hz) * to_mhz};
  }
  const double top = std::min(std::max(0.5 * a.sampling_hz, model.defaults.formation.band_high_hz), 2.5 * a.center_hz);
  return {0.0, std::max({top, model.defaults.formation.band_high_hz, edits.params.formation.band_high_hz}) * to_mhz};
}

bool grid_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.edits.params;
  const bool automatic = p.formation.grid_nx == 0 && p.formation.grid_nz == 0;
  std::string now = "auto";
  if (!automatic) {
    const auto side = [](int n) { return n == 0 ? std::string("auto") : std::to_string(n); };
    now = side(p.formation.grid_nx) + " × " + side(p.formation.grid_nz);
  } else if (c.shown_grid.nx > 0) {
    now = fmt::format("{} × {}", c.shown_grid.nx, c.shown_grid.nz);
  }
  std::vector<std::string> names;
  int chosen = -1;
  for (std::size_t i = 0; i < kGridSides.size(); ++i) {
    const int side = kGridSides[i];
    names.push_back(side == 0 ? "auto" : fmt::format("{0} × {0}", side));
    if (p.formation.grid_nx == side && p.formation.grid_nz == side) chosen = static_cast<int>(i);
  }
  std::vector<Choice> choices;
  for (const std::string& name : names) choices.push_back({name});
  choices[0].note = "1/3 wavelength";
  const std::string help = std::string(param("grid_nx").help) + " " + std::string(param("grid_nz").help);
  const bool show_note = automatic && c.shown_grid.nx > 0;
  const auto picked = ui.combo("grid", ui.labelled(column, "Grid", true), {now, show_note ? "auto" : ""}, choices,
                               chosen, {"Grid", help, {}});
  if (!picked) return false;
  p.formation.grid_nx = p.formation.grid_nz = kGridSides[static_cast<std::size_t>(*picked)];
  return true;
}

bool band_row(PanelContext& c, Column& column) {
  const Interval limits = band_limits_mhz(c.model, c.edits);
  return interval_row(c, column, {.id = "band", .label = "Band", .track_min = limits.low, .track_max = limits.high},
                      "band_low_hz", "band_high_hz", 0.2);
}

bool depth_range_row(PanelContext& c, Column& column) {
  return interval_row(c, column,
                      {.id = "depth",
                       .label = "Depth",
                       .track_min = std::min(0.0, c.model.defaults.formation.depth_min_m / kMetresPerMillimetre),
                       .track_max = recorded_depth_mm(c.model, c.edits)},
                      "depth_min_m", "depth_max_m", 1.0);
}

// Methods, the files of own methods that were used before, and the dialog for another one.
bool method_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("adaptive");
  const FormationParams& f = c.edits.params.formation;
  const std::string own = f.own != nullptr ? "Own: " + f.own->name : "Own";
  const std::vector<std::filesystem::path>& files = c.model.opening.methods;
  const std::vector<RecentName> recent =
      why_no_files(c.model).empty() ? recent_names(files) : std::vector<RecentName>();
  std::vector<std::string> names;
  for (const RecentName& file : recent) names.push_back("Own: " + file.name);
  std::vector<Choice> choices;
  for (const ParamChoice& choice : spec.choices) choices.push_back({choice.label, choice.note});
  const std::size_t built_in = choices.size();
  if (f.own != nullptr) choices.back() = {own, f.own->process != nullptr ? "Python" : ""};
  for (std::size_t i = 0; i < names.size(); ++i) choices.push_back({names[i], recent[i].folder});
  if (why_no_files(c.model).empty()) choices.push_back({"Own…", "a file of C++ (.h)"});
  const std::string_view why = why_no_effect(spec, param_context(c));
  const auto chosen = static_cast<std::size_t>(f.adaptive);
  const Choice shown{choices[chosen].label};
  const Rect r = c.ui.labelled(column, spec.label, why.empty(), c.ui.combo_width(shown.label));
  const auto picked = c.ui.combo("adaptive", r, shown, choices, static_cast<int>(chosen), {spec.label, spec.help, why});
  if (!picked) return false;
  const auto at = static_cast<std::size_t>(*picked);
  if (at < built_in) set_number(c.edits.params, spec, *picked);
  if (at >= built_in && at - built_in < files.size()) c.commands.send(command::OpenMethod{files[at - built_in]});
  c.open_dialog = c.open_dialog || at + 1 == built_in + files.size() + 1;
  return at < built_in;
}

constexpr std::array<OwnRow, 18> kFormationRows = {{{"recipe", recipe_row},
                                                    {"sound_speed_m_s", sound_speed_row},
                                                    {"adaptive", method_row},
                                                    {"band_low_hz", band_row},
                                                    {"band_high_hz", nullptr},
                                                    {"depth_min_m", depth_range_row},
                                                    {"depth_max_m", nullptr},
                                                    {"grid_nx", grid_row},
                                                    {"grid_nz", nullptr},
                                                    {"grid_kind", grid_kind_row},
                                                    {"lateral_min_m", lateral_row},
                                                    {"lateral_max_m", nullptr},
                                                    {"sector_min_rad", sector_row},
                                                    {"sector_max_rad", nullptr},
                                                    {"compounding", compounding_row},
                                                    {"transmit_first", transmit_range_row},
                                                    {"transmit_last", nullptr},
                                                    {"transmit_every", transmit_step_row}}};

// Draws the side of a comparison that the controls change, in the panel's header.
void say_side(PanelContext& c, const Column& column, float header_y) {
  const Ui& ui = c.ui;
  const float h = ui.px(theme::kHeader);
  const float right = column.x1 - ui.width(Type::small, "more") - ui.px(18) - ui.px(22);
  draw_side_letter(ui, CompareSide::b, right, header_y + 0.5F * (h - ui.px(20)));
  const std::string_view words = "edits act on";
  const float x = right - ui.px(6) - ui.width(Type::small, words);
  const float title_end = column.x0 + ui.px(16) + ui.width(Type::strong, "Image formation");
  if (x > title_end + ui.px(6)) ui.text(Type::small, x, header_y, h, theme::kMuted, words);
}

}  // namespace

double recorded_depth_mm(const Model& model, const Edits& edits) {
  double last_s = 0.0;
  if (const Acquisition* a = model.source.acquisition.get(); a != nullptr && a->sampling_hz > 0.0) {
    for (const Transmit& t : a->transmits) last_s = std::max(last_s, t.t0_s + a->n_samples / a->sampling_hz);
  }
  const double depth_m =
      std::max(0.5 * last_s * edits.params.formation.sound_speed_m_s, edits.params.formation.depth_max_m);
  return depth_m > 0.0 ? depth_m / kMetresPerMillimetre : 100.0;
}

float more_link(Ui& ui, const char* id, const Column& column, float header_y, bool& more) {
  const std::string_view word = more ? "less" : "more";
  const float w = ui.width(Type::small, word) + ui.px(8);
  const Rect r{column.x1 - w, header_y, column.x1, header_y + ui.px(theme::kHeader)};
  const Hit h = ui.control(id, r);
  ui.tip(id, h, r,
         {more ? "Less" : "More", more ? "Hides the rarely used controls." : "Shows the rarely used controls.", {}});
  ui.text_right(Type::small, r.x1, r.y0, r.height(), h.hovered ? theme::kText : theme::kMuted, word);
  if (h.clicked) more = !more;
  return w;
}

void formation_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  ImagingParams& p = c.edits.params;
  const float header_y = column.y;
  const float link = open ? more_link(ui, "more_formation", column, header_y, c.more_formation) : 0;
  ui.header("panel_formation", column, "Image formation",
            open                                   ? ""
            : p.formation.recipe == Recipe::course ? "course"
                                                   : fmt::format("{} m/s", fixed(p.formation.sound_speed_m_s, 0)),
            open, link);
  if (!open) return;
  if (c.edits.cine.compare) say_side(c, column, header_y);
  column.y += ui.px(2);
  const MoreRows more = c.more_formation ? MoreRows::shown : MoreRows::hidden;
  const bool changed =
      param_rows(c, column, {kPart<&ImagingParams::formation>, kPart<&ImagingParams::transmits>}, more, kFormationRows);
  if (changed) c.commands.send(command::ParamsChanged{});
}

// Speed of sound, with the button of its search; below it progress, curves, peak and Apply.

namespace {

constexpr float kCurveHeight = 64;
constexpr std::string_view kSearching = "A search is in progress.";
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
    c.commands.send(command::SoundSpeed{SoundSpeedAct::cancel});
  }
}

void draw_phi(const Ui& ui, const Rect& box, const FoundSpeeds& found, const FoundSpeed& curve, ImU32 color) {
  if (curve.phi.size() < 2) return;
  const auto [lowest, highest] = speed_curve_axis(curve);
  const Plot plot{box, {found.first_m_s, found.last_m_s, {}}, {highest, lowest, {}}};
  const double step = (found.last_m_s - found.first_m_s) / static_cast<double>(curve.phi.size() - 1);
  draw_curve(ui, plot, curve.phi, found.first_m_s, step, color, 1.5F);
}

// Scales each curve to its own lowest and highest value: their peaks are compared, not their heights.
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
  const bool same = c.edits.params.formation.sound_speed_m_s == whole;
  if (ui.button("sound_speed_apply", {r.x1 - ui.px(128), r.y0, r.x1 - ui.px(34), r.y1},
                {.label = same ? "Applied" : "Apply " + fixed(whole, 0), .emphasis = Emphasis::primary},
                {"Apply", "Sets the speed of sound to the peak. Undo restores the speed before.",
                 same ? "The speed of sound is the peak already." : ""})) {
    c.edits.params.formation.sound_speed_m_s = whole;
    c.commands.send(command::ParamsChanged{});
  }
  const Rect close{r.x1 - ui.px(28), r.y0, r.x1, r.y1};
  if (ui.icon_button("sound_speed_close", close, {"Close", "Hides the result of the search.", {}})) {
    c.commands.send(command::SoundSpeed{SoundSpeedAct::close});
  }
  ui.cross(close.cx(), close.cy(), theme::kText2);
}

}  // namespace

bool sound_speed_row(PanelContext& c, Column& column) {
  const float find = c.compact ? 38.0F : 48.0F, gap = c.compact ? 6.0F : 10.0F;  // label and value need the rest
  const SoundSpeedView& search = c.model.analyses.of<SoundSpeedView>();
  Column slider = column;
  slider.x1 -= c.ui.px(find + gap);
  const bool changed = param_row(c, slider, "sound_speed_m_s");
  const float y = column.y + c.ui.px(5);
  column.y = slider.y;
  if (c.ui.button(
          "sound_speed_find", {column.x1 - c.ui.px(find), y, column.x1, y + c.ui.px(theme::kRow)}, {.label = "Find"},
          {"Find the speed of sound", kFindHelp, search.fraction ? kSearching : std::string_view(search.why_not)})) {
    c.commands.send(command::SoundSpeed{SoundSpeedAct::find});
  }
  if (search.fraction) {
    progress_row(c, column, *search.fraction);
    return changed;
  }
  if (search.found) result_rows(c, column, *search.found);
  return changed;
}

}  // namespace echoloop
