#include "gui/panels/panels.h"

#include <array>

#include "gui/state/dock_list.h"

namespace echoloop {

// Panels and wheel handlers, each defined in its panel's file.
void source_panel(PanelContext& c, Column& column, bool& open);
void look_at_panel(PanelContext& c, Column& column, bool& open);
void image_panel(PanelContext& c, Column& column, bool& open);
void formation_panel(PanelContext& c, Column& column, bool& open);
void display_panel(PanelContext& c, Column& column, bool& open);
void faults_panel(PanelContext& c, Column& column, bool& open);
void measure_panel(PanelContext& c, Column& column, bool& open);
void method_panel(PanelContext& c, Column& column, bool& open);
bool has_method_file(const PanelContext& c);
void outputs_panel(PanelContext& c, Column& column, bool& open);
bool has_outputs(const PanelContext& c);
void stream_panel(PanelContext& c, Column& column, bool& open);
void timings_panel(PanelContext& c, Column& column, bool& open);
void timeline_panel(PanelContext& c, Column& column, bool& open);
void log_panel(PanelContext& c, Column& column, bool& open);

namespace {

constexpr auto kLeftPanels = PanelSide::left, kRightPanels = PanelSide::right;
constexpr auto kView = PanelMode::view, kEngineer = PanelMode::engineer;

constexpr std::array kFirst{
    PanelRow{.key = "source", .side = kLeftPanels, .open_compact = false, .open_view = true, .draw = source_panel},
    PanelRow{.key = "look_at", .side = kLeftPanels, .mode = kView, .open_view = true, .draw = look_at_panel},
    PanelRow{.key = "image", .side = kLeftPanels, .mode = kView, .open_view = true, .draw = image_panel},
    PanelRow{.key = "formation", .side = kLeftPanels, .mode = kEngineer, .draw = formation_panel},
    PanelRow{.key = "display", .side = kLeftPanels, .mode = kEngineer, .draw = display_panel}};
constexpr std::array kLast{
    PanelRow{.key = "faults",
             .side = kLeftPanels,
             .open = false,
             .open_compact = false,
             .mode = kEngineer,
             .draw = faults_panel},
    PanelRow{.key = "measure",
             .side = kRightPanels,
             .open = false,
             .open_compact = false,
             .closed = ClosedPanel::left_out,
             .draw = measure_panel},
    PanelRow{
        .key = "method", .side = kRightPanels, .open_view = true, .draw = method_panel, .is_there = has_method_file},
    PanelRow{.key = "outputs", .side = kRightPanels, .open_view = true, .draw = outputs_panel, .is_there = has_outputs},
    PanelRow{.key = "stream", .side = kRightPanels, .draw = stream_panel},
    PanelRow{.key = "timings", .side = kRightPanels, .open_compact = false, .draw = timings_panel},
    PanelRow{.key = "timeline",
             .side = kRightPanels,
             .open_compact = false,
             .draw = timeline_panel,
             .take_wheel = take_timeline_wheel},
    PanelRow{.key = "log", .side = kRightPanels, .open = false, .open_compact = false, .draw = log_panel},
};

// Puts the panels of analyses between the others.
std::vector<PanelRow> all_panels() {
  std::vector<PanelRow> rows(kFirst.begin(), kFirst.end());
  for_each_analysis([&]<class A>() {
    if constexpr (requires { A::kPanel; }) rows.push_back(A::kPanel);
  });
  rows.insert(rows.end(), kLast.begin(), kLast.end());
  return rows;
}

}  // namespace

std::span<const PanelRow> panels() {
  static const std::vector<PanelRow> rows = all_panels();
  return rows;
}

}  // namespace echoloop
