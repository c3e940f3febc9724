// Measures the marks on every new picture, and remembers each number for 30 s. UI thread only.
// Why a class: which pixels lie in a region is found once a drawing, not once a picture.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gui/level_reader.h"
#include "gui/measured.h"

namespace echoloop {

enum class HistogramUse { no, yes };

class Measuring {
 public:
  // True when any of the marks is one that is measured.
  static bool has_work(const Marks& marks);

  // Brings `measured` up to date with the newest picture of `levels`; once a window frame while somebody looks.
  void update(Measured& measured, const Marks& marks, LevelReader& levels, HistogramUse histogram, double now_s);

 private:
  struct KnownPixels {
    Region region;
    Grid grid;
    RegionPixels pixels;
  };
  struct Trend {
    std::vector<float> values;  // kTrendSteps, the newest last
    double value = 0.0;
  };

  void measure(Measured& measured, const Marks& marks, const LevelPicture& picture);
  void measure_regions(Measured& measured, const Marks& marks, const LevelPicture& picture);
  const RegionPixels& pixels_of(const Mark& mark, const Grid& grid);
  void remember(Measured& measured, double now_s);

  std::map<int, KnownPixels> known_;  // by the mark's number
  std::map<std::string, Trend> trends_;
  double next_step_s_ = 0.0;
  std::vector<Mark> measured_marks_;  // the ones that the results belong to
};

Region region_of(const Mark& mark);

}  // namespace echoloop
