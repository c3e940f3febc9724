// The tables of the Measure panel: pairs of regions beside each other, single regions alone.
#include "gui/number_text.h"
#include "gui/panels/measure_parts.h"

namespace echoloop {
namespace {

constexpr std::string_view kMeanHelp = "Level of the mean amplitude, relative to 0 dB of the image.";
constexpr std::string_view kDeviationHelp =
    "Standard deviation of the levels in dB; 5.6 dB in fully developed speckle.";
constexpr std::string_view kSnrHelp = "Mean over standard deviation of the amplitude; 1.91 in fully developed speckle.";
constexpr std::string_view kAreaHelp = "Total area of the pixels with centres inside.";
constexpr std::string_view kContrastHelp = "Mean amplitude of the target relative to the background, in dB.";
constexpr std::string_view kCnrHelp =
    "Contrast-to-noise ratio of the amplitudes: difference of the means over the root of the sum of both variances.";

std::string gcnr_help(const PairStats& stats) {
  return "Generalized CNR: 1 minus the overlap of the two histograms (Rodriguez-Molares 2020), here of " +
         std::to_string(stats.gcnr_bins) + " bins with equally many pixels. 1: fully separable, 0: identical.";
}

// `first` and `second`: what stands before the quantity's name.
void region_rows(PanelContext& c, Column& column, const std::string& object, const std::string& first,
                 const std::string& second) {
  const Measured& m = c.state.measured;
  const auto row = [&](const char* label, const char* unit, int decimals, std::string_view help, const char* quantity) {
    table_row(c, column,
              {.label = label,
               .unit = unit,
               .decimals = decimals,
               .help = help,
               .first = m.find(object, first + quantity),
               .second = second.empty() ? nullptr : m.find(object, second + quantity)});
  };
  row("Mean", "dB", 1, kMeanHelp, "mean amplitude");
  row("Std dev", "dB", 2, kDeviationHelp, "standard deviation of the level");
  row(c.compact ? "SNR" : "Speckle SNR", "", 2, kSnrHelp, "speckle SNR");
  row("Area", "mm\u00B2", 1, kAreaHelp, "area");
}

}  // namespace

void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair) {
  const Ui& ui = c.ui;
  const Measured& m = c.state.measured;
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
  row("Contrast", "dB", 1, kContrastHelp, "contrast");
  row("CNR", "", 2, kCnrHelp, "CNR");
  row("gCNR", "", 3, gcnr_help(pair.stats), "gCNR");
}

void region_block(PanelContext& c, Column& column, const MeasuredRegion& region) {
  const bool alone = region.mark.role != RegionRole::none;
  const char* note = !alone                                   ? ""
                     : region.mark.role == RegionRole::target ? "target without background"
                                                              : "background without target";
  block_head(c, column, region.object, note, "");
  if (region.stats.pixels == 0) {
    const Rect r = c.ui.row(column, 20, 0);
    c.ui.text_fitted(Type::body, r.x0, r.x1, r.y0, r.height(), theme::kMuted, "No image data inside this region.");
    return;
  }
  region_rows(c, column, region.object, "", "");
}

}  // namespace echoloop
