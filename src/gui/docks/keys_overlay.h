// The overlay that lists all keys (F1), with the scale of the interface. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gui/state/keys.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

inline constexpr const char* kKeysOverlay = "keys_overlay";

enum class ManualButton { shown, hidden };

struct OverlayRequests {
  bool tour = false;
  bool about = false;
  bool manual = false;
  std::optional<float> scale;  // of the interface; 0: the default
};

// Every frame; opened by Ui::open_popup(kKeysOverlay). `wanted_scale`: more than Ui::scale() where the window has no
// room for it.
OverlayRequests draw_keys_overlay(Ui& ui, std::span<const KeyHelp> keys, float wanted_scale, ManualButton manual);

// The same list for the manual.
std::string keys_markdown_table(std::span<const KeyHelp> keys);

}  // namespace echoloop
