// Measure panel: live measurements of the marks on the image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/own_method.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/panels/panels.h"
#include "gui/state/marks.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kMarkRow = 22;
constexpr int kDecimals = 2;

// Returns true if the mark should be deleted.
bool mark_row(PanelContext& c, Column& column, const Mark& mark) {
  Ui& ui = c.ui;
  Marks& marks = c.edits.marks;
  const Rect r = ui.row(column, kMarkRow, 0);
  const std::string id = "mark/" + std::to_string(mark.number);
  const float side = ui.px(20);
  const Rect bin{r.x1 - side, r.y0 + ui.px(1), r.x1, r.y0 + ui.px(1) + side};
  const Hit on_bin = ui.control((id + "/delete").c_str(), bin);
  ui.tip((id + "/delete").c_str(), on_bin, bin, {"Delete", "Removes this mark.", {}});
  const std::string name = std::string(name_of(mark.kind)) + " " + std::to_string(mark.number);
  const Hit on_row = ui.control(id.c_str(), {r.x0, r.y0, bin.x0, r.y1}, FocusKind::button, name);
  const bool lit = on_row.hovered || on_bin.hovered;
  if (lit) marks.hovered = mark.number;
  if (on_row.clicked) marks.selected = mark.number;
  const bool chosen = marks.selected == mark.number;
  if (lit || chosen) ui.fill({r.x0 - ui.px(6), r.y0, r.x1 + ui.px(2), r.y1}, lit ? theme::kHover : theme::kField, 4);
  const std::string label = mark.role == RegionRole::none ? std::string(name_of(mark.kind)) : mark_label(mark);
  ui.text(Type::badge, r.x0, r.y0, r.height(), theme::kAccent, std::to_string(mark.number));
  const std::string value = mark_value(mark, kDecimals);
  const float value_x = bin.x0 - ui.px(6) - ui.width(Type::body, value);
  ui.text_fitted(Type::body, r.x0 + ui.px(24), value_x - ui.px(8), r.y0, r.height(), theme::kText2, label);
  ui.text(Type::body, value_x, r.y0, r.height(), theme::kText, value);
  const float a = 3.5F * ui.scale();
  const ImU32 ink = on_bin.hovered ? theme::kText : lit ? theme::kText2 : theme::kMuted;
  ui.stroke({bin.cx() - a, bin.cy() - a}, {bin.cx() + a, bin.cy() + a}, ink, 1.5F);
  ui.stroke({bin.cx() - a, bin.cy() + a}, {bin.cx() + a, bin.cy() - a}, ink, 1.5F);
  return on_bin.clicked;
}

// Draws the rows of the marks. Hovering highlights a mark; a click selects it.
void marks_list(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  if (c.edits.marks.list.empty()) {
    ui.paragraph_row(column, 18, theme::kMuted,
                     "Choose a tool above the image: distances (C), angles, regions (A). A region gives "
                     "statistics, two regions contrast, a point the FWHM, a line the profile.");
    return;
  }
  int removed = 0;
  for (const Mark& mark : c.edits.marks.list) {
    if (mark_row(c, column, mark)) removed = mark.number;
  }
  if (removed != 0) remove_mark(c.edits.marks, removed);
  column.y += ui.px(4);
}

// Draws the header. The panel is opened from the tool bar and by the first mark; closed, it has no header.
void head_row(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kHeader, 0);
  const float end = ui.text(Type::strong, r, theme::kText, "Measure");
  if (c.levels_a != nullptr) {
    ui.text(Type::small, end + ui.px(10), r.y0, r.height(), theme::kMuted, "values of A and B");
  }
  const float size = ui.px(22);
  const Rect close{r.x1 - size, r.cy() - 0.5F * size, r.x1, r.cy() + 0.5F * size};
  if (ui.icon_button("close_measure", close, {"Close", "Reopen from the tool bar; marks are kept.", {}})) open = false;
  ui.cross(close.cx(), close.cy(), theme::kText2);
}

