#include "gui/docks/pace_badge.h"

#include <string>

#include "gui/overlay/pace_text.h"

namespace echoloop {
namespace {

constexpr float kDot = 14, kBadgeGap = 16;

struct Parts {
  std::string held_back, speed;
};

Parts parts_of(const StreamPace& pace, PaceWords words) {
  Parts p{held_back_text(pace), speed_text(pace)};
  if (words == PaceWords::first && !p.held_back.empty()) p.speed.clear();
  return p;
}

}  // namespace

float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words) {
  const Parts p = parts_of(pace, words);
  float w = 0;
  if (!p.held_back.empty()) w += ui.px(kDot) + ui.width(type, p.held_back);
  if (!p.held_back.empty() && !p.speed.empty()) w += ui.px(kBadgeGap);
  return w + ui.width(type, p.speed);
}

float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words) {
  const Parts p = parts_of(pace, words);
  if (!p.held_back.empty()) {
    ui.disc(x + ui.px(4), line.cy(), 4, theme::kWarn);
    x = ui.text(type, x + ui.px(kDot), line.y0, line.height(), theme::kText2, p.held_back);
    if (!p.speed.empty()) x += ui.px(kBadgeGap);
  }
  return ui.text(type, x, line.y0, line.height(), theme::kText2, p.speed);
}

}  // namespace echoloop
