#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"
#include "gui/toolkit/painter.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

constexpr double kMmPerM = 1e3, kDegreesPerRad = 57.29578;
constexpr float kLineReach = 8, kLeastDrag = 5;  // pixels at scale 1
constexpr std::size_t kMostCalipers = 20;

// Conversion between the plot's pixels and the strip's time and depth.
struct TimeScale {
  const Plot& plot;
  double newest_s;
  [[nodiscard]] ImVec2 place(double time_s, double depth_m) const {
    return plot.px(time_s - newest_s, depth_m * kMmPerM);
  }
  [[nodiscard]] double time_s(float x) const { return newest_s + plot.x_at(x); }
  [[nodiscard]] double depth_m(float y) const { return plot.y_at(std::clamp(y, plot.box.y0, plot.box.y1)) / kMmPerM; }
};

// Returns the acquisition time of the nearest frame, or `time_s` without frames.
double frame_time_s(const MModeColumns& columns, double time_s) {
  const auto index = columns.index_at(time_s);
  if (!index.has_value()) return time_s;
  const double before_s = columns.time_s(*index);
  if (*index + 1 == columns.size()) return before_s;
  const double after_s = columns.time_s(*index + 1);
  return time_s - before_s <= after_s - time_s ? before_s : after_s;
}

void chip(const Ui& ui, const Plot& plot, ImVec2 at, std::span<const std::string> lines) {
  float w = 0;
  for (const std::string& line : lines) w = std::max(w, ui.width(Type::small, line));
  w += ui.px(16);
  const float line = ui.px(16), h = line * static_cast<float>(lines.size()) + ui.px(4);
  const float x0 = at.x + ui.px(12) + w < plot.box.x1 ? at.x + ui.px(12) : at.x - ui.px(12) - w;
  const float y0 = std::clamp(at.y - h - ui.px(6), plot.box.y0, std::max(plot.box.y0, plot.box.y1 - h));
  const Rect r{std::max(x0, plot.box.x0), y0, std::max(x0, plot.box.x0) + w, y0 + h};
  ui.fill(r, theme::kChip, 4);
  float y = r.y0 + ui.px(2);
  for (const std::string& text : lines) {
    ui.text(Type::small, r.x0 + ui.px(8), y, line, theme::kText, text);
    y += line;
  }
}

void draw_caliper(const Ui& ui, const TimeScale& scale, const MModeCaliper& caliper) {
  const ImVec2 a = scale.place(caliper.time0_s, caliper.depth0_m), b = scale.place(caliper.time1_s, caliper.depth1_m);
  const float arm = ui.px(6);
  for (const auto& [thickness, color] : {std::pair{3.0F, theme::kHalo}, std::pair{1.25F, theme::kAccent}}) {
    ui.stroke(a, b, color, thickness);
    for (const ImVec2 p : {a, b}) {
      ui.stroke({p.x - arm, p.y}, {p.x + arm, p.y}, color, thickness);
      ui.stroke({p.x, p.y - arm}, {p.x, p.y + arm}, color, thickness);
    }
  }
  const CaliperText text = caliper_text(caliper);
  const std::array<std::string, 2> lines = {text.lengths, text.rates};
  chip(ui, scale.plot, b, std::span(lines).first(text.rates.empty() ? 1 : 2));
}

