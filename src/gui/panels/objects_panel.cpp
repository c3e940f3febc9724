// Objects: structures that differ from the image's background, estimation of the background, and its use.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "gui/gl/surface.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/overlay/transfer_function.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

struct Lesson {
  std::string_view title, text;
};
constexpr std::array<Lesson, 4> kLessons = {{
    {"1  Background",
     "Most pixels are background: noise, or speckle of homogeneous tissue. Kappa-sigma clipping estimates the "
     "background levels: compute the median and the standard deviation (sigma) of all levels, exclude pixels more than "
     "kappa sigma from the median, and repeat until no pixel is excluded. Bright targets and dark cysts are excluded "
     "first, which reduces sigma. The remaining pixels are the background. An image of two different tissues has no "
     "single background: sigma then covers both."},
    {"2  Trend and smoothing",
     "Running medians of rows and columns are subtracted first: the level trend along depth and across is no object. "
     "In fully developed speckle sigma is 5.6 dB, so single speckles exceed any useful threshold. An average over n "
     "independent speckles reduces sigma by the square root of n; larger structures keep their level. The threshold "
     "acts on this image, with its own background. Outlines are rounded, smaller structures fade."},
    {"3  Threshold",
     "Bright objects exceed the mean of the smoothed background by the threshold in sigma, dark objects are below the "
     "mean by the same amount. For Gaussian levels, one pixel in 44 exceeds 2 sigma by chance, one in 740 exceeds 3 "
     "sigma, and one in 32\u202F000 exceeds 4 sigma: larger images need higher thresholds."},
    {"4  Objects",
     "Pixels beyond the threshold that share an edge form one object. The area is the sum of the pixel areas in the "
     "plane, which in a sector increase with the distance from the apex. The mean level is computed before smoothing."},
}};

void objects_lesson(Ui& ui, Column& column) {
  const float wide = column.x1 - column.x0;
  for (const Lesson& lesson : kLessons) {
    const Rect r = ui.row(column, 20, 0);
    ui.text(Type::strong, r, theme::kText, lesson.title);
    column.y += ui.paragraph(Type::small, column.x0, column.y, wide, ui.px(16), theme::kText2, lesson.text) + ui.px(6);
  }
}

void lesson_link(PanelContext& c, const Column& column, float header_y) {
  Ui& ui = c.ui;
  bool& shown = c.edits.objects.panel.explained;
  const std::string_view word = shown ? "hide" : "method";
  const float w = ui.width(Type::small, word) + ui.px(8);
  const Rect r{column.x1 - w, header_y, column.x1, header_y + ui.px(theme::kHeader)};
  const Hit h = ui.control("objects_explain", r);
  ui.tip("objects_explain", h, r, {"Method", "From image levels to a table of objects, in four steps.", {}});
  ui.text_right(Type::small, r.x1, r.y0, r.height(), h.hovered ? theme::kText : theme::kMuted, word);
  if (h.clicked) shown = !shown;
}

bool kind_row(PanelContext& c, Column& column) { return mode_row(c, column, param("structure")); }

constexpr std::array<OwnRow, 1> kObjectRows = {{{"structure", kind_row}}};

std::string spread_text(const Background& b) {
  return fmt::format("{} \u00B1 {} dB", fixed(b.mean_db, 1), fixed(b.sigma_db, 1));
}

std::string age_text(const Model& model) {
  const double older_s = model.analyses.of<ObjectView>().older_s;
  if (older_s <= 0.0) return "current";
  return fmt::format("{} behind the image",
                     older_s < 0.9995 ? fixed(1e3 * older_s, 0) + " ms" : fixed(older_s, 1) + " s");
}

