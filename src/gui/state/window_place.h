// Where the window was, so that it opens there again. Any thread.
#pragma once

namespace echoloop {

// In the window system's units, without frame and title; width 0 = not known.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool full_screen = false;
  friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

struct ScreenArea {
  int x = 0, y = 0, width = 0, height = 0;
};

// A place that shows enough of itself on `screen` to be found and moved.
[[nodiscard]] constexpr bool can_be_seen(const WindowPlace& p, const ScreenArea& screen) {
  constexpr int kGrip = 100;
  return p.x + p.width >= screen.x + kGrip && p.x + kGrip <= screen.x + screen.width && p.y >= screen.y - 1 &&
         p.y + kGrip <= screen.y + screen.height;
}

// Of a larger screen that has gone: the window has the size of `screen`, which is all screens together.
[[nodiscard]] constexpr WindowPlace fitted(WindowPlace p, const ScreenArea& screen) {
  if (p.width > screen.width) {
    p.x = screen.x;
    p.width = screen.width;
  }
  if (p.height > screen.height) {
    p.y = screen.y;
    p.height = screen.height;
  }
  return p;
}

}  // namespace echoloop
