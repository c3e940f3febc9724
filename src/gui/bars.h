// What frames the picture: status bar, message line, the banners above the picture. The strip below it is
// CineStrip. UI thread only.
#pragma once

#include <string>

#include "core/image.h"
#include "gui/panels/panels.h"

namespace echoloop {

// What the bars ask the window to do.
struct BarRequests {
  bool presentation = false;
  bool keys = false;
  bool open_dialog = false;
};

void draw_status_bar(PanelContext& c, const Rect& r, BarRequests& requests);
void draw_message_line(PanelContext& c, const Rect& r);
// The fault banner or the progress strip at the top of `area`; returns the height used, 0 for none.
// `closed`: the fault that the user has closed. `shown`: the picture on screen.
float draw_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed);
void draw_empty(PanelContext& c, const Rect& area);

// The state's badge with its left edge at x; returns the right edge.
enum class BadgeSize { normal, large };
float draw_state_badge(const Ui& ui, RunState run, float x, float centre_y, BadgeSize size = BadgeSize::normal);

}  // namespace echoloop
