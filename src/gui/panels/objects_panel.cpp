// Objects: what stands out of the image's background, how the background is found, and what is done with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/number.h"
#include "gui/gl/display_window.h"
#include "gui/overlay/object_follower.h"
#include "gui/panels/objects_parts.h"
#include "gui/panels/param_rows.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/fact_row.h"

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
    {"2  Smoothing",
     "In fully developed speckle sigma is 5.6 dB, so single speckles exceed any useful threshold. A local average over "
     "n independent speckles reduces sigma by the square root of n, while structures larger than the Gaussian keep "
     "their level. The threshold therefore acts on the smoothed image, with a separate background estimate. Drawbacks: "
     "outlines are rounded, and structures smaller than the Gaussian fade."},
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
  bool& shown = c.state.analyses.objects.panel.explained;
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

std::string age_text(const UiState& state) {
  const double older_s = state.analyses.objects.older_s;
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
  if (found.params.objects.smooth_m > 0.0) {
    fact_row(ui, column, "background_smoothed", "Smoothed", spread_text(found.smoothed),
             "Background of the smoothed image: about the same mean, smaller sigma. The threshold is in units of this "
             "sigma.");
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
      ui, column, "objects_age", "Result", age_text(c.state),
      "While live, objects follow the image with a short delay. While frozen, objects belong to the displayed frame.");
}

// What a button did, for the message line.
void say_change(PanelContext& c, const std::string& text) {
  call(c.commands.params_changed);
  call(c.commands.say, text);
}

void display_buttons(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
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
                 why_no_files(c.state, found.objects.empty() ? "No objects." : "")})) {
    call(c.commands.save_table,
         ResultTable{.suffix = "_objects",
                     .heading = "# Objects found by Echoloop. Levels are in dB relative to 0 dB of the image.\n",
                     .rows = objects_csv(c.state.analyses.objects),
                     .stamp = found.stamp,
                     .params = found.params});
  }
}

std::string_view waiting_text(const UiState& state) {
  return state.run == RunState::frozen ? "Computing for this frame." : "Waiting for an image.";
}

void result_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const ObjectImage* found = c.state.analyses.objects.image;
  const auto line = [&](std::string_view text) { ui.paragraph_row(column, 16, theme::kText2, text); };
  if (found == nullptr) return line(waiting_text(c.state));
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
  const ImagingParams& p = c.state.params;
  const auto mode = static_cast<std::size_t>(p.objects.kind);
  const bool found = c.state.analyses.objects.image != nullptr;
  const std::string summary =
      mode == 0 ? "off"
      : found   ? fmt::format("{} {}", c.state.analyses.objects.count(), mode == 1 ? "bright" : "dark")
                : std::string(get_choice(p, param("structure")).label);
  if (open) lesson_link(c, column, column.y);
  ui.header("panel_objects", column, "Objects", open ? "" : summary, open);
  if (!open) return;
  column.y += ui.px(2);
  if (c.state.analyses.objects.panel.explained) objects_lesson(c.ui, column);
  const bool changed = param_rows(c, column, {ParamPart::objects}, MoreRows::shown, kObjectRows);
  if (p.objects.kind != ObjectKind::off) {
    column.y += ui.px(4);
    const std::string_view why = why_no_objects(c.state);
    if (!why.empty()) {
      ui.paragraph_row(column, 16, theme::kText2, why);
    } else {
      result_rows(c, column);
    }
  }
  if (changed) call(c.commands.params_changed);
}

}  // namespace echoloop