void background_rows(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  const Background& b = found.background;
  const double all = static_cast<double>(found.grid.pixels());
  fact_row(ui, column, "background", "Background", spread_text(b),
           "Mean and standard deviation of the background pixels, before smoothing. Fully developed speckle: \u00B1 "
           "5.6 dB, slightly reduced by clipping.");
  fact_row(ui, column, "background_median", "Median", fixed(b.median_db, 1) + " dB",
           "Median of the background pixels. In speckle the median is above the mean, because the distribution in dB "
           "has a longer tail towards low levels.");
  fact_row(ui, column, "background_kept", "Background pixels",
           fixed(100.0 * static_cast<double>(b.pixels) / all, 1) + " %",
           fmt::format("{} of {} pixels are background after {} of clipping: levels from {} to {} dB.",
                       grouped(b.pixels), grouped(found.grid.pixels()), counted(b.rounds, "iteration"),
                       fixed(b.lowest_db, 1), fixed(b.highest_db, 1)));
  if (found.params.objects.prepares()) {
    const bool trend = found.params.objects.trend == LevelTrend::remove;
    fact_row(ui, column, "background_smoothed", trend ? "Trend removed" : "Smoothed", spread_text(found.smoothed),
             fmt::format("Background of the smoothed image{}: about the same mean, smaller sigma. The threshold is in "
                         "units of this sigma.",
                         trend ? " without level trend" : ""));
  }
  fact_row(ui, column, "structure_threshold", "Threshold", fixed(found.threshold_db, 1) + " dB",
           found.params.objects.kind == ObjectKind::bright
               ? "Pixels of the smoothed image above this level are objects."
               : "Pixels of the smoothed image below this level are objects.");
}

void work_rows(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  fact_row(
      ui, column, "objects_made", "Computed in", fixed(found.times.total_ms, 1) + " ms",
      fmt::format(
          "Smoothing, background and histogram {} ms, objects {} ms; in parallel with the stream, which does not wait.",
          fixed(found.times.background_ms, 1), fixed(found.times.objects_ms, 1)));
  fact_row(
      ui, column, "objects_age", "Result", age_text(c.model),
      "While live, objects follow the image with a short delay. While frozen, objects belong to the displayed frame.");
}

// Reports the effect of a button in the message line.
void say_change(PanelContext& c, const std::string& text) {
  c.commands.send(command::ParamsChanged{});
  c.commands.send(command::Say{text});
}

void display_buttons(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  ImagingParams& p = c.edits.params;
  const Background& b = found.background;
  column.y += ui.px(4);
  const Rect r = ui.row(column, theme::kRow, 8);
  const float half = std::round(0.5F * (r.width() - ui.px(6)));
  if (ui.button(
          "reject_background", {r.x0, r.y0, r.x0 + half, r.y1}, {.label = c.compact ? "Reject" : "Set reject"},
          {"Set reject from background",
           fmt::format("Sets Reject to the background mean + {} sigma, once: weaker pixels become black, and about one "
                       "background pixel in a thousand remains. Undo with Ctrl+Z, or change Reject in Display.",
                       fixed(kRejectSigmas, 0)),
           {}})) {
    reject_background(p, b);
    say_change(c, fmt::format("Reject {} dB: background mean {} dB + {} sigma of {} dB.", fixed(p.display.reject_db, 0),
                              fixed(b.mean_db, 1), fixed(kRejectSigmas, 0), fixed(b.sigma_db, 1)));
  }
  const bool bright = p.objects.kind == ObjectKind::bright;
  if (ui.button("fit_window", {r.x1 - half, r.y0, r.x1, r.y1}, {.label = c.compact ? "Range" : "Set range"},
                {"Set dynamic range from background",
                 fmt::format("Sets gain and dynamic range, once: white is the brightest level, black is {} sigma below "
                             "the background median, {}. Brightness never changes automatically. Undo with Ctrl+Z.",
                             bright ? 1 : 4,
                             bright ? "so that the background is nearly black"
                                    : "so that tissue is gray and darker areas are black"),
                 {}})) {
    fit_window(p, b, found.histogram);
    say_change(c, fmt::format("The display shows {} to {} dB.",
                              fixed(-p.display.gain_db - p.display.dynamic_range_db, 0), fixed(-p.display.gain_db, 0)));
  }
}

void found_row(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  column.y += ui.px(4);
  const Rect r = ui.row(column, theme::kRow, 2);
  const Rect button{r.x1 - ui.px(88), r.y0, r.x1, r.y1};
  const std::uint64_t small = found.found - std::min<std::uint64_t>(found.found, found.objects.size());
  std::string text = counted_grouped(found.objects.size(), "object");
  if (small > 0) text += fmt::format(", {} below the minimum area", grouped(small));
  const Rect words{r.x0, r.y0, button.x0 - ui.px(6), r.y1};
  ui.hit("objects_found", words,
         {"Found", "Objects in the table, and objects below the minimum area, which are ignored.", {}});
  const float line = ui.px(15), tall = ui.paragraph_height(Type::small, words.width(), line, text);
  ui.paragraph(Type::small, words.x0, words.cy() - 0.5F * tall, words.width(), line, theme::kText, text);
  if (ui.button("save_objects", button, {.label = "Save CSV"},
                {"Save CSV", "The table in full precision, with background, threshold, source, frame and parameters.",
                 why_no_files(c.model, found.objects.empty() ? "No objects." : "")})) {
    c.commands.send(command::SaveTable{
        ResultTable{.suffix = "_objects",
                    .heading = "# Objects found by Echoloop. Levels are in dB relative to 0 dB of the image.\n",
                    .rows = objects_csv(c.model.analyses.of<ObjectView>()),
                    .stamp = found.stamp,
                    .params = found.params}});
  }
}