// Draws the level of the frame under the pointer, from its image.
void read_out(const Ui& ui, const TimeScale& scale, const MModeColumns& columns, const FrameNumbers& numbers) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Rect& box = scale.plot.box;
  ui.horizontal(box.x0, box.x1, mouse.y, theme::kMuted);
  ui.vertical(mouse.x, box.y0, box.y1, theme::kMuted);
  std::string text = fixed(scale.depth_m(mouse.y) * kMmPerM, 1) + " mm";
  const auto index = columns.index_at(scale.time_s(mouse.x));
  if (!index.has_value() || columns.until_s(*index) < scale.time_s(mouse.x)) {
    text += "   no frame here";
  } else {
    const std::vector<float>& levels = columns.at(*index).levels_db;
    const float share = (mouse.y - box.y0) / std::max(box.height(), 1.0F);
    const auto row =
        static_cast<std::size_t>(std::lround(std::clamp(share, 0.0F, 1.0F) * static_cast<float>(levels.size() - 1)));
    text += fmt::format("   frame {}   {} dB", grouped(numbers.of(columns.at(*index).stamp)),
                        fixed(static_cast<double>(levels[row]), 1));
  }
  chip(ui, scale.plot, mouse, std::span(&text, 1));
}

std::string_view why_none(const Model& model, const Edits& edits) {
  if (!edits.view.inspected) return "Choose a line: select the inspect tool and click on the image.";
  if (model.run == RunState::fault) return "No images: the stream has stopped.";
  if (model.run != RunState::frozen) return "Waiting for images…";
  return model.image.m_mode.progress.failed ? "History frames could not be re-beamformed."
         : model.kept.frames == 0           ? "No frames in history."
                                            : "Beamforming history frames along this line…";
}

// Draws the progress and the link that cancels or resumes it; returns the left edge.
float draw_progress(PanelContext& c, const Rect& head) {
  Ui& ui = c.ui;
  const MModeProgress& p = c.model.image.m_mode.progress;
  bool& cancelled = c.edits.view.m_mode.cancelled;
  const bool stopped = cancelled && p.done < p.all;
  if (!p.under_way && !stopped && !p.failed) return head.x1;
  const std::string_view act = stopped ? "Resume" : "Cancel";
  const float w = ui.width(Type::body, act);
  const Rect link{head.x1 - w, head.y0, head.x1, head.y1};
  if (!p.failed && ui.link("m_mode_cancel", link, act, "",
                           {act, "History frames are re-beamformed along the line, newest first.", {}})) {
    cancelled = !cancelled;
  }
  const std::string text = p.failed ? "history frames could not be re-beamformed"
                                    : fmt::format("{} of {} history frames", grouped(p.done), grouped(p.all));
  const float right = p.failed ? head.x1 : link.x0 - ui.px(10);
  const float x = right - ui.width(Type::body, text);
  ui.text(Type::body, x, head.y0, head.height(), p.failed ? theme::kRed : theme::kText2, text);
  if (!p.failed && p.all > 0) {
    const Rect bar{x, head.y1 - ui.px(5), right, head.y1 - ui.px(3)};
    const float share = static_cast<float>(p.done) / static_cast<float>(p.all);
    ui.fill(bar, theme::kField, 1);
    ui.fill({bar.x0, bar.y0, bar.x0 + share * bar.width(), bar.y1}, theme::kAccent, 1);
  }
  return x - ui.px(16);
}

Plot draw_axes(const Ui& ui, const Rect& cell, const MModeStrip& strip, double span_s, Type labels) {
  const Grid& grid = strip.columns().line()->grid;
  const double offset_s = strip.offset_s();
  return draw_plot(ui, cell,
                   {.title = {},
                    .x = {offset_s - span_s, offset_s, "s"},
                    .y = {kMmPerM * line_first_m(grid), kMmPerM * line_last_m(grid), "mm"},
                    .ground = PlotGround::none,
                    .labels = labels});
}

void draw_shown(const Ui& ui, const Plot& plot, const MModeStrip& strip) {
  if (const auto at = strip.shown_s()) draw_cursor(ui, plot, *at - strip.newest_s());
}

}  // namespace

std::string line_text(const Image& image, PlanePoint at) {
  const Grid& grid = image.grid;
  if (grid.nx < 1) return {};
  const int column = line_column(grid, at);
  return grid.polar() ? "line at " + signed_fixed(grid.angle_rad(column) * kDegreesPerRad, 1) + "°"
                      : "line at x " + fixed(kMmPerM * grid.x_m(column), 2) + " mm";
}

