// Controls, drawn with the draw list by the design; ImGui provides identity, hover, hold and text input. A control with
// a `why_not` is disabled and its tooltip shows the reason. UI thread only.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/gl/imgui_compat.h"
#include "gui/state/focus.h"
#include "gui/state/motion.h"
#include "gui/toolkit/painter.h"
#include "gui/toolkit/theme.h"

namespace echoloop {

// Tooltip: of one control at a time, after the pointer or the keyboard has been on it for a moment. UI thread only.

struct Tip {
  std::string_view title;
  std::string_view text;
  std::string_view why_not;  // not empty: reason why the control is disabled
};

class Tooltip {
 public:
  void begin_frame() { candidate_ = 0; }
  [[nodiscard]] bool taken() const { return candidate_ != 0; }  // offered by a control in this frame
  void offer(ImGuiID id, const Rect& control, const Tip& tip);
  // Places tooltips of the controls that follow right or left of this column; empty: below each control.
  void set_column(const Rect& column) { column_ = column; }
  void end_frame(Painter& painter);                    // draws above everything else
  [[nodiscard]] bool waits() const { return waits_; }  // waits for its delay

 private:
  void draw(Painter& painter) const;

  ImGuiID id_ = 0, candidate_ = 0;
  double since_s_ = 0;
  bool waits_ = false;
  Rect control_;
  Rect column_, beside_;  // column being drawn; that of the control
  std::string title_, text_;
};

// Characters typed before a text field has the keyboard: ImGui needs two or three frames for that. They are kept and
// passed to the field, and no other control or key receives them. UI thread.

class EarlyText {
 public:
  enum class From { now, later };  // first characters: those of this frame or of the next

  [[nodiscard]] bool awaited() const { return frames_ > 0; }
  void begin_frame() {
    last_field_ = std::exchange(field_, {});
    if (frames_ > 0 && !ImGui::GetIO().WantTextInput) keep();
    frames_ = std::max(0, frames_ - 1);
  }
  // Announces that a field will have the keyboard soon.
  void await(From from) {
    constexpr int kFramesToField = 5;
    if (frames_ == 0) text_.clear();
    frames_ = kFramesToField;
    if (from == From::now) keep();
  }
  // Sets the field with the keyboard in this frame; in the next one its characters follow those that were kept.
  void has_keyboard(const std::string& field) { field_ = field; }
  void give_to(const std::string& field) {
    if (frames_ == 0 || last_field_ != field || ImGui::GetIO().KeyCtrl) return;
    frames_ = 0;
    keep();
    for (const ImWchar c : text_) ImGui::GetIO().InputQueueCharacters.push_back(c);
    text_.clear();
  }

 private:
  void keep() {
    ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    text_.insert(text_.end(), queue.begin(), queue.end());
    queue.resize(0);
  }

  int frames_ = 0;                  // frames left for the field to appear
  std::string field_, last_field_;  // fields with the keyboard in this frame and in the last one
  std::vector<ImWchar> text_;
};

struct Hit {
  bool hovered = false;
  bool held = false;
  bool pressed = false;             // the button went down in this frame
  bool clicked = false;             // released inside
  bool right = false;               // right button, released inside
  bool focused = false;             // receives the keys; the ring is shown
  std::vector<KeyPress> keys = {};  // keys for it in this frame
};

// Area of a mouse target, as drawn in the last frame.
struct HitArea {
  Rect whole;
  Rect seen;  // part that is not clipped
};

enum class Emphasis { plain, primary };

struct ButtonLook {
  std::string_view label;
  std::string_view shortcut = {};
  Emphasis emphasis = Emphasis::plain;
  bool active = false;  // tool in use
};

struct Choice {
  std::string_view label;
  std::string_view note = {};  // muted, after the label
};

struct BadgeLook {
  std::string_view text;
  ImU32 ground = 0;  // 0: outlined in the ink's colour
  ImU32 ink = theme::kText2;
  bool dot = false;
  bool large = false;  // for the projector
};

// Position of the next row of a column.
struct Column {
  float x0 = 0, x1 = 0, y = 0;  // pixels, inside the padding
  bool compact = false;
  [[nodiscard]] float label_width() const { return compact ? 88.0F : 104.0F; }
};

class Ui : public Painter {
 public:
  void begin_frame(ImDrawList* list, const Fonts* fonts, float scale, bool escape);
  void end_frame();  // draws the tooltip

