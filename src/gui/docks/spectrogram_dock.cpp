#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/docks/docks.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/m_mode_columns.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/painter.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

constexpr float kPulsesInView = 200, kPulsesBeside = 300;  // least height with the values of the beats

std::string_view why_no_spectrogram(const Model& model, const Edits& edits) {
  if (edits.params.doppler.gate == Gate::off) return "Select the sample volume tool and click on a vessel.";
  if (model.run == RunState::frozen) return "Spectral Doppler records live frames only. Press Space to resume.";
  if (model.run == RunState::fault) return "No spectrum: the stream has stopped.";
  if (loses_ensembles(model, edits))
    return "Frames are dropped: no consecutive ones for a spectrum. Flow offers Block.";
  return "Collecting consecutive frames for the first spectrum…";
}

// Returns the position of the displayed frame while frozen, when it may differ from the newest.
std::optional<double> shown_place_s(const DockScene& scene, const Spectrogram& s) {
  if (scene.c.model.run != RunState::frozen) return std::nullopt;
  return frame_place_s(s, scene.image, scene.c.view.transient.doppler.span_s);
}

// Spectral Doppler below the image: axes, baseline, aliasing limits, the two curves, the value under the pointer. The
// spectra are drawn below these (SpectrogramStrip).
class SpectrogramDock final : public DockContent {
 public:
  void draw(const DockScene& scene, Rect head, const Rect& body) override;
  [[nodiscard]] bool is_presented(const PanelContext& c) const override {
    return c.edits.params.doppler.gate != Gate::off;
  }
  void draw_presented(const DockScene& scene, const Rect& cell) override;

 private:
  static void draw_head(PanelContext& c, Rect head, const Spectrogram& s, std::optional<double> shown_s);
  static Plot draw_spectra(PanelContext& c, const Rect& cell, const Spectrogram& s, Type labels);
  void move_baseline(PanelContext& c, const Rect& axis, const Plot& plot);
  static float draw_pulses(const Ui& ui, const Rect& body, const Spectrogram& s, double span_s);
  static void read_out(PanelContext& c, const Plot& plot, const Spectrogram& s, const ImagingParams& p);

  float grabbed_y_ = 0;  // start of the baseline's drag
  double grabbed_baseline_ = 0;
};

// Draws the header; `shown_s`: the position of the displayed frame while frozen.
void SpectrogramDock::draw_head(PanelContext& c, Rect head, const Spectrogram& s, std::optional<double> shown_s) {
  Ui& ui = c.ui;
  StripLook& look = c.view.transient.doppler;
  choose_span(c, "sonogram_span", head, look.span_s);
  const Rect box{head.x1 - ui.px(78), head.y0 + ui.px(3), head.x1, head.y1 - ui.px(3)};
  if (box.x0 < head.x0) return;
  if (ui.check_box("sonogram_curves", box, "Curves", look.curves,
                   {"Curves",
                    "Blue: peak velocity (within 10 dB of the spectral maximum and 11 dB above noise). Yellow: "
                    "power-weighted mean velocity.",
                    {}})) {
    look.curves = !look.curves;
  }
  std::string text = peak_text(s, look.span_s);
  const float right = box.x0 - ui.px(12);
  const bool frozen = c.model.run == RunState::frozen;
  const double mean = frozen && !shown_s ? NAN : mean_m_s(s, shown_s.value_or(0.0));
  if (std::isfinite(mean)) {
    const std::string longer =
        text + fmt::format(", {} {}", frozen ? "mean at this frame" : "mean now", velocity_text(mean, s.aliasing_m_s));
    if (head.x0 + ui.width(Type::body, longer) <= right) text = longer;
  }
  const std::vector<std::string> more = spectrogram_facts(s);
  for (const std::string& piece : more) {  // as many as fit completely
    const std::string longer = text + (&piece == &more.back() ? " " : "   ") + piece;
    if (head.x0 + ui.width(Type::body, longer) > right) break;
    text = longer;
  }
  ui.text_fitted(Type::body, head.x0, right, head.y0, head.height(), theme::kText2, text);
}

// Moves the baseline by dragging the axis; a right click resets it to the centre.
void SpectrogramDock::move_baseline(PanelContext& c, const Rect& axis, const Plot& plot) {
  Ui& ui = c.ui;
  ImagingParams& p = c.edits.params;
  const Hit hit = ui.hit("sonogram_axis", axis);
  ui.tip("sonogram_axis", hit, axis, {"Velocity", "Drag to move the baseline, right-click to reset.", {}});
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const float y = ImGui::GetIO().MousePos.y;
  if (hit.pressed) {
    grabbed_y_ = y;
    grabbed_baseline_ = p.doppler.baseline;
  }
  double wanted = p.doppler.baseline;
  if (hit.held) wanted = grabbed_baseline_ + 2.0 * static_cast<double>((y - grabbed_y_) / plot.box.height());
  if (hit.right) wanted = 0.0;
  wanted = std::clamp(wanted, -0.9, 0.9);
  if (wanted == p.doppler.baseline) return;
  p.doppler.baseline = wanted;
  c.commands.send(command::ParamsChanged{});
}