CaliperText caliper_text(const MModeCaliper& caliper) {
  const double depth_mm = std::abs(caliper.depth1_m - caliper.depth0_m) * kMmPerM;
  const double time_ms = std::abs(caliper.time1_s - caliper.time0_s) * 1e3;
  CaliperText text{.lengths = fmt::format("{} mm   {} ms", fixed(depth_mm, 2), fixed(time_ms, time_ms < 99.95 ? 1 : 0)),
                   .rates = {}};
  if (time_ms <= 0.0) return text;
  const double velocity_mm_s = depth_mm / time_ms * 1e3, rate_hz = 1e3 / time_ms;
  text.rates = fmt::format("{} mm/s   {} Hz, {} /min", fixed(velocity_mm_s, velocity_mm_s < 99.95 ? 1 : 0),
                           fixed(rate_hz, 2), fixed(60.0 * rate_hz, 0));
  return text;
}

namespace {

class MModeDock final : public DockContent {
 public:
  void draw(const DockScene& scene, Rect head, const Rect& body) override;
  [[nodiscard]] bool is_presented(const PanelContext& c) const override { return c.view.has_m_mode(); }
  void draw_presented(const DockScene& scene, const Rect& cell) override;

 private:
  void use_calipers(PanelContext& c, const Plot& plot, const MModeStrip& strip);

  // Caliper whose end is dragged; also a new one, which is the last.
  struct Grip {
    std::size_t index = 0;
    bool second = true;  // true: the end at time1_s
  };
  std::optional<Grip> grip_;
  std::optional<MModeCaliper> begun_;  // from a press that may become a drag
};

// Creates a caliper by a drag on the strip; ends can be dragged, a right click deletes.
void MModeDock::use_calipers(PanelContext& c, const Plot& plot, const MModeStrip& strip) {
  Ui& ui = c.ui;
  std::vector<MModeCaliper>& list = c.edits.view.m_mode.calipers;
  const TimeScale scale{plot, strip.newest_s()};
  const Hit h = ui.hit("m_mode", plot.box);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<Grip> under;
  float nearest = ui.px(kLineReach);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const bool second : {false, true}) {
      const ImVec2 p =
          second ? scale.place(list[i].time1_s, list[i].depth1_m) : scale.place(list[i].time0_s, list[i].depth0_m);
      const float away = std::hypot(p.x - mouse.x, p.y - mouse.y);
      if (away <= nearest) {
        nearest = away;
        under = Grip{i, second};
      }
    }
  }
  const double time_s = frame_time_s(strip.columns(), scale.time_s(mouse.x));
  const double depth_m = scale.depth_m(mouse.y);
  if (h.pressed) {
    grip_ = under;
    begun_.reset();
    if (!grip_ && list.size() < kMostCalipers) begun_ = MModeCaliper{time_s, depth_m, time_s, depth_m};
  }
  if (!h.held) begun_.reset();
  if (begun_) {  // a click creates none
    const ImVec2 a = scale.place(begun_->time0_s, begun_->depth0_m);
    if (std::hypot(a.x - mouse.x, a.y - mouse.y) >= ui.px(kLeastDrag)) {
      list.push_back(*std::exchange(begun_, std::nullopt));
      grip_ = Grip{list.size() - 1, true};
    }
  }
  if (grip_ && grip_->index >= list.size()) grip_.reset();
  if (grip_ && h.held) {
    MModeCaliper& m = list[grip_->index];
    (grip_->second ? m.time1_s : m.time0_s) = time_s;
    (grip_->second ? m.depth1_m : m.depth0_m) = depth_m;
  }
  if (grip_ && !h.held) {  // deletes a caliper without length
    const MModeCaliper& m = list[grip_->index];
    const ImVec2 a = scale.place(m.time0_s, m.depth0_m), b = scale.place(m.time1_s, m.depth1_m);
    if (std::hypot(a.x - b.x, a.y - b.y) < ui.px(kLeastDrag)) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(grip_->index));
    }
    grip_.reset();
  }
  if (h.right && under) list.erase(list.begin() + static_cast<std::ptrdiff_t>(under->index));
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  for (const MModeCaliper& caliper : list) draw_caliper(ui, scale, caliper);
  if (h.hovered && !h.held && !under) read_out(ui, scale, strip.columns(), numbers_of(c.model.source));
  ui.list().PopClipRect();
}

