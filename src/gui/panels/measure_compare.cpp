// The Measure panel while two images are compared: each number of A, of B, and B - A. Both are measured at the same
// places in millimetres.
#include <array>
#include <cmath>

#include "gui/overlay/measure_marks.h"
#include "gui/panels/compare_bar.h"
#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"
#include "gui/view/side_by_side.h"

namespace echoloop {
namespace {

struct CompareRow {
  const char* label;
  const char* unit;
  int decimals;
  const char* quantity;  // as MeasuredValue has it
  double least = -1e9;   // a lower number is in warning colour
};

constexpr double kEnough_percent = 95.0;
constexpr std::array<CompareRow, 10> kPairRows = {
    {{"Contrast", "dB", 1, "contrast"},
     {"CNR", "", 2, "CNR"},
     {"Speckle SNR", "", 2, "background speckle SNR"},
     {"Std dev", "dB", 2, "background standard deviation of the level"},
     {"Target mean", "dB", 1, "target mean amplitude"},
     {"Backgr. mean", "dB", 1, "background mean amplitude"},
     {"Target echo", "%", 0, "target share with an echo", kEnough_percent},
     {"Backgr. echo", "%", 0, "background share with an echo", kEnough_percent},
     {"Target area", "mm\u00B2", 1, "target area"},
     {"Backgr. area", "mm\u00B2", 1, "background area"}}};
constexpr std::array<CompareRow, 5> kRegionRows = {{{"Mean", "dB", 1, "mean amplitude"},
                                                    {"Std dev", "dB", 2, "standard deviation of the level"},
                                                    {"Speckle SNR", "", 2, "speckle SNR"},
                                                    {"With echo", "%", 0, "share with an echo", kEnough_percent},
                                                    {"Area", "mm\u00B2", 1, "area"}}};
constexpr std::array<CompareRow, 7> kPointRows = {{{"Level", "dB", 1, "level"},
                                                   {"Lateral", "mm", 2, "lateral width at -6 dB"},
                                                   {"  side lobe", "dB", 1, "lateral side lobe"},
                                                   {"Axial", "mm", 2, "axial width at -6 dB"},
                                                   {"  side lobe", "dB", 1, "axial side lobe"},
                                                   {"x", "mm", 2, "x"},
                                                   {"z", "mm", 2, "z"}}};

struct CompareColumns {
  float a, b, difference;  // right edges
};

CompareColumns columns_of(const PanelContext& c, const Column& column) {
  const float w = c.ui.px(c.compact ? 48 : 68);
  return {column.x1 - 2 * w, column.x1 - w, column.x1};
}

double value_of(const Measured& m, const std::string& object, const char* quantity) {
  const MeasuredValue* value = m.find(object, quantity);
  return value != nullptr ? value->value : NAN;
}

// A narrow column has small type, and leaves out the unit where it would run into the numbers.
void number_row(PanelContext& c, Column& column, const CompareRow& row, double a, double b, Type wanted = Type::body) {
  const Ui& ui = c.ui;
  const Type type = c.compact && wanted == Type::body ? Type::small : wanted;
  const Rect r = ui.row(column, type == Type::strong ? 24 : 20, 0);
  const CompareColumns at = columns_of(c, column);
  if (type == Type::strong) ui.fill({r.x0 - ui.px(6), r.y0, r.x1 + ui.px(4), r.y1}, theme::kField, 4);
  const float end = ui.text(type, r, type == Type::strong ? theme::kText : theme::kText2, row.label);
  const float unit_end = end + ui.px(4) + ui.width(Type::small, row.unit);
  if (unit_end + ui.px(4) <= at.a - ui.width(type, fixed(a, row.decimals))) {
    ui.text(Type::small, end + ui.px(4), r.y0, r.height(), theme::kMuted, row.unit);
  }
  const auto number = [&](float right, double value) {
    const std::string text = fixed(value, row.decimals);
    const bool low = value < row.least;
    ui.text_right(type, right, r.y0, r.height(), low ? theme::kWarn : theme::kText, text);
    if (low) ui.disc(right - ui.width(type, text) - ui.px(6), r.cy(), 3, theme::kWarn);
  };
  number(at.a, a);
  number(at.b, b);
  const double difference = b - a;
  ui.text_right(type, at.difference, r.y0, r.height(), theme::kText,
                std::isfinite(difference) ? signed_fixed(difference, row.decimals) : fixed(NAN, 0));
}

// The object's name and the letters of the columns.
void head(PanelContext& c, Column& column, const std::string& object) {
  const Ui& ui = c.ui;
  const float y = column.y + ui.px(1);
  block_head(c, column, object, "", "");
  const CompareColumns at = columns_of(c, column);
  draw_side_letter(ui, CompareSide::a, at.a - ui.px(22), y);
  draw_side_letter(ui, CompareSide::b, at.b - ui.px(22), y);
  ui.text_right(Type::small, at.difference, y, ui.px(20), theme::kMuted, "B \u2212 A");
}

void rows(PanelContext& c, Column& column, const std::string& object, std::span<const CompareRow> list) {
  for (const CompareRow& row : list) {
    number_row(c, column, row, value_of(c.state.image.measured_a, object, row.quantity),
               value_of(c.state.image.measured, object, row.quantity));
  }
}

// Of B against A, where A is delay-and-sum and B is not.
void slope_row(PanelContext& c, Column& column, const std::string& object) {
  const MeasuredValue* slope = c.state.image.measured.find(object, kSlope);
  if (slope == nullptr) return;
  number_row(c, column, {"Slope against DAS", "", 2, ""}, 1.0, slope->value);
  scatter_block(c, column, object);
}

double highest_db(const LineProfile* line) {
  double highest = NAN;
  for (const float db : line != nullptr ? line->level_db : std::vector<float>()) {
    if (std::isfinite(db)) highest = std::fmax(highest, static_cast<double>(db));
  }
  return highest;
}

void compare_profile(PanelContext& c, Column& column, const MeasuredProfile& b) {
  const LineProfile* a = nullptr;
  for (const MeasuredProfile& line : c.state.image.measured_a.profiles) a = line.mark == b.mark ? &line.profile : a;
  head(c, column, b.object);
  number_row(c, column, {"Highest level", "dB", 1, ""}, highest_db(a), highest_db(&b.profile));
  profile_plot(c, column, b.profile, a);
}

}  // namespace

void compare_blocks(PanelContext& c, Column& column) {
  const Measured& a = c.state.image.measured_a;
  const Measured& b = c.state.image.measured;
  const float gap = c.ui.px(6);
  if (a.image.number != 0 && b.image.number != 0 && !depths_overlap(a.image.grid, b.image.grid)) {
    const Rect r = c.ui.row(column, 20, 4);
    c.ui.text_fitted(Type::body, r.x0, r.x1, r.y0, r.height(), theme::kWarn, kNoCommonDepth);
  }
  for (const MeasuredPair& pair : b.pairs) {
    head(c, column, pair.object);
    number_row(c, column, {"gCNR", "", 3, "gCNR"}, value_of(a, pair.object, "gCNR"), value_of(b, pair.object, "gCNR"),
               Type::strong);
    if (changed_by_method(a.image.params) || changed_by_method(b.image.params)) changed_row(c, column);
    rows(c, column, pair.object, kPairRows);
    slope_row(c, column, pair.object);
    column.y += gap;
  }
  for (const MeasuredRegion& region : b.regions) {
    head(c, column, region.object);
    rows(c, column, region.object, kRegionRows);
    slope_row(c, column, region.object);
    column.y += gap;
  }
  for (const MeasuredPoint& point : b.points) {
    head(c, column, point.object);
    rows(c, column, point.object, kPointRows);
    for (const MeasuredPoint& of_a : a.points) {
      if (of_a.mark == point.mark && !of_a.note.empty()) note_row(c, column, "A: " + of_a.note);
    }
    if (!point.note.empty()) note_row(c, column, "B: " + point.note);
    column.y += gap;
  }
  for (const MeasuredProfile& line : b.profiles) {
    compare_profile(c, column, line);
    column.y += gap;
  }
  if (!Measuring::has_work(c.state.marks)) {
    column.y += c.ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, c.ui.px(18), theme::kMuted,
                               "Draw a target and a background to compare A and B.") +
                gap;
  }
}

}  // namespace echoloop
