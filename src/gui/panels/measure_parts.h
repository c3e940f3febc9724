// The parts of the Measure panel, and the small plots that they share. UI thread only.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "gui/panels/panels.h"
#include "gui/toolkit/plot.h"

namespace echoloop {

void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair);
void region_block(PanelContext& c, Column& column, const MeasuredRegion& region);
void point_block(PanelContext& c, Column& column, const MeasuredPoint& point);
void profile_block(PanelContext& c, Column& column, const MeasuredProfile& profile);
void compare_blocks(PanelContext& c, Column& column);  // all of these, of two images
// Above values that an adaptive method changes.
void changed_row(PanelContext& c, Column& column);
// Levels of B over those of A, where B is made by a method and A by delay-and-sum; nothing where they are not.
void scatter_block(PanelContext& c, Column& column, const std::string& object);
void histogram_block(PanelContext& c, Column& column);

// A block's head: its name, and a muted word at the right. The pointer over it brings up `help`.
void block_head(PanelContext& c, Column& column, const std::string& title, std::string_view note,
                std::string_view help);

// The numbers of a table's row and what they were in the last 30 s, drawn in one box over one scale.
struct TableColumns {
  float value0, value1;  // right edges
  float trend0, trend1;
};
TableColumns table_columns(const PanelContext& c, const Column& column);
enum class NumberPlace { columns, across };  // across: one number that belongs to both columns
struct TableRow {
  const char* label;
  const char* unit = "";
  int decimals = 2;
  std::string_view help = {};
  // Null: nothing there.
  const MeasuredValue* first = nullptr;
  const MeasuredValue* second = nullptr;
  NumberPlace place = NumberPlace::columns;
  static constexpr double kAnyValue = -std::numeric_limits<double>::infinity();
  double least = kAnyValue;  // a value below: in warning colour, with a dot
};
void table_row(PanelContext& c, Column& column, const TableRow& row);
// A caution about numbers, in as many lines as it needs.
void note_row(PanelContext& c, Column& column, const std::string& text);

// A plot with lines at the ticks; the unit of x stands at the end of its axis.
Plot draw_plot_frame(const Ui& ui, const Rect& outer, const PlotAxis& x, const PlotAxis& y);
// Levels along a line; with `a`, those of side A below them.
void profile_plot(PanelContext& c, Column& column, const LineProfile& line, const LineProfile* a);

}  // namespace echoloop