std::string_view waiting_text(const Model& model) {
  return model.run == RunState::frozen ? "Computing for this frame." : "Waiting for an image.";
}

void result_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const ObjectImage* found = c.model.analyses.of<ObjectView>().image.get();
  const auto line = [&](std::string_view text) { ui.paragraph_row(column, 16, theme::kText2, text); };
  if (found == nullptr) return line(waiting_text(c.model));
  if (found->background.pixels == 0) return line("No background: the image contains no echoes.");
  background_plot(c, column, *found);
  found_row(c, column, *found);
  objects_table(c, column);
  display_buttons(c, column, *found);
  background_rows(c, column, *found);
  work_rows(c, column, *found);
}

}  // namespace

void objects_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const ImagingParams& p = c.edits.params;
  const ObjectView& view = c.model.analyses.of<ObjectView>();
  const std::string kind(get_text(p, param("structure")));  // off, bright or dark
  const std::string summary = view.image != nullptr && kind != "off" ? fmt::format("{} {}", view.count(), kind) : kind;
  if (open) lesson_link(c, column, column.y);
  ui.header("panel_objects", column, "Objects", open ? "" : summary, open);
  if (!open) return;
  column.y += ui.px(2);
  if (c.edits.objects.panel.explained) objects_lesson(c.ui, column);
  const bool changed = param_rows(c, column, {kPart<&ImagingParams::objects>}, MoreRows::shown, kObjectRows);
  if (p.objects.kind != ObjectKind::off) {
    column.y += ui.px(4);
    const std::string_view why = why_no_objects(c.model, c.edits);
    if (!why.empty()) ui.paragraph_row(column, 16, theme::kText2, why);
    if (why.empty()) result_rows(c, column);
  }
  if (changed) c.commands.send(command::ParamsChanged{});
}

// Levels of the image and its background. Heights are roots of counts, so that a few pixels of an object are visible
// next to a million of background; the root of a Gaussian is a Gaussian, wider by the root of 2.

namespace {

constexpr float kObjectsHeight = 122, kHistogramTitle = 18, kAxis = 17, kStrip = 6;

// Returns the pixels in the fullest bin for a Gaussian background.
double expected_peak(const Background& b, double step_db) {
  if (b.sigma_db <= 0.0) return 0.0;
  return static_cast<double>(b.pixels) * step_db / (std::sqrt(2.0 * kPi) * b.sigma_db);
}

double middle_db(const LevelHistogram& h, std::size_t bin) {
  return h.first_db + (static_cast<double>(bin) + 0.5) * h.step_db;
}

// Rounds the axis outwards to tens; constant from image to image for small changes.
Plot placed(const ObjectImage& found, const Rect& box) {
  const Background& b = found.background;
  Plot plot{box, {-90.0, 10.0, "dB"}, {1.0, 0.0, ""}};
  plot.x.first = std::min(plot.x.first, 10.0 * std::floor((b.median_db - 4.0 * b.sigma_db) / 10.0));
  plot.x.last = std::max(plot.x.last, 10.0 * std::ceil((b.median_db + 4.0 * b.sigma_db) / 10.0));
  double most = 1.0;
  for (const std::uint32_t count : found.histogram.counts) most = std::max(most, static_cast<double>(count));
  most = std::max(most, expected_peak(b, found.histogram.step_db));
  plot.y.first = 1.05 * std::sqrt(most);
  return plot;
}

void draw_bars(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const LevelHistogram& h = found.histogram;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double from = h.first_db + static_cast<double>(i) * h.step_db, to = from + h.step_db;
    if (h.counts[i] == 0 || from < plot.x.first || to > plot.x.last) continue;
    const bool kept = middle_db(h, i) >= found.background.lowest_db && middle_db(h, i) <= found.background.highest_db;
    const float x0 = std::round(plot.x_px(from));
    ui.fill({x0, std::round(plot.y_px(std::sqrt(static_cast<double>(h.counts[i])))),
             std::max(x0 + 1.0F, std::round(plot.x_px(to))), plot.box.y1},
            kept ? theme::kHistoryBefore : theme::kDisabled);
  }
}