void save_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  column.y += ui.px(4);
  Rect r = ui.row(column, theme::kRow, 4);
  r.x0 = r.x1 - ui.px(104);
  const std::string_view why = why_no_files(
      c.model, c.edits.measured.values.empty() && c.edits.measured.profiles.empty() && !c.edits.measured.histogram
                   ? "No measurements yet."
                   : "");
  if (ui.button("save_measurements", r, {.label = "Save CSV"},
                {"Save CSV",
                 "All values with their last 30 s, profiles and histogram, with units, source and parameters.", why})) {
    c.commands.send(command::Save{SaveWhat::measurements});
  }
}

}  // namespace

void measure_panel(PanelContext& c, Column& column, bool& open) {
  head_row(c, column, open);
  Measured& m = c.edits.measured;
  c.measuring.update(m, c.edits.marks, c.levels, c.view.histogram ? HistogramUse::yes : HistogramUse::no,
                     ImGui::GetTime());
  if (c.levels_a != nullptr) {
    c.measuring_a.update(c.edits.measured_a, c.edits.marks, *c.levels_a, HistogramUse::no, ImGui::GetTime());
  } else {
    c.edits.measured_a = {};
  }
  if (const auto& awaited = c.model.image.awaited) {
    note_row(c, column, "Waiting for the first image. Marks of " + awaited->shown_of + " are kept with it.");
  } else if (c.model.image.coarse) {
    note_row(c, column, "The image is coarse: numbers come with the one that is being computed.");
  }
  marks_list(c, column);
  column.y += c.ui.px(4);
  if (shows_weight(c.edits.params.formation) && Measuring::has_work(c.edits.marks)) {
    note_row(c, column, "The image shows weights, which are no levels: select Show, Image to measure.");
  }
  const bool work = Measuring::has_work(c.edits.marks) || m.image.mask != nullptr;
  const auto gap = [&] { column.y += c.ui.px(4); };
  if (c.levels_a != nullptr) {
    c.measuring.compare(m, c.edits.measured_a, c.edits.marks, c.levels, *c.levels_a);
    compare_blocks(c, column);
    histogram_block(c, column);
    if (work || c.view.histogram) save_row(c, column);
    return;
  }
  mask_block(c, column);
  for (const MeasuredPair& pair : m.pairs) pair_block(c, column, pair), gap();
  for (const MeasuredRegion& region : m.regions) region_block(c, column, region), gap();
  for (const MeasuredPoint& point : m.points) point_block(c, column, point), gap();
  for (const MeasuredProfile& line : m.profiles) profile_block(c, column, line), gap();
  histogram_block(c, column);
  if (work || c.view.histogram) save_row(c, column);
}

// Regions, pairs, point spread and profiles in the Measure panel: the numbers, and the curves behind them.

