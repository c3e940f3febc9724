// What frames the image: status bar, message line, the banners above the image. The strip below it is
// CineStrip. UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/results/image.h"
#include "gui/panels/panels.h"

namespace echoloop {

// What the bars ask the window to do.
struct BarRequests {
  bool presentation = false;
  bool keys = false;
  bool back = false;  // from the lecture to the image
  bool open_dialog = false;
};

void draw_status_bar(PanelContext& c, const Rect& r, BarRequests& requests);

// One line: an error until it is dismissed or resolved, otherwise the newest message. A message that passes, and one
// that comes while an error stands there, is shown for a moment.
class MessageLine {
 public:
  void draw(PanelContext& c, const Rect& r);
  [[nodiscard]] bool moving() const;

 private:
  [[nodiscard]] std::optional<std::size_t> front(const std::vector<Message>& messages);

  std::size_t count_ = 0;  // messages known
  std::string newest_;     // of these
  double news_until_s_ = 0.0;
};

// The fault banner or the progress strip at the top of `area`; returns the height used, 0 for none.
// `closed`: the fault that the user has closed. `shown`: the image on screen.
float draw_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed);
void draw_empty(PanelContext& c, const Rect& area);

// The state's badge with its left edge at x; returns the right edge.
enum class BadgeSize { normal, large };
[[nodiscard]] RunState badge_state(const Model& model);
float draw_state_badge(const Ui& ui, RunState run, float x, float centre_y, BadgeSize size = BadgeSize::normal);

}  // namespace echoloop
