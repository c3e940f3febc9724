// Keyboard focus: controls of the window in reading order, and the one that receives the keys. Controls are registered
// as they are drawn; the keys of a frame act on the list of the previous frame. An open popup keeps the focus inside it
// and restores the previous one when it closes. Pure: no ImGui. UI thread only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/state/rect.h"

namespace echoloop {

// Keys of the window, independent of the window system; their actions: key_commands.h. ImGui before 1.87 names only
// about twenty keys, and tests press keys without a keyboard. UI thread only.

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
  k,
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

// Row of the list of keys, in the overlay (F1) and in the manual.
struct KeyHelp {
  std::string_view group;
  std::string_view key;
  std::string_view what;
};

// Parts of the window in reading order; F6 moves from one to the next.
enum class WindowPart { callout, status, left, tools, picture, dock, strip, right, message };

// Keys that a control handles while it has the focus.
enum class FocusKind {
  button,  // Enter and Space press it
  radio,   // arrows also move to the neighbour and press it
  line,    // of a list: Up and Down move to the neighbour
  slider,  // handles arrows, Page, Home, End, Enter and Delete
  text     // receives typed characters: only Tab and F6 leave
};

struct FocusStop {
  std::string id;
  std::string name;  // name of the control; for an icon the title of its tooltip
  Rect rect;
  WindowPart part = WindowPart::status;
  FocusKind kind = FocusKind::button;
  std::string scroll;  // id of its scroll area; empty: none
  bool disabled = false;
};

enum class Typing { no, yes };  // yes: a text field receives the characters

class Focus {
 public:
  void begin_frame();
  void end_frame();

  // Set the part and the scroll area of the stops that follow.
  void enter(WindowPart part) { part_ = part; }
  void scroll(std::string_view id) { scroll_ = id; }
  void begin_popup(std::string_view id);
  void end_popup();

  void add(std::string_view id, const Rect& r, FocusKind kind, std::string_view name);
  void name(std::string_view id, std::string_view name);  // names the stop added last
  void disable(std::string_view id);                      // disables that stop: its keys have no effect anywhere
  void begin_at(std::string_view id);                     // sets the first focus of the popup that is being drawn
  void point_at(std::string_view id);                     // starts the keys at the stop under the mouse or the caret
  void hide() { shown_ = false; }

  // Returns true if the key had an effect on the focus or its control.
  bool take(const KeyPress& press, Typing typing);
  [[nodiscard]] bool shown_on(std::string_view id) const { return shown_ && layers_.back().focused == id; }
  [[nodiscard]] bool shown() const { return shown_; }
  [[nodiscard]] std::vector<KeyPress> take_keys(std::string_view id);  // keys of this control
  [[nodiscard]] const FocusStop* moved_to() const;                     // stop reached by a key of this frame, or null
  [[nodiscard]] bool arrived() const { return arrived_; }              // moved by a key, and no press since

  [[nodiscard]] const std::vector<FocusStop>& stops() const { return order_; }  // last frame's, in reading order
  [[nodiscard]] const FocusStop* focused() const;                               // null: none is shown

 private:
  struct Layer {
    std::string popup;  // id of the popup; empty: the window
    std::string focused;
  };
  struct Drawn {
    FocusStop stop;
    std::size_t layer;
  };
  [[nodiscard]] std::ptrdiff_t place_of(std::string_view id) const;
  void go_to(std::ptrdiff_t place);
  bool step(int by, Typing typing);
  bool step_part(int by);
  bool step_among(FocusKind kind, int by);

  std::vector<Drawn> drawn_;  // stops of this frame
  std::vector<std::string> popups_, popups_drawn_;
  std::string begin_at_;
  WindowPart part_ = WindowPart::status;
  std::string scroll_;

  std::vector<FocusStop> order_;
  std::vector<Layer> layers_ = {{}};  // the window, then the open popups
  bool shown_ = false, moved_ = false, arrived_ = false;
  std::vector<std::pair<std::string, KeyPress>> keys_;
};

// Sorts by part of the window, then by row, then from left to right.
void sort_for_reading(std::vector<FocusStop>& stops);

}  // namespace echoloop
