// The tables of the Measure panel: pairs of regions beside each other, single regions alone.
#include "gui/overlay/measure_slope.h"
#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

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

// `first` and `second`: what stands before the quantity's name.
void region_rows(PanelContext& c, Column& column, const std::string& object, const std::string& first,
                 const std::string& second) {
  const Measured& m = c.state.image.measured;
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

void changed_row(PanelContext& c, Column& column) {
  const Rect r = c.ui.row(column, 20, 0);
  c.ui.text(Type::small, r, theme::kWarn, "changed by the method");
  c.ui.tip("changed_by_method", c.ui.control("changed_by_method", r), r,
           {"Changed by the method",
            "An adaptive method rescales brightness: these values compare images, not tissue. gCNR is unchanged by any "
            "monotonic map of the levels.",
            {}});
}

void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair) {
  const Ui& ui = c.ui;
  const Measured& m = c.state.image.measured;
  const float y = column.y;
  block_head(c, column, pair.object, "", "");
  const TableColumns at = table_columns(c, column);
  const float height = column.y - y;
  ui.text_right(Type::small, at.value0, y, height, theme::kAccent, "target");
  ui.text_right(Type::small, at.value1, y, height, theme::kMuted, c.compact ? "backgr." : "background");
  ui.text_right(Type::small, at.trend1, y, height, theme::kMuted, "30 s");
  region_rows(c, column, pair.object, "target ", "background ");
  ui.horizontal(column.x0, at.value1, column.y + ui.px(1), theme::kLine);
  column.y += ui.px(3);
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
