// The keys that the window knows, whatever the window system calls them, and what they do, for the overlay (F1).
// Why: ImGui before 1.87 knows only about twenty keys, and tests press keys without a keyboard. UI thread only.
#pragma once

#include <array>
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
  h,
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

struct KeyHelp {
  std::string_view group;
  std::string_view key;
  std::string_view what;
};

inline constexpr auto kKeyHelp = std::to_array<KeyHelp>({
    {"Image", "Space", "freeze / resume live"},
    {"Image", "[   ]", "dynamic range, 5 dB steps"},
    {"Image", "−   =", "gain, 1 dB steps"},
    {"Image", "S, Ctrl+S", "save the image; save as"},
    {"Image", "Ctrl+Shift+S", "save the session"},
    {"Image", "R", "start / stop recording"},
    {"View", "wheel", "zoom at the pointer"},
    {"View", "drag, F", "pan; fit to window"},
    {"View", "C", "measure a distance"},
    {"View", "A", "draw a region; again: next shape"},
    {"View", "Del", "delete the selected mark"},
    {"View", "N   M   D", "inspector, M-mode, spectral Doppler"},
    {"Parameters", "1 … 9", "load a preset"},
    {"Parameters", "Ctrl+Z", "undo a change"},
    {"Parameters", "Ctrl+Y", "redo (also Ctrl+Shift+Z)"},
    {"History", "←   →", "previous / next frame"},
    {"History", "Home   End", "oldest / newest frame"},
    {"History", "P", "play / pause between the loop marks"},
    {"History", "I   O", "set loop start / end"},
    {"History", "X, Shift+X", "compare; match the levels of B to A"},
    {"Window", "F5", "presentation: image only"},
    {"Window", "Ctrl+L", "lecture: Timeline and Stream"},
    {"Window", "F11", "full screen"},
    {"Window", "Ctrl+0  +  −", "interface scale: default, up, down"},
    {"Window", "F9", "reset everything; Ctrl+Z undoes"},
    {"Window", "F1", "this list"},
    {"Window", "Ctrl+Q", "quit; a recording is completed first"},
    {"Window", "Esc", "leave a control, tool or dialog"},
    {"Source", "Ctrl+O", "open a recording"},
    {"Source", "Ctrl+Shift+O", "describe a file: import assistant"},
    {"Source", "drop a file", "open a recording"},
    {"Keyboard", "Tab", "next control; Shift+Tab: back"},
    {"Keyboard", "F6", "next column or bar; Shift+F6: back"},
    {"Keyboard", "Enter", "press, or type a value; also Space"},
    {"Keyboard", "↑ ↓ ← →", "set a value; Shift: fine, Page: coarse"},
    {"Keyboard", "Backspace", "reset to default"},
    {"Controls", "drag, click", "set a value"},
    {"Controls", "Ctrl-click", "type a value"},
    {"Controls", "right-click", "reset to default"},
    {"Controls", "wheel, Ctrl+wheel", "scroll a column; zoom the timeline"},
    {"Controls", "colour bar", "drag the ends or centre of the range"},
});

}  // namespace echoloop