  Hit hit(const char* id, const Rect& r);
  Hit hit(const char* id, const Rect& r, const Tip& tip);  // with its tooltip
  // Adds a hit area with keyboard focus: every control is one. Keys that press it count as a click.
  Hit control(const char* id, const Rect& r, FocusKind kind = FocusKind::button, std::string_view name = {});
  // Adds a stop for the keyboard only: part of a control that already handles the mouse.
  Hit key_stop(const char* id, const Rect& r, FocusKind kind, std::string_view name);
  [[nodiscard]] Focus& focus() { return focus_; }
  [[nodiscard]] const Focus& focus() const { return focus_; }
  // Removes the keyboard focus and any text being edited.
  void forget_keys() { focus_ = {}, editing_id_ = 0; }
  bool take_key(const KeyPress& press);  // before drawing; true if the focus or its control handled it
  void tip(const char* id, const Hit& h, const Rect& r, const Tip& tip);
  void tips_beside(const Rect& column) { tooltip_.set_column(column); }
  [[nodiscard]] bool escape() const { return escape_; }
  // Returns true after Enter in a line of text, or unused by a control: presses the primary button of a dialog.
  [[nodiscard]] bool enter() const { return enter_; }
  void use_escape() { escape_ = false; }
  [[nodiscard]] bool editing() const { return editing_id_ != 0; }
  // Returns true if a text field has the characters, or will: ImGui needs some frames, and typed text is kept for it.
  [[nodiscard]] bool typing() const;
  // Announces a text field: it receives the characters from the next frame on, or also those of this one.
  void await_text(EarlyText::From from) { early_.await(from); }
  // Returns true if a tooltip is about to appear, the mouse holds a control, or a part of the window moves.
  [[nodiscard]] bool moving() const;
  void set_motion(Motion motion) { motion_ = motion; }
  [[nodiscard]] Motion motion() const { return motion_; }
  // Returns the time since the last frame for what moves.
  [[nodiscard]] double step_s() const;
  // Draws one more frame: a part of the window moves.
  void request_frame() { parts_move_ = true; }
  [[nodiscard]] bool holding() const;  // a control is active
  [[nodiscard]] Rect rect_of(const std::string& id) const;
  [[nodiscard]] const std::map<std::string, HitArea, std::less<>>& hit_areas() const { return areas_; }
  [[nodiscard]] const std::vector<std::string>& clicked() const { return clicked_; }  // in this frame

  // Returns the next row of a column.
  Rect row(Column& c, float height, float gap) const;
  // Draws text over the whole width, in lines of `line` at scale 1, and a gap below it.
  void paragraph_row(Column& c, float line, ImU32 color, std::string_view text) const;
  // Returns the part of the row right of the label; it extends to the label if the control needs more pixels.
  Rect labelled(Column& c, std::string_view label, bool enabled, float needed = 0);

  bool button(const char* id, const Rect& r, const ButtonLook& look, const Tip& tip);
  bool link(const char* id, const Rect& r, std::string_view label, std::string_view shortcut, const Tip& tip);
  bool icon_button(const char* id, const Rect& r, const Tip& tip);  // the caller draws the icon on it
  std::optional<int> segmented(const char* id, const Rect& r, std::span<const Choice> options, int chosen,
                               const Tip& t);
  std::optional<int> combo(const char* id, const Rect& r, const Choice& shown, std::span<const Choice> options,
                           int chosen, const Tip& tip);
  [[nodiscard]] float combo_width(std::string_view shown) const;  // width for all of its text
  // Shows a list that opens below r; the caller draws r's face.
  std::optional<int> menu(const char* id, const Rect& r, std::span<const Choice> options, int chosen, const Tip& tip);
  bool radio(const char* id, const Rect& r, std::string_view label, bool chosen, const Tip& tip);
  bool check_box(const char* id, const Rect& r, std::string_view label, bool on, const Tip& tip);
  // Draws the folding head of a panel; a click changes `open`. `link_width`: pixels at its right end for another
  // control.
  void header(const char* id, Column& c, std::string_view title, std::string_view summary, bool& open,
              float link_width = 0);
  // Draws centred on y; returns the right edge.
  float badge(float x, float centre_y, const BadgeLook& look) const;
  [[nodiscard]] float badge_width(const BadgeLook& look) const;