void SpectrogramDock::read_out(PanelContext& c, const Plot& plot, const Spectrogram& s, const ImagingParams& p) {
  Ui& ui = c.ui;
  const Hit hit = ui.hit("sonogram", plot.box);
  if (!hit.hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double ago_s = plot.x_at(mouse.x);
  const double v_m_s = s.aliasing_m_s * (p.doppler.baseline + 1.0 -
                                         2.0 * static_cast<double>((mouse.y - plot.box.y0) / plot.box.height()));
  ui.horizontal(plot.box.x0, plot.box.x1, mouse.y, theme::kMuted);
  ui.vertical(mouse.x, plot.box.y0, plot.box.y1, theme::kMuted);
  std::string text = velocity_text(v_m_s, s.aliasing_m_s);
  const auto back = static_cast<std::uint64_t>(std::max(0.0, -ago_s / s.step_s()));
  if (back < s.end - s.first()) {
    const std::uint64_t k = s.end - 1 - back;
    double share = v_m_s / s.aliasing_m_s;  // on the spectrum's axis, without the baseline's shift
    share = share > 1.0 ? share - 2.0 : share < -1.0 ? share + 2.0 : share;
    const int bin = std::clamp(static_cast<int>(std::lround((share + 1.0) * 0.5 * s.n_bins)), 0, s.n_bins - 1);
    const float level = s.column(k)[static_cast<std::size_t>(bin)];
    text += std::isfinite(level) ? fmt::format("   {} s   {} dB", fixed(s.time_s[Spectrogram::slot(k)], 3),
                                               fixed(static_cast<double>(level), 1))
                                 : "   frames are missing";
  }
  const float w = ui.width(Type::small, text) + ui.px(16);
  const float x0 = mouse.x + ui.px(14) + w < plot.box.x1 ? mouse.x + ui.px(14) : mouse.x - ui.px(14) - w;
  const float y0 = std::clamp(mouse.y - ui.px(26), plot.box.y0, plot.box.y1 - ui.px(20));
  const Rect chip{x0, y0, x0 + w, y0 + ui.px(20)};
  ui.fill(chip, theme::kChip, 4);
  ui.text_centred(Type::small, chip, theme::kText, text);
}

// Draws axes, baseline, limits and curves.
Plot SpectrogramDock::draw_spectra(PanelContext& c, const Rect& cell, const Spectrogram& s, Type labels) {
  const StripLook& look = c.view.transient.doppler;
  const Ui& ui = c.ui;
  const ImagingParams& p = c.edits.params;
  const VelocityUnit unit = velocity_unit(s.aliasing_m_s);
  const double limit = s.aliasing_m_s * unit.per_m_s;
  const Plot plot =
      draw_plot(ui, cell,
                {.title = {},
                 .x = {-look.span_s, 0.0, "s"},
                 .y = {limit * (1.0 + p.doppler.baseline), -limit * (1.0 - p.doppler.baseline), unit.name},
                 .ground = PlotGround::none,
                 .labels = labels});
  ui.horizontal(plot.box.x0, plot.box.x1, plot.y_px(0.0), theme::rgb(0xFFFFFF, 110));
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  // Limits that the baseline has moved into the plot.
  for (const double at : {limit, -limit}) {
    if (p.doppler.baseline == 0.0) continue;
    const float y = plot.y_px(at);
    for (float x = plot.box.x0; x < plot.box.x1; x += ui.px(12)) {
      ui.stroke({x, y}, {x + ui.px(5), y}, theme::rgb(0xFFFFFF, 90), 1);
    }
  }
  if (only_gaps(s, look.span_s)) {
    const std::string why =
        fmt::format("Not enough consecutive frames here for a spectrum ({} needed).", p.doppler.frames);
    const std::string short_why = fmt::format("Not enough consecutive frames ({} needed).", p.doppler.frames);
    const Type type = labels == Type::small ? Type::body : labels;
    const bool fits = ui.width(type, why) < plot.box.width() - ui.px(16);
    const float line = ui.px(24), below = plot.y_px(0.0);
    ui.text_centred(type, {plot.box.x0, below + ui.px(6), plot.box.x1, below + ui.px(6) + line}, theme::kMuted,
                    fits ? why : short_why);
  }
  for (SpectrogramCurve& curve :
       look.curves ? spectrogram_curves(s, p, look.span_s) : std::vector<SpectrogramCurve>()) {
    for (float& v : curve.m_s) v *= static_cast<float>(unit.per_m_s);
    const auto [r, g, b] = curve.color;
    draw_curve(ui, plot, curve.m_s, curve.first_s, s.step_s(), IM_COL32(r, g, b, 255));
  }
  ui.list().PopClipRect();
  return plot;
}

// Draws the values of the beats at the bottom, four or two in a row. Returns the top of these.
float SpectrogramDock::draw_pulses(const Ui& ui, const Rect& body, const Spectrogram& s, double span_s) {
  constexpr float kRow = 48, kLabel = 18, kNote = 20;
  const auto items = pulse_items(s, span_s);
  const auto is_wide = [&](const CaptionItem& i) {
    return ui.width(Type::small, i.key) > 0.25F * body.width() - ui.px(8);
  };
  const int across = std::ranges::any_of(items, is_wide) ? 2 : 4;
  const bool note = !has_angle(s);
  const float top = body.y1 - ui.px(kRow) * static_cast<float>(4 / across) - (note ? ui.px(kNote) : 0);
  for (int i = 0; i < 4; ++i) {
    const CaptionItem& item = items[static_cast<std::size_t>(i)];
    const float x = body.x0 + body.width() * static_cast<float>(i % across) / static_cast<float>(across);
    const float y = top + ui.px(kRow) * static_cast<float>(i / across) + ui.px(6);
    ui.text(Type::small, x, y, ui.px(kLabel), theme::kText2, item.key);
    const Rect value{x, y + ui.px(kLabel), body.x1, y + ui.px(kRow - 6)};
    const bool known = item.value != "—";
    const float end = ui.text(Type::number, value, known ? theme::kText : theme::kDisabled, item.value);
    if (known) ui.text(Type::small, end + ui.px(4), value.y0 + ui.px(2), value.height(), theme::kMuted, item.unit);
  }
  if (note) ui.text(Type::small, body.x0, body.y1 - ui.px(kNote), ui.px(kNote), theme::kMuted, kNeedAngle);
  return top;
}

void SpectrogramDock::draw(const DockScene& scene, Rect head, const Rect& body) {
  PanelContext& c = scene.c;
  const Spectrogram* s = c.model.analyses.of<SpectrogramView>().shown.get();
  if (s == nullptr) {
    c.ui.text_centred(Type::body, body, theme::kMuted, why_no_spectrogram(c.model, c.edits));
    return;
  }
  const std::optional<double> shown_s = shown_place_s(scene, *s);
  draw_head(c, head, *s, shown_s);
  const bool pulses = body.height() >= c.ui.px(c.view.mode == WindowMode::view ? kPulsesInView : kPulsesBeside);
  const float bottom = pulses ? draw_pulses(c.ui, body, *s, c.view.transient.doppler.span_s) : body.y1;
  const Plot plot = draw_spectra(c, {body.x0, body.y0 - c.ui.px(12), body.x1, bottom}, *s, Type::small);
  move_baseline(c, {body.x0, plot.box.y0, plot.box.x0, plot.box.y1}, plot);
  if (shown_s) draw_cursor(c.ui, plot, *shown_s);
  read_out(c, plot, *s, c.edits.params);
  scene.boxes.spectrogram = plot.box;
}

void SpectrogramDock::draw_presented(const DockScene& scene, const Rect& cell) {
  PanelContext& c = scene.c;
  const Ui& ui = c.ui;
  const Rect head{cell.x0, cell.y0, cell.x1, cell.y0 + ui.px(28)};
  const float x = ui.text(Type::large_strong, head, theme::kText, "Doppler") + ui.px(14);
  const Spectrogram* s = c.model.analyses.of<SpectrogramView>().shown.get();
  if (s == nullptr) {
    ui.paragraph(Type::medium, cell.x0, cell.cy(), cell.width(), ui.px(26), theme::kMuted,
                 why_no_spectrogram(c.model, c.edits));
    return;
  }
  double& span_s = c.view.transient.doppler.span_s;
  span_s = fitted_span_s(c.model, c.edits, span_s);
  std::string text = peak_text(*s, span_s);
  const std::string longer = text + "   " + spectrogram_facts(*s).front();
  if (x + ui.width(Type::medium, longer) <= head.x1) text = longer;
  ui.text_fitted(Type::medium, x, head.x1, head.y0, head.height(), theme::kText2, text);
  const Plot plot = draw_spectra(c, {cell.x0, head.y1 - ui.px(8), cell.x1, cell.y1}, *s, Type::medium);
  if (const auto shown_s = shown_place_s(scene, *s)) draw_cursor(ui, plot, *shown_s);
  scene.boxes.spectrogram = plot.box;
}

}  // namespace

std::unique_ptr<DockContent> make_spectrogram_dock() { return std::make_unique<SpectrogramDock>(); }

void spectrogram_icon(const IconPen& pen) {  // two heart beats over a baseline
  pen.line({{-7, 4}, {7, 4}});
  pen.line({{-7, 1}, {-5, -6}, {-2, 0}, {0, 1}, {2, -6}, {5, 0}, {7, 1}});
}

}  // namespace echoloop