namespace {

constexpr float kPlotHeight = 92;
constexpr double kSpreadFloor_db = -40.0;

struct SpreadSide {
  const char* name;  // prefix of the quantities
  const char* label;
  const Lobe& lobe;
};

// Returns the half range of the plot: 2.5 widths of the lobe, or all samples of the image.
double reach_mm(const Lobe& lobe) {
  double most = 0.0;
  for (const double offset : lobe.offset_m) most = std::max(most, std::abs(offset) * 1e3);
  const double wanted = std::isfinite(lobe.fwhm_m) ? 2.5 * lobe.fwhm_m * 1e3 : most;
  return std::max(1e-3, std::min(most, wanted));
}

void lobe_plot(PanelContext& c, const Rect& outer, const SpreadSide& side) {
  const Ui& ui = c.ui;
  const Lobe& lobe = side.lobe;
  const double reach = reach_mm(lobe);
  const Plot plot = draw_plot_frame(ui, outer, {-reach, reach, "mm"}, {2.0, kSpreadFloor_db, {}});
  std::vector<ImVec2> points;
  if (lobe.fit) {
    constexpr int kSteps = 60;
    for (int i = 0; i <= kSteps; ++i) {
      const double offset_mm = reach * (2.0 * i / kSteps - 1.0);
      const double level = lobe.fit->level_db(offset_mm * 1e-3);
      points.push_back(plot.px(offset_mm, level >= -20.0 ? level : NAN));
    }
    draw_curve(ui, plot, points, theme::kText2, 1.25F);
    points.clear();
  }
  for (std::size_t i = 0; i < lobe.offset_m.size(); ++i) {
    points.push_back(plot.px(lobe.offset_m[i] * 1e3, static_cast<double>(lobe.level_db[i])));
  }
  draw_curve(ui, plot, points, theme::kAccent, 1.5F);
  if (std::isfinite(lobe.fwhm_m)) {
    const double half_mm = 0.5 * lobe.fwhm_m * 1e3;
    ui.horizontal(plot.x_px(-half_mm), plot.x_px(half_mm), std::round(plot.y_px(-6.0)), theme::kText);
  }
  ui.text(Type::small, plot.box.x0 + ui.px(4), plot.box.y0 + ui.px(2), ui.px(14), theme::kText2, side.label);
}

void width_row(PanelContext& c, Column& column, const MeasuredPoint& point, const SpreadSide& side) {
  const Measured& m = c.edits.measured;
  const std::string name = side.name;
  table_row(
      c, column,
      {.label = side.label,
       .unit = "mm",
       .decimals = 2,
       .help = "Width 6 dB below the brightest pixel, between straight lines through the pixels' levels, beamformed "
               "on a grid of at least 10 pixels a width; second: width of the parabola in dB fitted to the lobe "
               "down to \u221210 dB.",
       .first = m.find(point.object, name + " width at -6 dB"),
       .second = m.find(point.object, name + " width of the fit")});
  table_row(c, column,
            {.label = c.compact ? "side lobe" : "  side lobe",
             .unit = "dB",
             .decimals = 1,
             .help = "Highest level outside the main lobe, within five widths, relative to the peak.",
             .first = m.find(point.object, name + " side lobe")});
}

constexpr std::string_view kMeanHelp =
    "Level of the mean amplitude of the pixels with an echo. 0 dB is the image's 0 dB.";
constexpr std::string_view kDeviationHelp =
    "Standard deviation of the levels in dB of the pixels with an echo; 5.6 dB in fully developed speckle.";
constexpr std::string_view kSnrHelp =
    "Mean over standard deviation of the amplitude of the pixels with an echo; 1.91 in fully developed speckle.";
constexpr std::string_view kAreaHelp = "Area of all pixels whose centres lie in the region, with or without an echo.";
constexpr std::string_view kShareHelp =
    "Share of the area whose pixels have an echo. All statistics describe these pixels only: below 95 % they are not "
    "those of the region.";
constexpr std::string_view kPixelsHelp = "Pixels with an echo: the number that all statistics are computed from.";
constexpr std::string_view kContrastHelp =
    "Level of the target's mean amplitude above the background's, both of the pixels with an echo.";
constexpr std::string_view kCnrHelp =
    "Contrast-to-noise ratio of the amplitudes of the pixels with an echo: difference of the means over the root of "
    "the sum of both variances.";

std::string gcnr_help(const PairStats& stats) {
  return "Generalized CNR: 1 minus the overlap of the two histograms (Rodriguez-Molares 2020) of the pixels with an "
         "echo, here in " +
         std::to_string(stats.gcnr_bins) + " bins with equally many pixels. 1: separable. 0: identical.";
}

// Draws the statistics; `first` and `second`: prefixes of the quantity's name.
void region_rows(PanelContext& c, Column& column, const std::string& object, const std::string& first,
                 const std::string& second) {
  const Measured& m = c.edits.measured;
  const auto row = [&](const char* label, const char* unit, int decimals, std::string_view help, const char* quantity,
                       double least = TableRow::kAnyValue) {
    table_row(c, column,
              {.label = label,
               .unit = unit,
               .decimals = decimals,
               .help = help,
               .first = m.find(object, first + quantity),
               .second = second.empty() ? nullptr : m.find(object, second + quantity),
               .least = least});
  };
  row("Mean", "dB", 1, kMeanHelp, "mean amplitude");
  row("Std dev", "dB", 2, kDeviationHelp, "standard deviation of the level");
  row(c.compact ? "SNR" : "Speckle SNR", "", 2, kSnrHelp, "speckle SNR");
  row("Area", "mm\u00B2", 1, kAreaHelp, "area");
  row("With echo", "%", 1, kShareHelp, "share with an echo", 100.0 * kEnoughWithEcho);
  row("Pixels used", "", 0, kPixelsHelp, "pixels");
}

}  // namespace