void MModeDock::draw(const DockScene& scene, Rect head, const Rect& body) {
  PanelContext& c = scene.c;
  const MModeStrip& strip = scene.strip;
  Ui& ui = c.ui;
  if (!c.edits.view.inspected || strip.empty()) {
    ui.text_centred(Type::body, body, theme::kMuted, why_none(c.model, c.edits));
    return;
  }
  choose_span(c, "m_mode_span", head, c.view.transient.m_mode_span_s);
  const float right = draw_progress(c, head);
  const std::string line = line_text(scene.image, *c.edits.view.inspected);
  for (const std::string& text : {line + "   every processed frame", line}) {  // complete, or omitted
    if (head.x0 + ui.width(Type::body, text) > right) continue;
    ui.text(Type::body, head.x0, head.y0, head.height(), theme::kText2, text);
    break;
  }
  const Plot plot = draw_axes(ui, {body.x0, body.y0 - ui.px(12), body.x1, body.y1}, strip,
                              c.view.transient.m_mode_span_s, Type::small);
  use_calipers(c, plot, strip);
  draw_shown(ui, plot, strip);
  scene.boxes.m_mode = plot.box;
}

void MModeDock::draw_presented(const DockScene& scene, const Rect& cell) {
  PanelContext& c = scene.c;
  const MModeStrip& strip = scene.strip;
  Ui& ui = c.ui;
  const Rect head{cell.x0, cell.y0, cell.x1, cell.y0 + ui.px(28)};
  const float x = ui.text(Type::large_strong, head, theme::kText, "M-mode") + ui.px(14);
  const MModeProgress& p = c.model.image.m_mode.progress;
  const std::string more = p.under_way ? fmt::format("{} of {} history frames", grouped(p.done), grouped(p.all))
                           : c.edits.view.inspected ? line_text(scene.image, *c.edits.view.inspected)
                                                    : std::string();
  ui.text_fitted(Type::medium, x, head.x1, head.y0, head.height(), theme::kText2, more);
  const Rect body{cell.x0, head.y1 - ui.px(8), cell.x1, cell.y1};
  if (strip.empty()) {
    ui.paragraph(Type::medium, body.x0, body.cy(), body.width(), ui.px(26), theme::kMuted, why_none(c.model, c.edits));
    return;
  }
  double& span_s = c.view.transient.m_mode_span_s;
  span_s = fitted_span_s(c.model, c.edits, span_s);
  const Plot plot = draw_axes(ui, body, strip, span_s, Type::medium);
  const TimeScale scale{plot, strip.newest_s()};
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  for (const MModeCaliper& caliper : c.edits.view.m_mode.calipers) draw_caliper(ui, scale, caliper);
  ui.list().PopClipRect();
  draw_shown(ui, plot, strip);
  scene.boxes.m_mode = plot.box;
}

}  // namespace

std::unique_ptr<DockContent> make_m_mode_dock() { return std::make_unique<MModeDock>(); }

void m_mode_icon(const IconPen& pen) {
  pen.line({{-7, -6}, {-7, 6}, {7, 6}});
  pen.line({{-4.5F, 1}, {-2.5F, -3}, {-0.5F, 1}, {1.5F, -3}, {3.5F, 1}, {5.5F, -3}});
}

