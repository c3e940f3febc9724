#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "core/param_table.h"
#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/painter.h"

namespace echoloop {
namespace {

constexpr float kAllWide = 780;     // at scale 1: minimum for all plots in one row
constexpr float kMethodWide = 120;  // added to it for each plot of a method
constexpr float kPageHead = 24;
constexpr int kTransmitsPage = 2, kMethodPage = 3;
constexpr std::array<Choice, 4> kPages = {{{"Channels"}, {"Line"}, {"Transmits"}, {"Method"}}};

// Returns the next step for the user, or the reason why there are no plots.
std::string missing(const Model& model, const Edits& edits) {
  if (!edits.view.inspected) return "Choose a pixel: select the inspect tool and click on the image.";
  if (!model.image.inspector.refusal.empty()) return model.image.inspector.refusal;
  return "Reading the buffers…";
}

void step_transmit(PanelContext& c, const Inspection& pixel, int by) {
  const auto at = std::find(pixel.summed.begin(), pixel.summed.end(), pixel.transmit) - pixel.summed.begin();
  const auto next = std::clamp<std::ptrdiff_t>(at + by, 0, static_cast<std::ptrdiff_t>(pixel.summed.size()) - 1);
  c.edits.view.inspector.transmit = pixel.summed[static_cast<std::size_t>(next)];
}

// Draws arrows around the transmit's name, ending at x; returns the left edge.
float transmit_selector(PanelContext& c, const Inspection& pixel, float x, const Rect& head) {
  Ui& ui = c.ui;
  const std::string name = transmit_text(inspected_acquisition(c.model), pixel.transmit);
  const float width = std::max(ui.width(Type::body, name), ui.px(84));
  const float size = ui.px(22);
  const Rect next{x - size, head.cy() - 0.5F * size, x, head.cy() + 0.5F * size};
  const Rect text{next.x0 - width - ui.px(4), head.y0, next.x0 - ui.px(4), head.y1};
  const Rect before{text.x0 - ui.px(4) - size, next.y0, text.x0 - ui.px(4), next.y1};
  const std::string alone = pixel.summed.size() < 2 ? "This pixel uses a single transmit." : "";
  const Tip tip{"Transmit", "Transmit of the displayed channels. The pixel is the sum over all transmits.", alone};
  if (ui.icon_button("transmit_before", before, tip)) step_transmit(c, pixel, -1);
  if (ui.icon_button("transmit_next", next, tip)) step_transmit(c, pixel, 1);
  const ImU32 ink = alone.empty() ? theme::kText2 : theme::kDisabled;
  ui.chevron(before.cx(), before.cy(), Direction::left, ink);
  ui.chevron(next.cx(), next.cy(), Direction::right, ink);
  ui.text_centred(Type::body, text, theme::kText, name);
  const float label = before.x0 - ui.px(8) - ui.width(Type::body, "Transmit");
  ui.text(Type::body, label, head.y0, head.height(), theme::kText2, "Transmit");
  return label;
}

// Draws the sum of the channels next to the result of the beamformer, in the longest text that fits.
void draw_sum(Ui& ui, const Inspection& pixel, const Rect& row) {
  if (row.width() < ui.px(60)) return;
  // Methods that replace the pixel differ from the sum of the channels.
  const Adaptive method = pixel.method.method;
  if (method == Adaptive::slsc) {
    ui.text_fitted(
        Type::body, row.x0, row.x1, row.y0, row.height(), theme::kText2,
        fmt::format("mean correlation {}", fixed(static_cast<double>(pixel.method.factor.value_or(0.0F)), 3)));
    return;
  }
  const bool replaced = method != Adaptive::off && !is_weight(method);
  const std::string_view formed_by = replaced ? "method" : "beamformer";
  const std::string added = fixed(pixel.level.sum_db, 2), formed = fixed(pixel.level.pixel_db, 2);
  std::string sum = fmt::format("sum of channels {} dB,  {} {} dB", added, formed_by, formed);
  if (row.x0 + ui.width(Type::body, sum) > row.x1) sum = fmt::format("sum {},  {} {} dB", added, formed_by, formed);
  if (row.x0 + ui.width(Type::body, sum) > row.x1) sum = fmt::format("{} / {} dB", added, formed);
  const float end = ui.text_fitted(Type::body, row.x0, row.x1, row.y0, row.height(), theme::kText2, sum);
  ui.hit(
      "inspector_sum", {row.x0, row.y0, end, row.y1},
      {replaced ? "Delay-and-sum and method" : "Consistency check",
       replaced ? "Left: sum of the channels over all transmits. Right: output of the adaptive method for this pixel."
                : "Left: sum of the channels over all transmits. Right: output of the beamformer for this pixel.",
       {}});
}

// Components of one pixel. Wide dock: all plots in one row; narrow: pages.
class InspectorDock final : public DockContent {
 public:
  void draw(const DockScene& scene, Rect head, const Rect& body) override;
  void close() override { textures_.reset(), page_ = 0; }