void note_row(PanelContext& c, Column& column, const std::string& text) {
  const Ui& ui = c.ui;
  const float line = ui.px(16);
  ui.disc(column.x0 + ui.px(3), column.y + 0.5F * line, 2.5F, theme::kWarn);
  const float x = column.x0 + ui.px(12);
  column.y += ui.paragraph(Type::small, x, column.y, column.x1 - x, line, theme::kText2, text) + ui.px(2);
}

void point_block(PanelContext& c, Column& column, const MeasuredPoint& point) {
  const Ui& ui = c.ui;
  if (!point.spread) {
    block_head(c, column, point.object, "no peak here", "A peak is a local maximum above the surrounding levels.");
    note_row(c, column, point.note);
    return;
  }
  const PointSpread& s = *point.spread;
  block_head(
      c, column, point.object,
      fmt::format("x {}  z {} mm  {} dB", fixed(s.peak.x_m * 1e3, 2), fixed(s.peak.z_m * 1e3, 2), fixed(s.peak_db, 1)),
      "Bright spot nearest to the click, with sub-pixel position.");
  const Rect head = ui.row(column, 16, 0);
  const TableColumns at = table_columns(c, column);
  ui.text(Type::small, head, theme::kMuted, "Width");
  ui.text_right(Type::small, at.value0, head.y0, head.height(), theme::kAccent, "at \u22126 dB");
  ui.text_right(Type::small, at.value1, head.y0, head.height(), theme::kText2, "fit");
  ui.text_right(Type::small, at.trend1, head.y0, head.height(), theme::kMuted, "30 s");
  const SpreadSide sides[] = {{"lateral", "Lateral", s.lateral}, {"axial", "Axial", s.axial}};
  for (const SpreadSide& side : sides) width_row(c, column, point, side);
  if (!point.note.empty()) note_row(c, column, point.note);
  constexpr double kFewPixels = 4.0;
  const double least = std::min(s.lateral.pixels_across, s.axial.pixels_across);
  if (point.from == PointSource::image && least < kFewPixels) {
    note_row(c, column, fmt::format("Only {} pixels across: use a finer grid for a reliable width.", fixed(least, 1)));
  }
  column.y += ui.px(4);
  const bool beside = column.x1 - column.x0 >= ui.px(280);
  const Rect row = ui.row(column, beside ? kPlotHeight : 2 * kPlotHeight + 6, 4);
  const float gap = ui.px(8), middle = std::round(0.5F * (row.x0 + row.x1 - gap));
  if (beside) {
    lobe_plot(c, {row.x0, row.y0, middle, row.y1}, sides[0]);
    lobe_plot(c, {middle + gap, row.y0, row.x1, row.y1}, sides[1]);
  } else {
    lobe_plot(c, {row.x0, row.y0, row.x1, row.y0 + ui.px(kPlotHeight)}, sides[0]);
    lobe_plot(c, {row.x0, row.y1 - ui.px(kPlotHeight), row.x1, row.y1}, sides[1]);
  }
}

void profile_plot(PanelContext& c, Column& column, const LineProfile& line, const LineProfile* a) {
  const Ui& ui = c.ui;
  const double length_mm = line.at_m.empty() ? 0.0 : line.at_m.back() * 1e3;
  double low = 0.0, high = -1e9;
  for (const LineProfile* p : {&line, a}) {
    if (p == nullptr) continue;
    for (const float db : p->level_db) {
      if (!std::isfinite(db)) continue;
      low = std::min(low, static_cast<double>(db));
      high = std::max(high, static_cast<double>(db));
    }
  }
  high = high > -1e9 ? std::ceil(high / 10.0) * 10.0 : 0.0;
  low = std::clamp(std::floor(low / 10.0) * 10.0, high - 80.0, high - 20.0);
  const Rect row = ui.row(column, kPlotHeight, 4);
  const Plot plot = draw_plot_frame(ui, row, {0.0, std::max(length_mm, 1e-3), "mm"}, {high, low, {}});
  const auto curve = [&](const LineProfile& p, ImU32 color) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < p.at_m.size(); ++i) {
      points.push_back(plot.px(p.at_m[i] * 1e3, static_cast<double>(p.level_db[i])));
    }
    draw_curve(ui, plot, points, color, 1.25F);
  };
  if (a != nullptr) curve(*a, theme::kText);
  curve(line, theme::kAccent);
}

