// Draws marks over the image: lines with a dark halo, handles, and the value on a chip. Only what lies within the
// image is drawn. UI thread only.
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
  const Mark* draft = nullptr;  // being drawn
};

void draw_marks(const MarksView& view);

// Lengths in mm have this many decimals: as many as a pixel is worth.
[[nodiscard]] int length_decimals(const ImageLayout& layout);

// The number of the mark whose chip is at this pixel; 0 = none.
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

// Beside the place of the label, turned over where there is no room; always within the image.
Rect wished_chip(const ImageLayout& layout, const ChipWish& wish);

// Measures the marks on every new image, and remembers each number for 30 s. UI thread only.

enum class HistogramUse { no, yes };

class Measuring {
 public:
  // True when any of the marks is one that is measured.
  static bool has_work(const Marks& marks);

  // Brings `measured` up to date with the newest picture of `levels`; once a window frame while values are shown.
  void update(Measured& measured, const Marks& marks, LevelReader& levels, HistogramUse histogram, double now_s);

  // Slopes of `measured` against A, where A is delay-and-sum and `measured` is made by a method.
  void compare(Measured& measured, const Measured& a, const Marks& marks, LevelReader& levels, LevelReader& levels_a);

 private:
  struct Trend {
    std::vector<float> values;  // kTrendSteps, the newest last
    double value = 0.0;
  };

  void remember(Measured& measured, double now_s);

  RegionPixelCache pixels_;
  std::map<std::string, Trend> trends_;
  double next_step_s_ = 0.0;
  Image against_;                     // that the slopes belong to
  std::vector<Mark> measured_marks_;  // the ones that the results belong to
};

}  // namespace echoloop
