// What the marks on the picture measure, as the Measure panel shows it and as it is saved. Plain values; filled by the
// window while the panel is open. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.h"
#include "core/level_histogram.h"
#include "gui/marks.h"
#include "measure/line_profile.h"
#include "measure/point_spread.h"
#include "measure/region_stats.h"

namespace echoloop {

// One number, and what it was in the last 30 s.
struct MeasuredValue {
  std::string object;             // "pair 1", "region 3", "point 2"
  std::string quantity;           // "gcnr"
  std::string unit;               // empty: a plain number
  double value = 0.0;             // not a number where there is none
  std::vector<float> trend = {};  // oldest first, kTrendStep_s apart; not a number before it was first measured
};
inline constexpr double kTrendStep_s = 0.25;
inline constexpr int kTrendSteps = 120;

struct MeasuredRegion {
  Mark mark;
  std::string object;
  RegionStats stats;
};

struct MeasuredPair {
  int number = 0;
  std::string object;
  PairStats stats;
};

struct MeasuredPoint {
  int mark = 0;
  std::string object;
  std::optional<PointSpread> spread;  // none: no bright spot there
};

struct MeasuredProfile {
  int mark = 0;
  std::string object;
  LineProfile profile;
};

struct Measured {
  Image image;  // the picture that was measured, without its pixels; number 0 = none yet
  std::vector<MeasuredPair> pairs;
  std::vector<MeasuredRegion> regions;  // without a partner
  std::vector<MeasuredPoint> points;
  std::vector<MeasuredProfile> profiles;
  std::optional<LevelHistogram> histogram;  // while it is looked at
  std::vector<MeasuredValue> values;        // of all of these

  [[nodiscard]] const MeasuredValue* find(std::string_view object, std::string_view quantity) const {
    for (const MeasuredValue& v : values) {
      if (v.object == object && v.quantity == quantity) return &v;
    }
    return nullptr;
  }
};

}  // namespace echoloop
