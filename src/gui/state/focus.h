// The keyboard focus: which controls the window has, in reading order, and which of them the keys act on. Controls are
// registered as they are drawn; the keys of a frame act on the list of the frame before. A popup that is open keeps the
// focus inside it and gives it back when it closes. Pure: no ImGui. UI thread only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/state/rect.h"

namespace echoloop {

// The keys that the window knows, whatever the window system calls them; what they do: key_commands.h.
// Why: ImGui before 1.87 knows only about twenty keys, and tests press keys without a keyboard. UI thread only.

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

// The parts of the window in reading order; F6 goes from one to the next.
enum class WindowPart { callout, status, left, tools, picture, dock, strip, right, message };

// Which keys a control takes while it has the focus.
enum class FocusKind {
  button,  // Enter and Space press it
  radio,   // and arrows go to the neighbour and press that
  line,    // of a list: Up and Down go to the neighbour
  slider,  // arrows, Page, Home, End, Enter and Delete are its own
  text     // typed characters: only Tab and F6 leave
};

struct FocusStop {
  std::string id;
  std::string name;  // what the control is called; of an icon: its tooltip's title
  Rect rect;
  WindowPart part = WindowPart::status;
  FocusKind kind = FocusKind::button;
  std::string scroll;  // id of the area that scrolls it; empty: none
  bool disabled = false;
};

enum class Typing { no, yes };  // a text field has the characters

class Focus {
 public:
  void begin_frame();
  void end_frame();

  // Of the stops that follow.
  void enter(WindowPart part) { part_ = part; }
  void scroll(std::string_view id) { scroll_ = id; }
  void begin_popup(std::string_view id);
  void end_popup();

  void add(std::string_view id, const Rect& r, FocusKind kind, std::string_view name);
  void name(std::string_view id, std::string_view name);  // of the stop added last
  void disable(std::string_view id);                      // likewise: its keys have no effect, here or elsewhere
  void begin_at(std::string_view id);                     // where the keys begin in the popup that is being drawn
  void point_at(std::string_view id);                     // the mouse or a caret is there: keys go on from it
  void hide() { shown_ = false; }

  // True when the key meant something to the focus or to the control that has it.
  bool take(const KeyPress& press, Typing typing);
  [[nodiscard]] bool shown_on(std::string_view id) const { return shown_ && layers_.back().focused == id; }
  [[nodiscard]] bool shown() const { return shown_; }
  [[nodiscard]] std::vector<KeyPress> take_keys(std::string_view id);  // for this control
  [[nodiscard]] const FocusStop* moved_to() const;                     // by a key of this frame
  [[nodiscard]] bool arrived() const { return arrived_; }              // by a key, and nothing was pressed since

  [[nodiscard]] const std::vector<FocusStop>& stops() const { return order_; }  // of the last frame, reading order
  [[nodiscard]] const FocusStop* focused() const;                               // null: none is shown

 private:
  struct Layer {
    std::string popup;  // empty: the window
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

  std::vector<Drawn> drawn_;  // in this frame
  std::vector<std::string> popups_, popups_drawn_;
  std::string begin_at_;
  WindowPart part_ = WindowPart::status;
  std::string scroll_;

  std::vector<FocusStop> order_;
  std::vector<Layer> layers_ = {{}};  // the window, then the popups that are open
  bool shown_ = false, moved_ = false, arrived_ = false;
  std::vector<std::pair<std::string, KeyPress>> keys_;
};

// Sorted by part of the window, then by row, then from left to right.
void sort_for_reading(std::vector<FocusStop>& stops);

}  // namespace echoloop
