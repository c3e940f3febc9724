// A window's loop, run by a test until a condition holds.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "app/window/window_app.h"

namespace echoloop::testing {

// Draws frames until `holds()`; false after a minute: the limit is time, because a busy machine needs more frames.
inline bool turn_until(WindowApp& app, const std::function<bool()>& holds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    app.turn();
  }
  return true;
}

inline void turn(WindowApp& app, int frames) {
  for (int i = 0; i < frames; ++i) app.turn();
}

// Of the mouse, on the middle of a control; `frames` for each of its parts: a user takes some.
inline void click(WindowApp& app, const std::string& control, int frames = 3) {
  const Rect r = app.viewer().control_rect(control);
  ASSERT_GT(r.width(), 0.0F) << control;
  InjectedInput input;
  input.mouse_x = r.cx();
  input.mouse_y = r.cy();
  for (const bool down : {false, true, false}) {
    input.left = down;
    app.viewer().inject(input);
    turn(app, frames);
  }
}

}  // namespace echoloop::testing
