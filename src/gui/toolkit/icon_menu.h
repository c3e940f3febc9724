// A menu with icons below a button. UI thread only.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "gui/toolkit/ui.h"

namespace echoloop {

struct MenuRow {
  const char* id = "";
  std::function<void(float cx, float cy, ImU32 color)> icon = {};
  std::string_view label = {};
  std::string_view note = {};     // muted, at the right: a key, a state
  std::string_view why_not = {};  // not empty: disabled for this reason
  bool chosen = false;
  bool parted = false;  // a line above it
};

// `popup` is opened by Ui::open_popup; the row that was chosen in this frame.
std::optional<std::size_t> icon_menu(Ui& ui, const char* popup, const Rect& button, std::span<const MenuRow> rows);

}  // namespace echoloop
