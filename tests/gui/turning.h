// A window's loop, run by a test until a condition holds.
#pragma once

#include <chrono>
#include <functional>

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

}  // namespace echoloop::testing