 private:
  void draw_head(PanelContext& c, const Rect& head, bool paged, int n_pages);
  void draw_page_head(PanelContext& c, Rect& body) const;
  void draw_plots(PanelContext& c, const Rect& body, bool paged);

  struct Textures {
    ChannelMap raw, aligned;
    TransmitImages pictures;
  };
  std::unique_ptr<Textures> textures_;  // null: not drawn yet
  int page_ = 0;                        // of a narrow dock
};

void InspectorDock::draw_head(PanelContext& c, const Rect& head, bool paged, int n_pages) {
  Ui& ui = c.ui;
  const auto& pixel = c.model.image.inspector.pixel;
  if (pixel == nullptr || !c.edits.view.inspected) return;
  float right = head.x1;
  if (paged) {
    const Rect pages{right - ui.px(n_pages > kMethodPage ? 66 : 72) * static_cast<float>(n_pages), head.y0 + ui.px(3),
                     right, head.y1 - ui.px(3)};
    const auto shown = std::span(kPages).first(static_cast<std::size_t>(n_pages));
    if (const auto chosen = ui.segmented("inspector_page", pages, shown, page_, {})) page_ = *chosen;
    right = pages.x0 - ui.px(12);
  } else {
    right = transmit_selector(c, *pixel, right, head) - ui.px(20);
  }
  const std::string place = fmt::format("x {}  z {} mm", fixed(1e3 * pixel->at.x_m, 2), fixed(1e3 * pixel->at.z_m, 2));
  const float x = ui.text_fitted(Type::body, head.x0, right, head.y0, head.height(), theme::kText, place) + ui.px(16);
  if (!paged) draw_sum(ui, *pixel, {x, head.y0, right, head.y1});
}

// Draws the parts that do not fit the header above a page's plots. Not for the transmits' page: a click chooses one.
void InspectorDock::draw_page_head(PanelContext& c, Rect& body) const {
  const auto& pixel = c.model.image.inspector.pixel;
  if (page_ == kTransmitsPage || pixel == nullptr) return;
  const Rect row{body.x0, body.y0, body.x1, body.y0 + c.ui.px(kPageHead)};
  const float right = transmit_selector(c, *pixel, row.x1, row) - c.ui.px(16);
  draw_sum(c.ui, *pixel, {row.x0, row.y0, right, row.y1});
  body.y0 = row.y1;
}

void InspectorDock::draw_plots(PanelContext& c, const Rect& body, bool paged) {
  Ui& ui = c.ui;
  const auto& pixel = c.model.image.inspector.pixel;
  const Inspection& p = *pixel;
  textures_->raw.update(pixel, p.raw.values, static_cast<int>(p.channels.size()), p.raw.count);
  textures_->aligned.update(pixel, p.aligned.values, static_cast<int>(p.channels.size()), p.aligned.count);
  struct Part {
    int page;
    float weight;
    int plot = 0;  // of the method
  };
  constexpr std::array<Part, 7> kParts = {
      {{0, 1.25F}, {0, 1.0F}, {kMethodPage, 1.0F, 0}, {kMethodPage, 1.0F, 1}, {1, 1.0F}, {1, 1.0F}, {2, 0.9F}}};
  const auto is_shown = [&](std::size_t i) {
    const bool of_method = kParts[i].page == kMethodPage;
    return (!paged || kParts[i].page == page_) && (!of_method || kParts[i].plot < method_plots(p.method));
  };
  float total = 0;
  int count = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (!is_shown(i)) continue;
    total += kParts[i].weight;
    ++count;
  }
  const float gap = ui.px(14);
  const float room = body.width() - gap * static_cast<float>(count - 1);
  float x = body.x0;
  c.edits.view.inspector.pictures_seen.clear();
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (!is_shown(i)) continue;
    const Rect cell{std::round(x), body.y0, std::round(x + room * kParts[i].weight / total), body.y1};
    if (i == 0) draw_raw_map(ui, cell, p, textures_->raw);
    if (i == 1) draw_aligned_map(ui, cell, p, textures_->aligned);
    if (kParts[i].page == kMethodPage) {
      draw_method_plot(ui, cell, p.method, kParts[i].plot, c.edits.params.formation);
    }
    if (i == 4) draw_level_line(ui, cell, p, c.edits.params.display);
    if (i == 5) draw_spectrum(ui, cell, p);
    if (i == 6) textures_->pictures.draw(c, cell);
    x = cell.x1 + gap;
  }
}

