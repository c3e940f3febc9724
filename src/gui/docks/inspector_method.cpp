// The inspector's plots of an adaptive method: the channels of the pixel as phasors, the spectrum across the aperture,
// the correlation of channels some elements apart, and the weights of minimum variance with their beam pattern.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/param_table.h"
#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr ImU32 kShade = theme::rgb(0x27505C, 110);  // what counts

// In the upper right corner.
void draw_value(const Ui& ui, const Plot& plot, std::string_view text) {
  ui.text_right(Type::small, plot.box.x1 - ui.px(4), plot.box.y0 + ui.px(1), ui.px(15), theme::kText, text);
}

void draw_phasors(Ui& ui, const Rect& cell, const MethodView& view) {
  constexpr double kReach = 2.4;  // of the root mean square
  constexpr std::size_t kMostDrawn = 1024;
  constexpr std::string_view kTitle = "Channels, phasors";
  const Rect box = plot_box(ui, cell);
  const double least = std::max(1.0, static_cast<double>(std::min(box.width(), box.height())));
  const double across = kReach * static_cast<double>(box.width()) / least;
  const double down = kReach * static_cast<double>(box.height()) / least;
  const Plot plot = draw_plot(ui, cell, {kTitle, {-across, across, "Re"}, {down, -down, "Im"}});
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  std::vector<ImVec2> circle;
  for (int i = 0; i <= 64; ++i) circle.push_back(plot.px(std::cos(2.0 * kPi * i / 64), std::sin(2.0 * kPi * i / 64)));
  draw_curve(ui, plot, circle, theme::kAccent, 1.25F);
  const std::size_t step = view.phasors.size() / kMostDrawn + 1;
  for (std::size_t i = 0; i < view.phasors.size(); i += step) {
    const std::complex<double> v(view.phasors[i]);
    ui.disc(plot.x_px(v.real()), plot.y_px(v.imag()), 1.5F, theme::kText2);
  }
  const std::complex<double> mean(view.mean);
  ui.stroke(plot.px(0.0, 0.0), plot.px(mean.real(), mean.imag()), theme::kText, 2.5F);
  ui.list().PopClipRect();
  const std::string note = view.factor ? fmt::format("weight {}", fixed(static_cast<double>(*view.factor), 3))
                                       : fmt::format("coherence {}", fixed(std::norm(mean), 3));
  draw_value(ui, plot, note);
  ui.hit("method_phasors", plot.box,
         {"Channels as phasors",
          "Dots: delayed channels of the pixel, in units of their root mean square (circle). Line: their mean; its "
          "squared length is the coherence factor. Equal channels: the line reaches the circle.",
          {}});
}

// Bars from 0 to the values, and a shade behind those that count.
Plot draw_bars(const Ui& ui, const Rect& cell, const MethodView& view, const PlotLook& look, double shade_from,
               double shade_to) {
  const Plot plot = draw_plot(ui, cell, look);
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  ui.fill({plot.x_px(shade_from), plot.box.y0, plot.x_px(shade_to), plot.box.y1}, kShade);
  const float half = std::max(0.35F * (plot.x_px(1.0) - plot.x_px(0.0)), ui.hairline());
  const float zero = plot.y_px(0.0);
  for (std::size_t i = 0; i < view.curve.size(); ++i) {
    const float x = plot.x_px(view.curve_first + static_cast<double>(i));
    const float y = plot.y_px(static_cast<double>(view.curve[i]));
    ui.fill({x - half, std::min(y, zero), x + half, std::max(y, zero)}, theme::kText2);
  }
  ui.list().PopClipRect();
  return plot;
}

// The value under the pointer, as a note.
void note_value(Ui& ui, const Rect& cell, const Plot& plot, const MethodView& view, std::string_view title,
                std::string_view name) {
  const double x = plot.x_at(ImGui::GetIO().MousePos.x);
  const auto last = static_cast<int>(view.curve.size()) - 1;
  const int i = std::clamp(static_cast<int>(std::lround(x)) - view.curve_first, 0, last);
  draw_plot_note(ui, cell, plot, title,
                 fmt::format("{} {}  {}", name, view.curve_first + i,
                             fixed(static_cast<double>(view.curve[static_cast<std::size_t>(i)]), 3)));
}

// Within the limits of the parameter.
void set_count(std::string_view key, double value, int& to) {
  const ParamSpec& spec = param(key);
  to = static_cast<int>(std::lround(std::clamp(value, spec.min, spec.max)));
}