FigureStrip figure_m_mode(const MModeStrip& strip, const Edits& edits, const Image& image, double span_s) {
  const Grid& grid = strip.columns().line()->grid;
  const TimeSteps steps = strip.steps(span_s);
  const double offset_s = strip.offset_s(), newest_s = strip.newest_s();
  const PlotAxis depth{line_first_m(grid) / kMetresPerMillimetre, line_last_m(grid) / kMetresPerMillimetre, "mm"};
  FigureStrip f{.title = "M-mode",
                .facts = {line_text(image, *edits.view.inspected)},
                .x = {offset_s - span_s, offset_s, "s"},
                .y = depth,
                .columns = steps.n,
                .rows = grid.nz,
                .levels_db = {},
                .display = edits.params,
                .m_mode_line = edits.view.inspected};
  sample_columns(strip.columns(), steps, grid.nz, f.levels_db);
  if (const auto shown = strip.shown_s()) {
    const double at = *shown - newest_s;
    f.lines.push_back({.points = {{at, depth.first}, {at, depth.last}}, .ink = {{255, 255, 255}, 0.6}});
  }
  for (const MModeCaliper& c : edits.view.m_mode.calipers) {
    CaliperText text = caliper_text(c);
    f.calipers.push_back({.from = {c.time0_s - newest_s, c.depth0_m / kMetresPerMillimetre},
                          .to = {c.time1_s - newest_s, c.depth1_m / kMetresPerMillimetre},
                          .lengths = std::move(text.lengths),
                          .rates = std::move(text.rates)});
  }
  return f;
}

namespace {

constexpr std::array<double, 3> kSpans = {2.0, 4.0, 8.0};

double power_of_ten(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }

// Returns seconds of acquisition per second of playback.
double playback_speed(const Model& model, const Edits& edits) {
  const double wanted_hz = edits.stream.rate_hz > 0.0 ? edits.stream.rate_hz : model.source.rate_hz;
  const Acquisition* const a = model.source.acquisition.get();
  if (a == nullptr || a->frame_rate_hz <= 0.0 || wanted_hz <= 0.0) return 1.0;
  if (std::isinf(wanted_hz)) return model.numbers.pace.slower ? model.numbers.pace.speed : 1.0;
  return std::min(wanted_hz / a->frame_rate_hz, 1.0);
}

}  // namespace

std::string strip_span_text(double span_s) {
  if (span_s > 0.1) return fmt::format("{:.3g} s", span_s);
  return span_s > 1e-4 ? fmt::format("{:.3g} ms", span_s * 1e3) : fmt::format("{:.3g} µs", span_s * 1e6);
}

double fitted_span_s(const Model& model, const Edits& edits, double span_s) {
  if (model.run == RunState::frozen) return span_s;
  const double speed = std::max(playback_speed(model, edits), 1e-9);
  return std::round(span_s / power_of_ten(span_s)) / power_of_ten(1.0 / speed);
}

void choose_span(PanelContext& c, const char* id, Rect& head, double& span_s) {
  Ui& ui = c.ui;
  span_s = fitted_span_s(c.model, c.edits, span_s);
  const double unit_s = power_of_ten(span_s);
  std::array<std::string, kSpans.size()> names;
  std::array<Choice, kSpans.size()> choices;
  int chosen = -1;
  for (std::size_t i = 0; i < kSpans.size(); ++i) {
    names[i] = strip_span_text(kSpans[i] * unit_s);
    choices[i] = {names[i]};
    if (std::lround(span_s / unit_s) == std::lround(kSpans[i])) chosen = static_cast<int>(i);
  }
  const Rect spans{head.x1 - ui.px(unit_s < 0.05 ? 150 : 132), head.y0 + ui.px(3), head.x1, head.y1 - ui.px(3)};
  if (const auto now = ui.segmented(id, spans, choices, chosen,
                                    {"Time span", "Acquisition time across the strip, shorter in slow motion.", {}})) {
    span_s = kSpans[static_cast<std::size_t>(*now)] * unit_s;
  }
  head.x1 = spans.x0 - ui.px(12);
}

}  // namespace echoloop
