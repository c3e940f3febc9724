// What the marks on the image measure, as the Measure panel shows it and as it is saved. Plain values; filled by the
// window while the panel is open. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/image.h"
#include "core/results/level_histogram.h"
#include "gui/state/marks.h"
#include "measure/level_slope.h"
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
  int target = 0, background = 0;  // marks
  std::string object;
  PairStats stats;
};

enum class PointSource { image, fine_grid };

struct MeasuredPoint {
  int mark = 0;
  std::string object;
  PlanePoint at{};                         // where it was set
  PointEcho echo;                          // as the image's pixels show it
  std::optional<PointSpread> spread = {};  // the numbers; none: no peak there
  PointSource from = PointSource::image;
  std::uint64_t frame = 0;  // that the numbers are of
  std::string note = {};    // why there are none, or only those of the image's pixels
};

// An echo beamformed again on a fine grid, for the numbers of a point; or why that is not possible.
struct FinePoint {
  int mark = 0;
  PlanePoint at{};
  ImagingParams params;  // of the image, without its display
  std::uint64_t frame = 0;
  std::optional<PointSpread> spread = {};
  std::string why_not = {};
};

struct MeasuredProfile {
  int mark = 0;
  std::string object;
  LineProfile profile;
};

// Levels of a method's image against delay-and-sum's, pixel by pixel, with the regression of all of them.
struct ScatterPoint {
  float das_db, method_db;
  RegionRole role;  // of the region that the pixel lies in
};
struct MeasuredScatter {
  std::string object;
  std::vector<ScatterPoint> points;  // at most kMostScatterPoints, evenly out of all
  LevelSlope line;
};
inline constexpr std::size_t kMostScatterPoints = 1000;

struct Measured {
  Image image;  // the image that was measured, without its pixels; number 0 = none yet
  std::vector<MeasuredPair> pairs;
  std::vector<MeasuredRegion> regions;  // without a partner
  std::vector<MeasuredPoint> points;
  std::vector<MeasuredProfile> profiles;
  std::vector<MeasuredScatter> scatters;    // of pairs and regions, where the slope is measured
  std::optional<LevelHistogram> histogram;  // while it is looked at
  std::vector<MeasuredValue> values;        // of all of these

  // Filled by the application: of the frame on screen while frozen, live of an earlier one.
  std::vector<FinePoint> fine;
  bool fine_came = false;  // since the marks were measured

  // With the parameters of `image`; null: none yet.
  [[nodiscard]] const FinePoint* fine_of(const MeasuredPoint& point) const;

  [[nodiscard]] const MeasuredValue* find(std::string_view object, std::string_view quantity) const {
    for (const MeasuredValue& v : values) {
      if (v.object == object && v.quantity == quantity) return &v;
    }
    return nullptr;
  }
};

}  // namespace echoloop
