// The table of objects. It scrolls by itself: an image can hold thousands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/panels/objects_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kTableRow = 20, kTableHead = 22, kStep = 48, kBar = 8;
constexpr int kRows = 7;  // however many there are: nothing below moves when objects come and go
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

// Right edges of the columns.
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
  ObjectView& s = c.state.analyses.objects;
  const FoundObject& o = s.object(number);
  const std::string id = "object/" + std::to_string(number);
  const Hit h = ui.control(id.c_str(), r, FocusKind::line);
  ui.tip(id.c_str(), h, r,
         {fmt::format("Object {}", number),
          fmt::format("{}, {} wide and {} high. Click here or in the image to select, click again to deselect.",
                      counted_grouped(o.pixels, "pixel"), o.ix1 - o.ix0 + 1, o.iz1 - o.iz0 + 1),
          {}});
  if (h.hovered) s.hovered = number;
  if (h.clicked) s.selected = s.selected == number ? 0 : number;
  if (h.clicked) c.state.analyses.objects.panel.shown = s.selected;  // it is in view where it was clicked
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

// With the wheel over the table.
void take_objects_wheel(PanelContext& c, const Rect& column) {
  ObjectsPanelState& t = c.state.analyses.objects.panel;
  ImGuiIO& io = ImGui::GetIO();
  const Rect area = std::exchange(t.area, {});
  t.wheel = 0.0F;
  const bool over = area.contains(io.MousePos.x, io.MousePos.y) && column.contains(io.MousePos.x, io.MousePos.y);
  if (io.MouseWheel == 0.0F || !over || !ImGui::IsWindowHovered()) return;
  // At its end the column scrolls on.
  if (io.MouseWheel > 0.0F ? t.offset > 0.0F : t.offset < t.most) t.wheel = std::exchange(io.MouseWheel, 0.0F);
}

std::string_view empty_table_text(const ObjectView& view) {
  return view.image != nullptr && view.image->found > 0 ? "No object of the minimum area."
                                                        : "No pixels beyond the threshold.";
}

void objects_table(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ObjectsPanelState& t = c.state.analyses.objects.panel;
  const ObjectView& s = c.state.analyses.objects;
  head(ui, column);
  const float row = ui.px(kTableRow);
  const Rect area = ui.row(column, kTableRow * kRows, 4);
  if (s.count() == 0) {
    ui.text_fitted(Type::small, area.x0, area.x1, area.y0, row, theme::kText2, empty_table_text(s));
  }
  t.area = area;
  t.most = std::max(0.0F, row * static_cast<float>(s.count()) - area.height());
  t.offset = std::round(std::clamp(t.offset - t.wheel * ui.px(kStep), 0.0F, t.most));
  if (s.selected > 0 && s.selected != t.shown) {
    const float top = row * static_cast<float>(s.selected - 1);
    t.offset = std::clamp(t.offset, std::max(0.0F, top + row - area.height()), std::min(top, t.most));
  }
  t.shown = s.selected;
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

}  // namespace echoloop
