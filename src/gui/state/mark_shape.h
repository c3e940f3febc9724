// Marks as lines, names and values: what the window, the list and saved images share. Pure functions; any thread.
// No ImGui.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/marks.h"

namespace echoloop {

[[nodiscard]] bool is_region(MarkKind kind);
[[nodiscard]] std::string_view name_of(MarkKind kind);  // "Distance"
[[nodiscard]] std::size_t points_of(MarkKind kind);     // of a complete one; 0 = as many as were drawn

// "3"; of a region "1 target" or "1 background", with the number of its pair.
[[nodiscard]] std::string mark_label(const Mark& mark);
// "20.00 mm", "45.0°", "12.3 mm²"; of a point its place. `decimals` of the lengths in mm.
[[nodiscard]] std::string mark_value(const Mark& mark, int decimals);

// What a complete mark measures, SI units; nothing where its kind has no such thing.
[[nodiscard]] std::optional<double> length_m(const Mark& mark);  // distance, profile
[[nodiscard]] std::optional<double> angle_rad(const Mark& mark);
[[nodiscard]] std::optional<double> area_m2(const Mark& mark);

// The line to draw; closed ones end where they begin. Of a point: the point.
[[nodiscard]] std::vector<PlanePoint> mark_line(const Mark& mark);
// Where it can be taken hold of to change its shape; point i of the answer is `handle` i of move_handle.
[[nodiscard]] std::vector<PlanePoint> mark_handles(const Mark& mark);
void move_handle(Mark& mark, std::size_t handle, PlanePoint to);
void move_mark(Mark& mark, double dx_m, double dz_m);

// Where the label belongs: right of and below the point that was drawn last; of areas, above the upper left corner of
// their box.
[[nodiscard]] PlanePoint label_place(const Mark& mark);

[[nodiscard]] double distance_to_line_m(const std::vector<PlanePoint>& line, PlanePoint p);

}  // namespace echoloop
