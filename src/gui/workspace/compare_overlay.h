// The comparison over the image: in a corner of each side its letter and the parameters that differ, or the names of
// two recordings; and the wipe line with its handle, A left and B right of it at the same millimetre scale. The pixels
// are drawn by WindowRenderer. UI thread only.
#pragma once

#include "core/results/image.h"
#include "gui/overlay/caption.h"
#include "gui/panels/panels.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/image_layout.h"
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
// Of so many parameters that differ those that a badge names; of the others it says how many. At most five lines and a
// third of its side, which is `side_lines` lines high; the name of a recording takes one of them.
enum class BadgeName { none, shown };
[[nodiscard]] std::size_t badge_rows(std::size_t differing, float side_lines, BadgeName name);

struct WipeContext {
  Ui& ui;
  const ImageLayout& layout;
  const Image& a;
  const Image& b;
  UiState& state;
  const UiCommands& commands;
  BadgeLetters letters = BadgeLetters::small;
};

float wipe_x(const ImageLayout& layout, float share);  // whole pixels

// Line, handle and badges, before anything that takes the mouse on the image.
void draw_wipe(const WipeContext& c);

}  // namespace echoloop
