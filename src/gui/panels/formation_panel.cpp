#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/compare_bar.h"
#include "gui/number_text.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 2> kRecipes = {{{"Analytic"}, {"Course"}}};
constexpr std::array<Choice, 5> kApodizations = {{{"Boxcar"}, {"Hann"}, {"Hamming"}, {"Tukey"}, {"Gauss"}}};
constexpr std::array<Choice, 2> kOffOn = {{{"Off"}, {"On"}}};
constexpr std::array<Choice, 2> kPrecisions = {{{"fp32"}, {"fp16"}}};
constexpr std::array<int, 7> kGridSides = {0, 128, 256, 384, 512, 768, 1024};

bool recipe_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  const Rect r = ui.labelled(column, "Recipe", {}, true);
  bool changed = false;
  if (const auto picked =
          ui.segmented("recipe", r, kRecipes, static_cast<int>(p.recipe), {"Recipe", param_help("recipe"), {}})) {
    p.recipe = static_cast<Recipe>(*picked);
    changed = true;
  }
  if (!c.state.formation_warning.empty()) {
    const float x = column.x0 + ui.px(14);
    ui.disc(column.x0 + ui.px(4), column.y + ui.px(8), 3, theme::kWarn);
    column.y +=
        ui.paragraph(Type::small, x, column.y, column.x1 - x, ui.px(16), theme::kText2, c.state.formation_warning) +
        ui.px(4);
  }
  column.y += ui.px(2);
  return changed;
}

// What the sampling can hold: the Nyquist zone of RF, the demodulated band of IQ.
Interval band_limits_mhz(const UiState& state) {
  const double to_mhz = 1.0 / kHertzPerMegahertz;
  if (state.source.acquisition == nullptr) return {0.0, 20.0};
  const Acquisition& a = *state.source.acquisition;
  if (a.signal == SignalKind::iq) {
    return {std::max(0.0, a.demod_hz - 0.5 * a.sampling_hz) * to_mhz, (a.demod_hz + 0.5 * a.sampling_hz) * to_mhz};
  }
  const double top = std::min(std::max(0.5 * a.sampling_hz, state.defaults.band_high_hz), 2.5 * a.center_hz);
  return {0.0, std::max({top, state.defaults.band_high_hz, state.params.band_high_hz}) * to_mhz};
}

// As deep as samples go, at the speed of sound in use.
double recorded_depth_mm(const UiState& state) {
  double last_s = 0.0;
  if (const Acquisition* a = state.source.acquisition.get(); a != nullptr && a->sampling_hz > 0.0) {
    for (const Transmit& t : a->transmits) last_s = std::max(last_s, t.t0_s + a->n_samples / a->sampling_hz);
  }
  const double depth_m = std::max(0.5 * last_s * state.params.sound_speed_m_s, state.params.depth_max_m);
  return depth_m > 0.0 ? depth_m / kMetresPerMillimetre : 100.0;
}

bool grid_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  const bool automatic = p.grid_nx == 0 && p.grid_nz == 0;
  std::string now = "auto";
  if (!automatic) {
    const auto side = [](int n) { return n == 0 ? std::string("auto") : std::to_string(n); };
    now = side(p.grid_nx) + " × " + side(p.grid_nz);
  } else if (c.shown_grid.nx > 0) {
    now = fmt::format("{} × {}", c.shown_grid.nx, c.shown_grid.nz);
  }
  std::vector<std::string> names;
  int chosen = -1;
  for (std::size_t i = 0; i < kGridSides.size(); ++i) {
    const int side = kGridSides[i];
    names.push_back(side == 0 ? "auto" : fmt::format("{0} × {0}", side));
    if (p.grid_nx == side && p.grid_nz == side) chosen = static_cast<int>(i);
  }
  std::vector<Choice> choices;
  for (const std::string& name : names) choices.push_back({name});
  choices[0].note = "1/3 wavelength";
  const std::string help = std::string(param_help("grid_nx")) + " " + std::string(param_help("grid_nz"));
  const bool show_note = automatic && c.shown_grid.nx > 0;
  const auto picked = ui.combo("grid", ui.labelled(column, "Grid", {}, true), {now, show_note ? "auto" : ""}, choices,
                               chosen, {"Grid", help, {}});
  if (!picked) return false;
  p.grid_nx = p.grid_nz = kGridSides[static_cast<std::size_t>(*picked)];
  return true;
}

// Why elements cannot be weighted and filtered; empty when they can.
std::string_view weights_reason(const UiState& state, std::string_view with_course) {
  const Acquisition* a = state.source.acquisition.get();
  if (a != nullptr && a->data == DataKind::beamformed) return "Not available: the recording is already beamformed.";
  return course_reason(state.params, with_course);
}

