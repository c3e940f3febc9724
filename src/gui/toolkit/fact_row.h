// A row of a panel that states something: its name at the left, its value at the right. UI thread only.
#pragma once

#include <algorithm>
#include <string_view>

#include "gui/toolkit/ui.h"

namespace echoloop {

inline void fact_row(Ui& ui, Column& column, const char* id, std::string_view name, std::string_view value,
                     std::string_view help) {
  const Rect r = ui.row(column, 20, 0);
  ui.tip(id, ui.hit(id, r), r, {name, help, {}});
  const float end = ui.text(Type::small, r, theme::kText2, name) + ui.px(8);
  const float x = std::max(end, r.x1 - ui.width(Type::small, value));
  ui.text_fitted(Type::small, x, r.x1 + 1, r.y0, r.height(), theme::kText, value);
}

}  // namespace echoloop