// Draws the root of a Gaussian; `peak`: its largest number of pixels.
void draw_gaussian(const Ui& ui, const Plot& plot, const Background& b, double peak, ImU32 color) {
  if (b.sigma_db <= 0.0) return;
  constexpr double kStep_db = 0.25;
  std::vector<float> roots;
  for (double level = plot.x.first; level <= plot.x.last; level += kStep_db) {
    const double t = (level - b.mean_db) / b.sigma_db;
    roots.push_back(static_cast<float>(std::sqrt(peak) * std::exp(-0.25 * t * t)));
  }
  draw_curve(ui, plot, roots, plot.x.first, kStep_db, color);
}

// Draws the display's colours of the levels, below the axis of levels.
void draw_display(const Ui& ui, const Plot& plot, const ImagingParams& p) {
  const float step = std::max(1.0F, ui.px(2));
  const float y = plot.box.y1 + ui.px(2);
  for (float x = plot.box.x0; x < plot.box.x1; x += step) {
    const double level = plot.x_at(x + 0.5F * step);
    const Rgb c = map_color(p.display.color_map, transfer(level, p.display));
    ui.fill({x, y, std::min(x + step, plot.box.x1), y + ui.px(kStrip)}, IM_COL32(c.r, c.g, c.b, 255));
  }
  ui.outline({plot.box.x0, y, plot.box.x1, y + ui.px(kStrip)}, theme::kLine2, 0);
}

void draw_threshold(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const float x = std::clamp(std::round(plot.x_px(found.threshold_db)), plot.box.x0, plot.box.x1);
  const bool bright = found.params.objects.kind == ObjectKind::bright;
  ui.fill({bright ? x : plot.box.x0, plot.box.y0, bright ? plot.box.x1 : x, plot.box.y1}, theme::kSelected);
}

void draw_threshold_line(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const float x = std::round(plot.x_px(found.threshold_db));
  if (x < plot.box.x0 || x > plot.box.x1) return;
  ui.fill({x, plot.box.y0, x + ui.px(2), plot.box.y1}, theme::kAccent);
}

// Labels every 20 dB, and the threshold, which is never covered.
void draw_axis(const Ui& ui, const Plot& plot, double threshold_db) {
  const float y = plot.box.y1 + ui.px(kStrip + 2);
  const float line = ui.px(kAxis - 2);
  const auto place = [&](Type type, double db, const std::string& text) {
    const float half = 0.5F * ui.width(type, text);
    return std::clamp(plot.x_px(db) - half, plot.box.x0, std::max(plot.box.x0, plot.box.x1 - 2 * half));
  };
  const std::string own = fixed(threshold_db, 0);
  const float own_x = place(Type::badge, threshold_db, own);
  const float own_end = own_x + ui.width(Type::badge, own);
  for (double db = 20.0 * std::ceil(plot.x.first / 20.0); db <= plot.x.last; db += 20.0) {
    const std::string text = fixed(db, 0);
    const float x = place(Type::small, db, text), end = x + ui.width(Type::small, text);
    if (end + ui.px(4) > own_x && x - ui.px(4) < own_end) continue;
    ui.text(Type::small, x, y, line, theme::kMuted, text);
  }
  ui.text(Type::badge, own_x, y, line, theme::kAccent, own);
}

std::string note(const Plot& plot, const ObjectImage& found, float mouse_x) {
  const LevelHistogram& h = found.histogram;
  const double at = (plot.x_at(mouse_x) - h.first_db) / h.step_db;
  if (at < 0.0 || at >= static_cast<double>(h.counts.size())) return {};
  const auto bin = static_cast<std::size_t>(at);
  return fmt::format("{} dB  {} px", fixed(h.first_db + static_cast<double>(bin) * h.step_db, 1),
                     grouped(h.counts[bin]));
}

}  // namespace

