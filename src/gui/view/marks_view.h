// Draws marks over the image: lines with a dark halo, handles, and the value on a chip. Clipped to the image. UI thread
// only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/gl/level_reader.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"
#include "render/canvas.h"

namespace echoloop {

struct MarksView {
  Ui& ui;
  const ImageLayout& layout;
  const Marks& marks;
  const Mark* draft = nullptr;         // mark being drawn
  const Measured* measured = nullptr;  // points are drawn at the peaks in it
  Type letters = Type::badge;          // medium: for the projector
};

void draw_marks(const MarksView& view);

// Returns the number of decimals of lengths in mm, by the size of a pixel.
[[nodiscard]] int length_decimals(const ImageLayout& layout);

// Returns the number of the mark whose chip is at this pixel; 0 = none.
[[nodiscard]] int chip_at(const MarksView& view, float x, float y);

struct ChipWish {
  const Mark* mark;
  float width, height;  // pixels
};

struct PlacedChip {
  Rect rect;         // whole pixels, within the image
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

std::vector<PlacedChip> place_chips(const ImageLayout& layout, const std::vector<ChipWish>& wishes);

// Returns the chip next to the label's position, on the other side without room; always within the image.
Rect wished_chip(const ImageLayout& layout, const ChipWish& wish);

// Measures the marks on every new image, and keeps each value for 30 s. UI thread only.

enum class HistogramUse { no, yes };

class Measuring {
 public:
  // Returns true if any mark has measured values.
  static bool has_work(const Marks& marks);

  // Updates `measured` for the newest image of `levels`; once a window frame while values are shown.
  void update(Measured& measured, const Marks& marks, LevelReader& levels, HistogramUse histogram, double now_s);

  // Computes slopes of `measured` against A, if A is delay-and-sum and `measured` is made by a method.
  void compare(Measured& measured, const Measured& a, const Marks& marks, LevelReader& levels, LevelReader& levels_a);

 private:
  struct Trend {
    std::vector<float> values;  // kTrendSteps, newest last
    double value = 0.0;
  };

  void remember(Measured& measured, double now_s);

  RegionPixelCache pixels_;
  std::map<std::string, Trend> trends_;
  double next_step_s_ = 0.0;
  Image against_;                     // image of A for the slopes
  std::vector<Mark> measured_marks_;  // marks of the results
};

}  // namespace echoloop
