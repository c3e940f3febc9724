// Bars around the image: status bar, message line, banners above the image. The strip below it is CineStrip. UI thread
// only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/results/image.h"
#include "gui/panels/panels.h"

namespace echoloop {

// Requests of the bars to the window.
struct BarRequests {
  bool presentation = false;
  bool keys = false;
  bool back = false;  // from the lecture to the image
  bool open_dialog = false;
};

void draw_status_bar(PanelContext& c, const Rect& r, BarRequests& requests);

// Single line: an error until it is dismissed or resolved, otherwise the newest message. A passing message, or one that
// arrives during an error, is shown for a moment.
class MessageLine {
 public:
  void draw(PanelContext& c, const Rect& r);
  [[nodiscard]] bool moving() const;

 private:
  [[nodiscard]] std::optional<std::size_t> front(const std::vector<Message>& messages);

  std::size_t count_ = 0;  // number of known messages
  std::string newest_;     // newest of these
  double news_until_s_ = 0.0;
};

// Draws the fault banner and the progress strip at the top of `area`; returns the height used, 0 for none. `closed`:
// the fault that the user has closed. `shown`: the image on screen.
float draw_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed);
void draw_empty(PanelContext& c, const Rect& area);

// Draws the state's badge with its left edge at x; returns the right edge.
enum class BadgeSize { normal, large };
[[nodiscard]] RunState badge_state(const Model& model);
float draw_state_badge(const Ui& ui, RunState run, float x, float centre_y, BadgeSize size = BadgeSize::normal);

}  // namespace echoloop