void background_plot(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  constexpr std::string_view kName = "Levels";
  const Rect cell = ui.row(column, kObjectsHeight, 4);
  const Rect box{cell.x0, cell.y0 + ui.px(kHistogramTitle), cell.x1, cell.y1 - ui.px(kAxis + kStrip)};
  const Plot plot = placed(found, box);
  const Hit h = ui.hit(
      "background_plot", cell,
      {"Levels and background",
       "Bars: number of pixels per level (square-root scale); blue: background pixels after clipping. White curve: "
       "Gaussian with mean and sigma of the background; faint curve: background of the smoothed image, at the same "
       "height. Line: threshold on the smoothed image. The strip below shows the display mapping of each level.",
       {}});
  ui.fill(box, theme::kCanvas);
  draw_threshold(ui, plot, found);
  draw_bars(ui, plot, found);
  const double peak = expected_peak(found.background, found.histogram.step_db);
  if (found.params.objects.prepares()) {
    draw_gaussian(ui, plot, found.smoothed, peak, theme::kMuted);
  }
  draw_gaussian(ui, plot, found.background, peak, theme::kText);
  draw_threshold_line(ui, plot, found);
  draw_display(ui, plot, c.edits.params);
  draw_axis(ui, plot, found.threshold_db);
  ui.text(Type::small, cell.x0, cell.y0, ui.px(kHistogramTitle), theme::kText2, kName);
  if (h.hovered) {
    draw_plot_note(ui, cell, plot, kName, note(plot, found, ImGui::GetIO().MousePos.x));
  } else {
    ui.text_right(Type::small, cell.x1, cell.y0, ui.px(kHistogramTitle), theme::kMuted, "dB");
  }
}

// Table of objects. It has its own scrolling: an image can contain thousands.

namespace {

constexpr float kTableRow = 20, kTableHead = 22, kStep = 48, kBar = 8;
constexpr int kRows = 7;  // for any number of objects: rows below do not move
constexpr double kMm2 = kMetresPerMillimetre * kMetresPerMillimetre;

struct TableColumn {
  const char* id;
  std::string_view name, title, help;
};
constexpr std::array<TableColumn, 4> kColumns = {{
    {"objects/area", "mm\u00B2", "Area", "Sum of the pixel areas of the object."},
    {"objects/x", "x mm", "Centroid, x", "Lateral centroid, positive to the right of the probe centre."},
    {"objects/z", "z mm", "Centroid, z", "Depth of the centroid."},
    {"objects/db", "dB", "Mean level", "Mean level of the object, before smoothing."},
}};

// Returns the right edges of the columns.
std::array<float, 4> edges(const Ui& ui, const Rect& r) {
  const float first = r.x0 + ui.px(26), last = r.x1 - ui.px(2);
  std::array<float, 4> right{};
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = std::round(first + (last - first) * static_cast<float>(i + 1) / static_cast<float>(right.size()));
  }
  return right;
}

void head(Ui& ui, Column& column) {
  Rect r = ui.row(column, kTableHead, 0);
  r.x1 -= ui.px(kBar);
  const auto right = edges(ui, r);
  const Rect number{r.x0, r.y0, r.x0 + ui.px(26), r.y1};
  ui.hit("objects/number", number,
         {"Number", "Number by area; 1 is the largest object. The same numbers label the image.", {}});
  ui.text(Type::small, r, theme::kMuted, "No.");
  float x = number.x1;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const TableColumn& t = kColumns[i];
    const Rect cell{x, r.y0, right[i], r.y1};
    ui.hit(t.id, cell, {t.title, t.help, {}});
    ui.text_right(Type::small, right[i], r.y0, r.height(), theme::kMuted, t.name);
    x = right[i];
  }
  ui.horizontal(r.x0, r.x1, r.y1 - ui.hairline(), theme::kFaintLine);
}

void table_row(PanelContext& c, const Rect& r, int number) {
  Ui& ui = c.ui;
  ObjectPick& s = c.edits.objects;
  const FoundObject& o = c.model.analyses.of<ObjectView>().object(number);
  const std::string id = "object/" + std::to_string(number);
  const Hit h = ui.control(id.c_str(), r, FocusKind::line);
  ui.tip(id.c_str(), h, r,
         {fmt::format("Object {}", number),
          fmt::format("{}, {} wide and {} high. Click here or in the image to select, click again to deselect.",
                      counted_grouped(o.pixels, "pixel"), o.ix1 - o.ix0 + 1, o.iz1 - o.iz0 + 1),
          {}});
  if (h.hovered) s.hovered = number;
  if (h.clicked) s.selected = s.selected == number ? 0 : number;
  if (h.clicked) s.panel.shown = s.selected;  // already visible
  const bool chosen = s.selected == number, lit = s.hovered == number;
  if (chosen || lit) {
    ui.fill({r.x0 - ui.px(4), r.y0, r.x1, r.y1}, chosen ? theme::kSelected : theme::kHover, 3);
  }
  const auto right = edges(ui, r);
  ui.text(Type::small, r, chosen ? theme::kText : theme::kAccent, std::to_string(number));
  const double area_mm2 = o.area_m2 / kMm2;
  const std::array<std::string, 4> values = {fixed(area_mm2, area_mm2 < 99.995 ? 2 : 1),
                                             fixed(o.centroid.x_m / kMetresPerMillimetre, 1),
                                             fixed(o.centroid.z_m / kMetresPerMillimetre, 1), fixed(o.mean_db, 1)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    ui.text_right(Type::small, right[i], r.y0, r.height(), theme::kText, values[i]);
  }
}

