// Image formation, further rows: which transmits make the picture, and what is done to it once it is formed.
#include <algorithm>
#include <array>
#include <string>

#include "core/transmits.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 5> kWindows = {{{"Boxcar"}, {"Hann"}, {"Hamming"}, {"Tukey"}, {"Gauss"}}};
constexpr std::array<Choice, 3> kMedians = {{{"Off"}, {"3 \u00D7 3"}, {"5 \u00D7 5"}}};

std::string_view why_all(const PanelContext& c) {
  const Acquisition* a = c.state.source.acquisition.get();
  if (a == nullptr) return "No source.";
  if (a->n_transmits() == 1) return "The recording has a single transmit per frame.";
  if (forms_lines(c.state.params, *a)) return "Each scan line needs the transmit focused along the line.";
  return {};
}

bool range_row(PanelContext& c, Column& column, int n, std::string_view why) {
  ImagingParams& p = c.state.params;
  const SliderLook look{.id = "transmits",
                        .label = "Transmits used",
                        .track_min = 1,
                        .track_max = static_cast<double>(std::max(n, 2)),
                        .least = 1,
                        .most = static_cast<double>(n),
                        .help = "First and last transmit of the image.",
                        .why_not = why};
  const Interval now{static_cast<double>(p.transmit_first),
                     static_cast<double>(p.transmit_last == 0 ? n : p.transmit_last)};
  const auto wanted = range_slider(c.ui, column, look, now, {1, static_cast<double>(n)}, 0);
  if (!wanted) return false;
  p.transmit_first = static_cast<int>(wanted->low);
  p.transmit_last = static_cast<int>(wanted->high) == n ? 0 : static_cast<int>(wanted->high);
  return true;
}

}  // namespace

bool transmit_rows(PanelContext& c, Column& column) {
  ImagingParams& p = c.state.params;
  const Acquisition* a = c.state.source.acquisition.get();
  const int n = a != nullptr ? a->n_transmits() : 1;
  const std::string_view why = why_all(c);
  bool changed = range_row(c, column, n, why);
  changed |= param_slider(c.ui, column, "transmit_every", p, c.state.defaults,
                          {.min = 1, .max = static_cast<double>(std::max(2, (n + 1) / 2))}, why);
  std::string_view why_alike = why;
  if (why_alike.empty()) why_alike = course_reason(p, "The course recipe uses equal weights.");
  if (why_alike.empty() && picked_transmits(p, *a).count == 1) why_alike = "Only one transmit is used.";
  column.y += c.ui.px(3);
  const auto at = static_cast<std::size_t>(p.transmit_window);
  if (const auto picked =
          c.ui.combo("transmit_window", c.ui.labelled(column, "Tx weights", {}, why_alike.empty()), kWindows[at],
                     kWindows, static_cast<int>(at), {"Transmit weights", param_help("transmit_window"), why_alike})) {
    p.transmit_window = static_cast<Apodization>(*picked);
    changed = true;
  }
  return changed;
}

bool refine_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  const bool frozen = c.state.run == RunState::frozen;
  bool changed = param_slider(ui, column, "persistence_s", p, d, {.min = 0, .max = 2, .text_at_least = "off"},
                              frozen ? "Replayed frames are not averaged." : "");
  column.y += ui.px(3);
  const Rect r = ui.labelled(column, "Median", {}, true);
  if (const auto picked =
          ui.segmented("median", r, kMedians, static_cast<int>(p.median), {"Median", param_help("median"), {}})) {
    p.median = static_cast<Median>(*picked);
    changed = true;
  }
  const ParamTrack length{.min = 0, .max = 2, .text_at_least = "off"};
  changed |= param_slider(ui, column, "smooth_axial_m", p, d, length);
  changed |= param_slider(ui, column, "smooth_lateral_m", p, d, length);
  changed |= param_slider(ui, column, "speckle_reduction", p, d, {.min = 0, .max = 1, .text_at_least = "off"});
  return changed;
}

}  // namespace echoloop
