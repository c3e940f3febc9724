// The keys that the window knows, whatever the window system calls them; what they do: key_commands.h.
// Why: ImGui before 1.87 knows only about twenty keys, and tests press keys without a keyboard. UI thread only.
#pragma once

#include <string_view>

namespace echoloop {

enum class Key {
  space,
  tab,
  escape,
  enter,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
  f1,
  f5,
  f6,
  f9,
  f11,
  left_bracket,
  right_bracket,
  minus,
  equal,
  remove,  // Delete or Backspace
  digit1,
  digit2,
  digit3,
  digit4,
  digit5,
  digit6,
  digit7,
  digit8,
  digit9,
  digit0,
  a,
  c,
  d,
  e,
  f,
  i,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  x,
  y,
  z
};

struct KeyPress {
  Key key = Key::space;
  bool control = false;
  bool shift = false;
};

// A row of the list of keys, in the overlay (F1) and in the manual.
struct KeyHelp {
  std::string_view group;
  std::string_view key;
  std::string_view what;
};

}  // namespace echoloop
