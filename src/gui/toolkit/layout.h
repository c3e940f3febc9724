// Positions of columns and bars, as pure functions of sizes; those of the image are below. No ImGui calls. Any thread.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/grid.h"
#include "gui/state/rect.h"
#include "gui/toolkit/ui.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop {

struct WindowLayout {
  Rect status, left, right, centre, message;
  float splitter_left = 0, splitter_right = 0;  // x of the edges
  bool compact = false;
  bool left_shown = true, right_shown = true;  // a narrow window has one column, a very narrow one none
};

WindowLayout lay_out_window(float width, float height, float scale, const ColumnWidths& widths,
                            WindowMode mode = WindowMode::engineer);

// Limits of a column that is being dragged, at scale 1.
float clamp_left_width(float wanted, float logical_width, float right);
float clamp_right_width(float wanted, float logical_width, float left);

// Area that scrolls when its content is taller: wheel, and a thin bar while the pointer is over it. UI thread only.

class Scroll {
 public:
  // Clips to r; content starts at the returned y. `id` names the bar.
  float begin(Ui& ui, const char* id, const Rect& r);
  // `bottom`: end of the drawn content.
  void end(Ui& ui, float bottom);
  // Scrolls so that [top, bottom] of the content (from its start) is in view.
  void show(float top, float bottom);
  [[nodiscard]] bool moved() const { return moved_; }  // by the user, in this frame
  void reset() { offset_ = 0; }

 private:
  Rect area_;
  float offset_ = 0;
  float content_ = 0;
  bool hovered_ = false;
  bool moved_ = false;
};

// Movable edges between the parts of the window: by mouse, or by key while focused. UI thread only.

// Returns the movement to the right or up by this frame's keys, at scale 1: 8 per arrow, 40 with Shift.
inline float splitter_by_key(const Hit& hit) {
  float by = 0;
  for (const KeyPress& press : hit.keys) {
    const float step = press.shift ? 40 : 8;
    if (press.key == Key::left || press.key == Key::down) by -= step;
    if (press.key == Key::right || press.key == Key::up) by += step;
  }
  return by;
}

// Returns true for a reset to the default position: right-click, double click or Delete.
inline bool splitter_reset(const Hit& hit) {
  bool reset = hit.right || (hit.pressed && ImGui::IsMouseDoubleClicked(0));
  for (const KeyPress& press : hit.keys) reset = reset || press.key == Key::remove;
  return reset;
}

// Parts of the status bar that have room, as a pure function of widths. A narrow bar omits parts, the least important
// first: device name, "Present", the word "latency", frames shown, slowdown relative to real time and the second kind
// of faulty samples, backend, switch of the mode, "Reset", latency, "Keys", rate. Source, state, lost frames, the first
// kind of faulty samples and recording always stay. Any thread.

// Widths with the gap to the neighbour, in pixels; 0: part is absent.
struct StatusWidths {
  float room = 0;  // width of the bar without its margins
  float always = 0;
  float device = 0, present = 0, latency_word = 0, shown = 0, playing = 0, backend = 0, mode = 0, reset = 0,
        latency = 0, keys = 0, rate = 0;
};

enum class StatusForm { wide, compact };  // compact: without device, "Present" and the word from the start

struct StatusFit {
  bool device = true, present = true, latency_word = true, shown = true, playing = true, backend = true, mode = true,
       reset = true, latency = true, keys = true, rate = true;
};

[[nodiscard]] StatusFit fit_status_bar(const StatusWidths& widths, StatusForm form);

// Row of a panel with a fact: its name at the left, its value at the right. UI thread only.

inline void fact_row(Ui& ui, Column& column, const char* id, std::string_view name, std::string_view value,
                     std::string_view help) {
  const Rect r = ui.row(column, 20, 0);
  ui.tip(id, ui.hit(id, r), r, {name, help, {}});
  const float end = ui.text(Type::small, r, theme::kText2, name) + ui.px(8);
  const float x = std::max(end, r.x1 - ui.width(Type::small, value));
  ui.text_fitted(Type::small, x, r.x1 + 1, r.y0, r.height(), theme::kText, value);
}

