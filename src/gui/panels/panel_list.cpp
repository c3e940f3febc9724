#include "gui/state/panel_list.h"

#include <array>

namespace echoloop {

// Each in a file of its own.
void source_panel(PanelContext& c, Column& column, bool& open);
void formation_panel(PanelContext& c, Column& column, bool& open);
void display_panel(PanelContext& c, Column& column, bool& open);
void flow_panel(PanelContext& c, Column& column, bool& open);
void objects_panel(PanelContext& c, Column& column, bool& open);
void faults_panel(PanelContext& c, Column& column, bool& open);
void measure_panel(PanelContext& c, Column& column, bool& open);
void stream_panel(PanelContext& c, Column& column, bool& open);
void timings_panel(PanelContext& c, Column& column, bool& open);
void timeline_panel(PanelContext& c, Column& column, bool& open);
void log_panel(PanelContext& c, Column& column, bool& open);

namespace {

constexpr auto kLeft = PanelSide::left, kRight = PanelSide::right;

constexpr std::array kPanels{
    PanelRow{.key = "source", .side = kLeft, .open_compact = false, .draw = source_panel},
    PanelRow{.key = "formation", .side = kLeft, .draw = formation_panel},
    PanelRow{.key = "display", .side = kLeft, .draw = display_panel},
    PanelRow{.key = "flow", .side = kLeft, .open = false, .open_compact = false, .draw = flow_panel},
    PanelRow{.key = "objects", .side = kLeft, .open = false, .open_compact = false, .draw = objects_panel},
    PanelRow{.key = "faults", .side = kLeft, .open = false, .open_compact = false, .draw = faults_panel},
    PanelRow{.key = "measure",
             .side = kRight,
             .open = false,
             .open_compact = false,
             .closed = ClosedPanel::left_out,
             .draw = measure_panel},
    PanelRow{.key = "stream", .side = kRight, .draw = stream_panel},
    PanelRow{.key = "timings", .side = kRight, .open_compact = false, .draw = timings_panel},
    PanelRow{.key = "timeline", .side = kRight, .open_compact = false, .draw = timeline_panel},
    PanelRow{.key = "log", .side = kRight, .open = false, .open_compact = false, .draw = log_panel},
};

}  // namespace

std::span<const PanelRow> panels() { return kPanels; }

}  // namespace echoloop