void InspectorDock::draw(const DockScene& scene, Rect head, const Rect& body) {
  PanelContext& c = scene.c;
  if (textures_ == nullptr) textures_ = std::make_unique<Textures>();
  c.edits.view.inspector.wanted = true;
  const auto& pixel = c.model.image.inspector.pixel;
  const int plots = pixel != nullptr ? method_plots(pixel->method) : 0;
  const bool paged = body.width() < c.ui.px(kAllWide) + c.ui.px(kMethodWide) * static_cast<float>(plots);
  const int n_pages = plots > 0 ? kMethodPage + 1 : kMethodPage;
  page_ = std::min(page_, n_pages - 1);
  draw_head(c, head, paged, n_pages);
  if (pixel != nullptr && c.edits.view.inspected) {
    Rect plots_at = body;
    if (paged) draw_page_head(c, plots_at);
    draw_plots(c, plots_at, paged);
  } else {
    c.ui.text_centred(Type::body, body, theme::kMuted, missing(c.model, c.edits));
  }
}

}  // namespace

std::unique_ptr<DockContent> make_inspector_dock() { return std::make_unique<InspectorDock>(); }

void inspector_icon(const IconPen& pen) {  // echoes along a delay curve
  pen.line({{-7, -6}, {-7, 6}, {7, 6}});
  pen.line({{-4, -5}, {-1.5F, 1}, {1.5F, 2}, {4, 0}, {6, -5}});
}

// Plots of an adaptive method in the inspector: the channels of the pixel as phasors, the spectrum across the aperture,
// the correlation of channels some elements apart, and the weights of minimum variance with their beam pattern.

namespace {

constexpr ImU32 kShade = theme::rgb(0x27505C, 110);  // the values in use

// Draws text in the upper right corner.
void draw_value(const Ui& ui, const Plot& plot, std::string_view text) {
  ui.text_right(Type::small, plot.box.x1 - ui.px(4), plot.box.y0 + ui.px(1), ui.px(15), theme::kText, text);
}

void draw_phasors(Ui& ui, const Rect& cell, const MethodView& view) {
  constexpr double kReach = 2.4;  // times the root mean square
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

// Draws bars from 0 to the values, and a shade behind those in use.
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

// Draws the value under the pointer as a note.
void note_value(Ui& ui, const Rect& cell, const Plot& plot, const MethodView& view, std::string_view title,
                std::string_view name) {
  const double x = plot.x_at(ImGui::GetIO().MousePos.x);
  const auto last = static_cast<int>(view.curve.size()) - 1;
  const int i = std::clamp(static_cast<int>(std::lround(x)) - view.curve_first, 0, last);
  draw_plot_note(ui, cell, plot, title,
                 fmt::format("{} {}  {}", name, view.curve_first + i,
                             fixed(static_cast<double>(view.curve[static_cast<std::size_t>(i)]), 3)));
}

// Sets a count, clamped to the limits of the parameter.
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