bool further_rows(PanelContext& c, Column& column) {
  ImagingParams& p = c.state.params;
  bool changed = sector_rows(c, column);
  changed |= transmit_rows(c, column);
  column.y += c.ui.px(3);
  const auto why = weights_reason(c.state, "The course recipe uses equal weights.");
  if (const auto picked =
          c.ui.segmented("directivity", c.ui.labelled(column, "Directivity", {}, why.empty()), kOffOn,
                         static_cast<int>(p.directivity), {"Directivity", param_help("directivity"), why})) {
    p.directivity = static_cast<Directivity>(*picked);
    changed = true;
  }
  std::string_view no_choice = c.state.no_effect.precision;
  if (no_choice.empty()) no_choice = course_reason(p, "The course recipe uses single precision.");
  const Acquisition* a = c.state.source.acquisition.get();
  if (no_choice.empty() && a != nullptr && (forms_lines(p, *a) || a->data == DataKind::beamformed)) {
    no_choice = "Scan lines and beamformed recordings use single precision.";
  }
  if (const auto picked =
          c.ui.segmented("precision", c.ui.labelled(column, "Precision", {}, no_choice.empty()), kPrecisions,
                         static_cast<int>(p.precision), {"Precision", param_help("precision"), no_choice})) {
    p.precision = static_cast<Precision>(*picked);
    changed = true;
  }
  return refine_rows(c, column) || changed;
}

// In the panel's head: which side of a comparison its controls are of.
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

std::string_view param_help(std::string_view key) {
  const ParamSpec* spec = find_param(key);
  return spec != nullptr ? spec->help : std::string_view();
}

std::string_view course_reason(const ImagingParams& p, std::string_view reason) {
  return p.recipe == Recipe::course ? reason : std::string_view();
}

bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width) {
  const ParamSpec* low = find_param(low_key);
  const ParamSpec* high = find_param(high_key);
  if (low == nullptr || high == nullptr) return false;
  const double k = low->shown_per_si;
  const std::string help = std::string(low->help) + " " + std::string(high->help);
  look.help = help;
  look.unit = low->unit;
  look.decimals = low->decimals;
  look.least = low->min * k;
  look.most = high->max * k;
  const auto read = [&](const ImagingParams& p) { return Interval{get_number(p, *low) * k, get_number(p, *high) * k}; };
  const auto wanted = range_slider(c.ui, column, look, read(c.state.params), read(c.state.defaults), least_width);
  if (!wanted) return false;
  set_number(c.state.params, *low, wanted->low / k);
  set_number(c.state.params, *high, wanted->high / k);
  return true;
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

void formation_panel(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  bool& open = c.view.is_open(Panel::formation, c.compact);
  const float header_y = column.y;
  const float link = open ? more_link(ui, "more_formation", column, header_y, c.more_formation) : 0;
  ui.header("panel_formation", column, "Image formation",
            open                         ? ""
            : p.recipe == Recipe::course ? "course"
                                         : fmt::format("{} m/s", fixed(p.sound_speed_m_s, 0)),
            open, link);
  if (!open) return;
  if (c.state.cine.compare) say_side(c, column, header_y);
  column.y += ui.px(2);
  bool changed = recipe_rows(c, column);
  changed |= param_slider(ui, column, "sound_speed_m_s", p, d, {.min = 1300, .max = 1800});
  changed |= param_slider(ui, column, "f_number", p, d, {.min = 0, .max = 5},
                          weights_reason(c.state, "The course recipe uses the full aperture."));
  const Interval limits = band_limits_mhz(c.state);
  changed |=
      interval_row(c, column,
                   {.id = "band",
                    .label = "Band",
                    .track_min = limits.low,
                    .track_max = limits.high,
                    .why_not = weights_reason(c.state, "The course recipe uses a fixed filter, 2.5 to 7.5 MHz.")},
                   "band_low_hz", "band_high_hz", 0.2);
  changed |= interval_row(c, column,
                          {.id = "depth",
                           .label = "Depth",
                           .track_min = std::min(0.0, d.depth_min_m / kMetresPerMillimetre),
                           .track_max = recorded_depth_mm(c.state)},
                          "depth_min_m", "depth_max_m", 1.0);
  column.y += ui.px(3);
  const auto why = weights_reason(c.state, "The course recipe uses equal weights.");
  const auto apodization = static_cast<std::size_t>(p.apodization);
  if (const auto picked =
          ui.combo("apodization", ui.labelled(column, "Apodization", {}, why.empty()), kApodizations[apodization],
                   kApodizations, static_cast<int>(apodization), {"Apodization", param_help("apodization"), why})) {
    p.apodization = static_cast<Apodization>(*picked);
    changed = true;
  }
  changed |= grid_row(c, column);
  if (c.more_formation) changed |= further_rows(c, column);
  if (changed) call(c.commands.params_changed);
}

}  // namespace echoloop