void draw_aperture_spectrum(Ui& ui, const Rect& cell, const MethodView& view, FormationParams& params) {
  constexpr std::string_view kTitle = "Aperture spectrum";
  const double most =
      view.curve.empty() ? 0.1 : static_cast<double>(*std::max_element(view.curve.begin(), view.curve.end()));
  const double bins = params.adaptive_bins;
  const Plot plot = draw_bars(
      ui, cell, view,
      {kTitle, {view.curve_first - 0.5, 0.5 - view.curve_first, "k", 0}, {std::max(1.1 * most, 0.05), 0.0, ""}},
      -bins - 0.5, bins + 0.5);
  const Hit hit = ui.hit("method_spectrum", plot.box,
                         {"Spectrum across the aperture",
                          "Share of the channels' energy at each spatial frequency; 0 is straight ahead. The shaded "
                          "frequencies count as signal; their sum is the weight. A drag sets how many.",
                          {}});
  if (hit.held) {
    const double k = std::abs(plot.x_at(ImGui::GetIO().MousePos.x));
    set_count("adaptive_bins", k, params.adaptive_bins);
  }
  if (hit.hovered && !view.curve.empty()) note_value(ui, cell, plot, view, kTitle, "k");
}

void draw_correlation(Ui& ui, const Rect& cell, const MethodView& view, FormationParams& params) {
  constexpr std::string_view kTitle = "Correlation C(m)";
  const Plot plot = draw_bars(ui, cell, view,
                              {kTitle,
                               {0.5, static_cast<double>(std::max<std::size_t>(view.curve.size(), 1)) + 0.5, "m", 0},
                               {1.05, -0.55, ""}},
                              0.5, params.adaptive_lags + 0.5);
  ui.horizontal(plot.box.x0, plot.box.x1, std::round(plot.y_px(0.0)), theme::kLine2);
  const Hit hit = ui.hit("method_correlation", plot.box,
                         {"Correlation of the channels",
                          "Correlation of channels m elements apart, over the rows of the kernel. The mean over the "
                          "shaded lags is the pixel. A drag sets how many.",
                          {}});
  if (hit.held) {
    const double m = plot.x_at(ImGui::GetIO().MousePos.x);
    set_count("adaptive_lags", m, params.adaptive_lags);
  }
  if (hit.hovered && !view.curve.empty()) {
    note_value(ui, cell, plot, view, kTitle, "m");
  } else if (view.factor) {
    draw_value(ui, plot, fmt::format("mean {}", fixed(static_cast<double>(*view.factor), 3)));
  }
}

void draw_capon_weights(Ui& ui, const Rect& cell, const MethodView& view) {
  constexpr std::string_view kTitle = "Weights |v|";
  const auto n = static_cast<double>(std::max<std::size_t>(view.curve.size(), 1));
  const double most =
      view.curve.empty() ? 1.0 : static_cast<double>(*std::max_element(view.curve.begin(), view.curve.end()));
  const Plot plot = draw_bars(
      ui, cell, view, {kTitle, {0.5, n + 0.5, "channel", 0}, {1.1 * std::max(most, 1.0 / n), 0.0, ""}}, 0.5, 0.5);
  const float equal = std::round(plot.y_px(1.0 / n));
  ui.horizontal(plot.box.x0, plot.box.x1, equal, theme::kAccent);
  const Hit hit = ui.hit("method_weights", plot.box,
                         {"Weights of a subarray",
                          "Magnitudes of the weights that minimum variance chose at this pixel. Line: equal weights. "
                          "The weights sum to 1.",
                          {}});
  if (hit.hovered && !view.curve.empty()) note_value(ui, cell, plot, view, kTitle, "channel");
}

void draw_beam_pattern(Ui& ui, const Rect& cell, const MethodView& view) {
  constexpr std::string_view kTitle = "Beam pattern";
  const double reach = view.pattern_reach > 0.0 ? view.pattern_reach : 1.0;
  const Plot plot = draw_plot(ui, cell, {kTitle, {-reach, reach, "sine"}, {12.0, -52.0, "dB"}});
  const double step = 2.0 * reach / std::max<double>(static_cast<double>(view.pattern_db.size()) - 1.0, 1.0);
  draw_curve(ui, plot, view.equal_pattern_db, -reach, step, theme::kMuted);
  draw_curve(ui, plot, view.pattern_db, -reach, step, theme::kText);
  ui.hit("method_pattern", plot.box,
         {"Beam pattern of the weights",
          "Response to a wave by the sine of its angle to the pixel's direction. Dim: equal weights. Minimum variance "
          "puts zeros where other echoes come from.",
          {}});
}

}  // namespace

int method_plots(const MethodView& view) {
  switch (view.method) {
    case Adaptive::off:
      return 0;
    case Adaptive::generalized:
    case Adaptive::minimum_variance:
      return 2;
    default:
      return 1;
  }
}

void draw_method_plot(Ui& ui, const Rect& cell, const MethodView& view, int index, FormationParams& params) {
  if (view.method == Adaptive::slsc) return draw_correlation(ui, cell, view, params);
  if (view.method == Adaptive::minimum_variance) {
    return index == 0 ? draw_capon_weights(ui, cell, view) : draw_beam_pattern(ui, cell, view);
  }
  return index == 0 ? draw_phasors(ui, cell, view) : draw_aperture_spectrum(ui, cell, view, params);
}

}  // namespace echoloop
