// Drawing, selecting and changing marks, in metres: the mouse without pixels. Points can be set click by click or
// by pressing and dragging; outlines are dragged. UI thread only. No ImGui.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/state/marks.h"

namespace echoloop {

// What is under the pointer.
struct MarkGrip {
  int number = 0;                     // of the mark
  std::optional<std::size_t> handle;  // nothing: the whole mark
};

class MarkEditor {
 public:
  // The left button, and the pointer's moves. `reach_m`: how near is near enough, a few pixels. press() is false when
  // it has nothing to do there: with the pointer tool beside every mark.
  bool press(Marks& marks, PlanePoint at, double reach_m);
  void move(Marks& marks, PlanePoint at, double reach_m);
  void release(Marks& marks);
  // Gives up what is being drawn, then the tool, then the selection. False: there was none of them.
  bool escape(Marks& marks);

  [[nodiscard]] const Mark* draft() const { return draft_ ? &*draft_ : nullptr; }
  [[nodiscard]] bool editing() const { return grip_.has_value(); }

 private:
  void begin(Marks& marks, PlanePoint at);
  void next_point(Marks& marks, PlanePoint at);
  void finish(Marks& marks);

  std::optional<Mark> draft_;  // its last point follows the pointer
  bool held_ = false;          // since its first point
  bool dragged_ = false;
  PlanePoint start_{0.0, 0.0}, last_{0.0, 0.0};
  std::optional<MarkGrip> grip_;
};

// The selected mark's handles first, then any mark's, then lines, newest first.
[[nodiscard]] std::optional<MarkGrip> grip_at(const Marks& marks, PlanePoint at, double reach_m);

[[nodiscard]] Mark* find_mark(Marks& marks, int number);
void remove_mark(Marks& marks, int number);
// All marks, with nothing selected; the tool stays.
void clear_marks(Marks& marks);

}  // namespace echoloop
