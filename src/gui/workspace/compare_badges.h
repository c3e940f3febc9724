// What tells the two sides of a comparison apart, in a corner of each: its letter and the parameters that differ, or
// the names of two recordings. UI thread only.
#pragma once

#include "core/results/image.h"
#include "gui/overlay/param_difference.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

enum class BadgeLetters { small, large };  // large: for the projector

struct BadgesContext {
  const Ui& ui;
  const UiState& state;
  const Image& a;
  const Image& b;
  Rect side_a, side_b;
  Direction end_of_b = Direction::left;  // of side_b
  BadgeLetters letters = BadgeLetters::small;
};
void draw_compare_badges(const BadgesContext& c);

}  // namespace echoloop