// Position of the image and the only mapping between pixels and metres, used by rulers, marks, read-out and the pixels
// themselves. Aspect always true. Zooming and panning as pure functions. No ImGui calls. Any thread.

struct ImageLayout {
  Rect room;                    // area available to the image
  Rect image;                   // part of it that the image fills, whole pixels; empty: no image
  Rect color_bar;               // the bar itself, 14 wide
  Rect a_bar, flow_bar;         // bars next to it; set if ColorBars names them
  Rect tgc;                     // curve of the TGC between image and bars; as these
  float caption_y = 0;          // top of the caption
  Grid grid;                    // grid of the whole image
  PlanePoint centre{0.0, 0.0};  // point at the room's centre
  double px_per_m = 1.0;        // equal in both directions
  double fitted_px_per_m = 1.0;
  float scale = 1;  // scale of the window
  Mirrored mirrored = Mirrored::off;

  [[nodiscard]] double way() const { return mirrored == Mirrored::on ? -1.0 : 1.0; }  // of x on screen
  [[nodiscard]] float x_px(double x_m) const;
  [[nodiscard]] float z_px(double z_m) const;
  [[nodiscard]] double x_m(float x_px) const;
  [[nodiscard]] double z_m(float z_px) const;
  [[nodiscard]] PlanePoint point(float x, float y) const { return {x_m(x), z_m(y)}; }
  // Returns the rectangle of a whole image of this grid; it may exceed the visible image.
  [[nodiscard]] Rect place(const Grid& other) const;
  [[nodiscard]] double zoom() const { return px_per_m / fitted_px_per_m; }  // 1 = fitted
  [[nodiscard]] double px_per_mm() const { return px_per_m * 1e-3; }
};

// `scale`: of the window. Limits zoom and position of `view`.
ImageLayout place_picture(const Rect& room, const Grid& grid, float scale, const PanZoom& view,
                          Mirrored mirrored = Mirrored::off);
// Returns the image with another view in the same room, without bars.
inline ImageLayout with_view(const ImageLayout& l, const PanZoom& view) {
  return place_picture(l.room, l.grid, l.scale, view, l.mirrored);
}
inline constexpr float kImageAreaLeast = 124;  // height at scale 1 of rulers, caption and an image between them

// View of the image on its way to the wanted one: zooms about the point that stays where it is. A pan, another image
// and another room are at once.
class EasedView {
 public:
  // Returns the view of a frame `step_s` after the last one. `at`: layout of `wanted`.
  PanZoom towards(const PanZoom& wanted, const ImageLayout& at, double step_s);
  [[nodiscard]] bool moving() const { return way_.moving(); }

 private:
  struct Seen {
    PlanePoint centre{0.0, 0.0};
    double zoom = 1.0;
  };
  PanZoom wanted_;
  Seen from_, now_;
  Grid grid_;
  Rect room_;
  Transition way_;
};

// Layout with room for rulers above and left, the colour bars right and the caption below.
struct ColorBars {
  bool level = true;
  bool a = false;  // bar of A of a comparison, if its scale differs from B's
  bool flow = false;
  bool tgc = false;  // the curve of the TGC, as wide as a bar
};
[[nodiscard]] int count(ColorBars bars);
// Places the bars from `first` to the right, `step` pixels apart.
void place_bars(ImageLayout& layout, const Rect& first, float step, ColorBars bars);
ImageLayout lay_out_picture(const Rect& area, const Grid& grid, float scale, bool compact, const PanZoom& view,
                            ColorBars bars = {}, Mirrored mirrored = Mirrored::off);

// Keeps the point under pixel (x, y) fixed, except if zooming out brings the image back into its room.
PanZoom zoomed_about(const ImageLayout& l, float x, float y, double factor);
// Moves the view by (dx, dy) pixels of the mouse; limited to the image.
PanZoom panned(const ImageLayout& l, float dx, float dy);

}  // namespace echoloop
