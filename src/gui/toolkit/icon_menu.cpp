#include "gui/toolkit/icon_menu.h"

#include <algorithm>

namespace echoloop {
namespace {

constexpr float kRow = 30, kParted = 9, kPad = 4, kIcon = 24, kLabel = 46, kRight = 8, kNoteGap = 24;

bool draw_row(Ui& ui, const Rect& line, const MenuRow& row) {
  const bool enabled = row.why_not.empty();
  const Hit h = ui.control(row.id, line, FocusKind::line, row.label);
  ui.tip(row.id, h, line, {row.label, {}, row.why_not});
  if (row.chosen || (h.hovered && enabled)) ui.fill(line, row.chosen ? theme::kSelected : theme::kHover, 4);
  const ImU32 ink = !enabled ? theme::kDisabled : row.chosen || h.hovered ? theme::kText : theme::kText2;
  row.icon(line.x0 + ui.px(kIcon), line.cy(), ink);
  ui.text(Type::body, line.x0 + ui.px(kLabel), line.y0, line.height(), enabled ? theme::kText : theme::kDisabled,
          row.label);
  ui.text_right(Type::small, line.x1 - ui.px(kRight), line.y0, line.height(),
                !enabled                  ? theme::kDisabled
                : row.chosen || h.hovered ? theme::kText2
                                          : theme::kMuted,
                row.note);
  return h.clicked && enabled;
}

}  // namespace

std::optional<std::size_t> icon_menu(Ui& ui, const char* popup, const Rect& button, std::span<const MenuRow> rows) {
  if (!ImGui::IsPopupOpen(popup)) return std::nullopt;
  float wide = 0, tall = ui.px(2 * kPad);
  for (const MenuRow& row : rows) {
    const float note = row.note.empty() ? 0 : ui.width(Type::small, row.note) + ui.px(kNoteGap);
    wide = std::max(wide, ui.width(Type::body, row.label) + note);
    tall += ui.px(kRow) + (row.parted ? ui.px(kParted) : 0);
  }
  wide += ui.px(2 * kPad + kLabel + kRight);
  const float most = ImGui::GetIO().DisplaySize.x - wide - ui.px(4);
  const float x0 = std::max(ui.px(4), std::min(button.x0, most));
  const float y0 = button.y1 + ui.px(4);
  if (!ui.begin_popup(popup, {x0, y0, x0 + wide, y0 + tall}, theme::kPanel)) return std::nullopt;
  std::optional<std::size_t> chosen;
  float y = y0 + ui.px(kPad);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].parted) {
      ui.horizontal(x0 + ui.px(10), x0 + wide - ui.px(10), y + ui.px(0.5F * kParted), theme::kLine);
      y += ui.px(kParted);
    }
    const Rect line{x0 + ui.px(kPad), y, x0 + wide - ui.px(kPad), y + ui.px(kRow)};
    if (draw_row(ui, line, rows[i])) chosen = i;
    y += ui.px(kRow);
  }
  if (chosen) ui.close_popup();
  ui.end_popup();
  return chosen;
}

}  // namespace echoloop
