// Measures the marks on every new image, and remembers each number for 30 s. UI thread only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/gl/level_reader.h"
#include "gui/overlay/measure_marks.h"

namespace echoloop {

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
