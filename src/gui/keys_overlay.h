// The overlay that lists all keys (F1). UI thread only.
#pragma once

#include <string>

#include "gui/ui.h"

namespace echoloop {

inline constexpr const char* kKeysOverlay = "keys_overlay";

// Every frame; opened by Ui::open_popup(kKeysOverlay). True when the tour is asked for.
bool draw_keys_overlay(Ui& ui);

// The same list for the README.
std::string keys_markdown_table();

}  // namespace echoloop