void draw_bar(Ui& ui, ObjectsPanelState& t, const Rect& area) {
  if (t.most <= 0.0F) return;
  const Rect track{area.x1 - ui.px(6), area.y0, area.x1, area.y1};
  const float content = area.height() + t.most;
  const Hit h = ui.hit("objects_bar", track, {"More objects", "Drag, or scroll over the table.", {}});
  if (h.held) t.offset = std::clamp(t.offset + ImGui::GetIO().MouseDelta.y * content / area.height(), 0.0F, t.most);
  const float y = area.y0 + t.offset * area.height() / content;
  const float length = std::max(area.height() * area.height() / content, ui.px(12));
  ui.fill({track.x0 + ui.px(2), std::min(y, area.y1 - length), track.x1, std::min(y + length, area.y1)},
          h.hovered || h.held ? theme::kMuted : theme::kLine2, 2);
}

}  // namespace

// Reserves the wheel over the table for it.
void take_objects_wheel(PanelContext& c, const Rect& column) {
  ObjectsPanelState& t = c.edits.objects.panel;
  ImGuiIO& io = ImGui::GetIO();
  const Rect area = std::exchange(t.area, {});
  t.wheel = 0.0F;
  const bool over = area.contains(io.MousePos.x, io.MousePos.y) && column.contains(io.MousePos.x, io.MousePos.y);
  if (io.MouseWheel == 0.0F || !over || !ImGui::IsWindowHovered()) return;
  // Leaves the wheel to the column at the table's ends.
  if (io.MouseWheel > 0.0F ? t.offset > 0.0F : t.offset < t.most) t.wheel = std::exchange(io.MouseWheel, 0.0F);
}

std::string_view empty_table_text(const ObjectView& view) {
  return view.image != nullptr && view.image->found > 0 ? "No object of the minimum area."
                                                        : "No pixels beyond the threshold.";
}

void objects_table(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ObjectsPanelState& t = c.edits.objects.panel;
  const ObjectView& s = c.model.analyses.of<ObjectView>();
  head(ui, column);
  const float row = ui.px(kTableRow);
  const Rect area = ui.row(column, kTableRow * kRows, 4);
  if (s.count() == 0) {
    ui.text_fitted(Type::small, area.x0, area.x1, area.y0, row, theme::kText2, empty_table_text(s));
  }
  t.area = area;
  t.most = std::max(0.0F, row * static_cast<float>(s.count()) - area.height());
  t.offset = std::round(std::clamp(t.offset - t.wheel * ui.px(kStep), 0.0F, t.most));
  const int selected = c.edits.objects.selected;
  if (selected > 0 && selected != t.shown) {
    const float top = row * static_cast<float>(selected - 1);
    t.offset = std::clamp(t.offset, std::max(0.0F, top + row - area.height()), std::min(top, t.most));
  }
  t.shown = selected;
  draw_bar(ui, t, area);
  ImGui::PushClipRect({area.x0 - ui.px(4), area.y0}, {area.x1, area.y1}, true);
  const int first = static_cast<int>(t.offset / row);
  for (int i = first; i < s.count(); ++i) {
    const float y = area.y0 + row * static_cast<float>(i) - t.offset;
    if (y >= area.y1) break;
    table_row(c, {area.x0, y, area.x1 - ui.px(kBar), y + row}, i + 1);
  }
  ImGui::PopClipRect();
}

constinit const PanelRow ObjectAnalysis::kPanel{.key = "objects",
                                                .open = false,
                                                .open_compact = false,
                                                .mode = PanelMode::engineer,
                                                .draw = objects_panel,
                                                .take_wheel = take_objects_wheel};

}  // namespace echoloop