  // Draws a text field in place of a control, after Ctrl-click. Returns the text once accepted. `stop`: keyboard stop
  // of the control, if it is not the id.
  void start_editing(const char* id, const std::string& text, const std::string& stop = {});
  [[nodiscard]] bool is_editing(const char* id) const;
  std::optional<std::string> edit_field(const Rect& r);
  [[nodiscard]] std::string edited_text() const { return editing_text_; }
  // Draws a line of text input; returns true if Enter was pressed. `focus`: requests the keyboard.
  bool text_line(const char* id, const Rect& r, std::span<char> text, bool focus);

  // Popups: `open_popup` in the frame of the click, then begin .. end in every frame.
  void open_popup(const char* id);
  bool begin_popup(const char* id, const Rect& r, ImU32 ground = theme::kField);
  void end_popup();
  void close_popup();
  // Box over the window that does not block it. begin .. end in every frame.
  bool begin_callout(const char* id, const Rect& r);
  void end_callout();

 private:
  void draw_ring();
  // `stop`: its name for the keyboard.
  bool text_input(const char* id, const std::string& stop, const Rect& r, std::span<char> text, bool focus);
  std::optional<int> choice_list(const char* id, const Rect& r, std::span<const Choice> options, int chosen, bool open);

  Focus focus_;
  struct Ring {
    ImDrawList* list = nullptr;
    Rect rect, clip;
  } ring_;  // ring of the focused control
  int edited_field_ = 0;
  int text_fields_ = 0;  // counts text fields left by key: ImGui then releases the old one

  bool escape_ = false, enter_ = false;
  Motion motion_ = Motion::off;
  bool parts_move_ = false;
  ImGuiID editing_id_ = 0;
  std::string editing_stop_;
  bool editing_fresh_ = false;
  EarlyText early_;
  char editing_text_[64] = {};
  Tooltip tooltip_;
  ImDrawList* under_popup_ = nullptr;
  ImDrawList* under_callout_ = nullptr;
  std::map<std::string, HitArea, std::less<>> areas_;
  std::vector<std::string> clicked_;
};

// Sliders: one value, or a range with two thumbs. Values are in the units on screen. UI thread only.

enum class Track { linear, logarithmic };
enum class Sign { as_is, always };  // always: +6.0

enum class Fill { from_left, from_normal };  // start of the filled part, up to the thumb
enum class Lines { one, two };               // one: label, track and value side by side, for narrow areas

struct SliderLook {
  const char* id = "";
  std::string_view label = {};
  std::string_view unit = {};
  int decimals = 0;
  double track_min = 0, track_max = 1;  // limits for dragging
  double least = 0, most = 1;           // limits for typing
  Track track = Track::linear;
  Sign sign = Sign::as_is;
  Lines lines = Lines::two;
  Fill fill = Fill::from_left;
  std::string_view help = {};
  std::string_view why_not = {};
  std::string_view text_at_most = {};   // shown instead of the number at track_max, e.g. "max"
  std::string_view text_at_least = {};  // shown instead of number and unit at track_min, e.g. "off"
  std::string_view title = {};          // title of the tooltip; empty: the label
  bool unknown = false;                 // no value yet: a dash, an empty track
};

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Returns the new value if the user changed it. `normal`: the default, restored by right-click.
std::optional<double> slider(Ui& ui, Column& column, const SliderLook& look, double value, double normal);
std::optional<Interval> range_slider(Ui& ui, Column& column, const SliderLook& look, Interval value, Interval normal,
                                     double least_width);

// Draws a slider whose left end is off = 0; the rest of its track is logarithmic from `step` on. Returns the new value,
// a multiple of the step, on a user change. `look`: track_max, most, decimals, unit and texts; right-click: off.
std::optional<double> slider_from_off(Ui& ui, Column& column, SliderLook look, double value, double step);

// Returns the thumb's x of a slider of one line, in a row.
float thumb_x(const Ui& ui, const Rect& row, const SliderLook& look, double value);

}  // namespace echoloop