void profile_block(PanelContext& c, Column& column, const MeasuredProfile& line) {
  const LineProfile& p = line.profile;
  const double length_mm = p.at_m.empty() ? 0.0 : p.at_m.back() * 1e3;
  block_head(c, column, line.object, fmt::format("{} mm", fixed(length_mm, 2)),
             "Levels along the line, from the first to the second point.");
  profile_plot(c, column, p, nullptr);
}

void changed_row(PanelContext& c, Column& column) {
  const Rect r = c.ui.row(column, 20, 0);
  c.ui.text(Type::small, r, theme::kWarn, "changed by the method");
  c.ui.tip("changed_by_method", c.ui.control("changed_by_method", r), r,
           {"Changed by the method",
            "An adaptive method rescales brightness: these values compare images, not tissue. gCNR is unchanged by any "
            "monotonic map of the levels.",
            {}});
}

void mask_block(PanelContext& c, Column& column) {
  const Ui& ui = c.ui;
  const Measured& m = c.edits.measured;
  if (!makes_mask(c.edits.params.formation) && m.image.mask == nullptr) return;
  if (!c.levels.shows_mask()) return note_row(c, column, "This frame has no mask.");
  if (m.image.mask == nullptr) return;
  block_head(c, column, "Mask", "", "");
  for (std::size_t k = 1; k <= m.image.mask->names.size(); ++k) {
    const std::string& name = m.image.mask->names[k - 1];
    const float room = table_columns(c, column).value0 - column.x0 - ui.px(88);
    const std::string label = "     " + ui.fitted(Type::body, room, name);
    const Rgb color = label_color(k);
    ui.disc(column.x0 + ui.px(5), column.y + ui.px(10), 4, IM_COL32(color.r, color.g, color.b, 255));
    table_row(c, column,
              {.label = label.c_str(),
               .unit = "mm\u00B2",
               .decimals = 2,
               .help = "Area of the pixels of the mask with this label.",
               .first = m.find(kMaskObject + name, "area")});
  }
  column.y += ui.px(4);
}

void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair) {
  const Ui& ui = c.ui;
  const Measured& m = c.edits.measured;
  const float y = column.y;
  block_head(c, column, pair.object, "", "");
  const TableColumns at = table_columns(c, column);
  const float height = column.y - y;
  ui.text_right(Type::small, at.value0, y, height, theme::kAccent, "target");
  ui.text_right(Type::small, at.value1, y, height, theme::kMuted, c.compact ? "backgr." : "background");
  ui.text_right(Type::small, at.trend1, y, height, theme::kMuted, "30 s");
  const auto row = [&](const char* label, const char* unit, int decimals, std::string_view help, const char* quantity) {
    table_row(c, column,
              {.label = label,
               .unit = unit,
               .decimals = decimals,
               .help = help,
               .first = m.find(pair.object, quantity),
               .place = NumberPlace::across});
  };
  const bool changed = changed_by_method(m.image.params);
  if (changed) {
    row("gCNR", "", 3, gcnr_help(pair.stats), "gCNR");
    changed_row(c, column);
  }
  region_rows(c, column, pair.object, "target ", "background ");
  ui.horizontal(column.x0, at.value1, column.y + ui.px(1), theme::kLine);
  column.y += ui.px(3);
  row("Contrast", "dB", 1, kContrastHelp, "contrast");
  row("CNR", "", 2, kCnrHelp, "CNR");
  if (!changed) row("gCNR", "", 3, gcnr_help(pair.stats), "gCNR");
}

void region_block(PanelContext& c, Column& column, const MeasuredRegion& region) {
  const bool alone = region.mark.role != RegionRole::none;
  const char* note = !alone                                   ? ""
                     : region.mark.role == RegionRole::target ? "target without background"
                                                              : "background without target";
  block_head(c, column, region.object, note, "");
  if (region.stats.pixels == 0) {
    const Rect r = c.ui.row(column, 20, 0);
    c.ui.text_fitted(
        Type::body, r.x0, r.x1, r.y0, r.height(), theme::kMuted,
        region.stats.pixels_all == 0 ? "No image pixels in this region." : "No pixel in this region has an echo.");
    return;
  }
  region_rows(c, column, region.object, "", "");
}

}  // namespace echoloop
