// What the user draws on the picture to measure it, in metres of the image plane: calipers, regions, lines, points.
// Marks stay with the image whatever happens to zoom and window. Plain values. UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.h"
#include "core/results/image.h"
#include "measure/line_profile.h"
#include "measure/point_spread.h"
#include "measure/region_stats.h"

namespace echoloop {

enum class MarkKind {
  distance,   // 2 points
  angle,      // 3 points, the vertex second
  ellipse,    // 3 points: the ends of one axis, and a point that the other half axis reaches out to
  rectangle,  // 2 opposite corners
  circle,     // centre, and a point of the rim
  outline,    // any number of points, closed
  profile,    // 2 points: levels along the line
  point       // 1 point: the point spread there
};

// Regions make pairs: what is measured, and what it is compared with.
enum class RegionRole { none, target, background };

struct Mark {
  int number = 0;  // shown beside it; never used again in one session
  MarkKind kind = MarkKind::distance;
  std::vector<PlanePoint> points;
  RegionRole role = RegionRole::none;
  int pair = 0;  // regions: from 1
  friend bool operator==(const Mark&, const Mark&) = default;
};

// What a click on the image does; pointer: select and move marks, pan.
enum class MarkTool { pointer, distance, angle, ellipse, rectangle, circle, outline, profile, point, inspect, gate };

struct Marks {
  std::vector<Mark> list;  // complete ones, oldest first
  int selected = 0;        // number of a mark; 0 = none
  int hovered = 0;  // likewise: under the pointer, on the image or in the list; the window sets it anew each frame
  int last_number = 0;
  MarkTool tool = MarkTool::pointer;
};

// Marks as lines, names and values: what the window, the list and saved images share. Pure functions; any thread.
// No ImGui.

[[nodiscard]] bool is_region(MarkKind kind);
[[nodiscard]] std::string_view name_of(MarkKind kind);  // "Distance"
[[nodiscard]] std::size_t points_of(MarkKind kind);     // of a complete one; 0 = as many as were drawn

// "3"; of a region "1 target" or "1 background", with the number of its pair.
[[nodiscard]] std::string mark_label(const Mark& mark);
// "20.00 mm", "45.0°", "12.3 mm²"; of a point its place. `decimals` of the lengths in mm.
[[nodiscard]] std::string mark_value(const Mark& mark, int decimals);

// What a complete mark measures, SI units; nothing where its kind has no such thing.
[[nodiscard]] std::optional<double> length_m(const Mark& mark);  // distance, profile
[[nodiscard]] std::optional<double> angle_rad(const Mark& mark);
[[nodiscard]] std::optional<double> area_m2(const Mark& mark);

// The line to draw; closed ones end where they begin. Of a point: the point.
[[nodiscard]] std::vector<PlanePoint> mark_line(const Mark& mark);
// Where it can be taken hold of to change its shape; point i of the answer is `handle` i of move_handle.
[[nodiscard]] std::vector<PlanePoint> mark_handles(const Mark& mark);
void move_handle(Mark& mark, std::size_t handle, PlanePoint to);
void move_mark(Mark& mark, double dx_m, double dz_m);

// Where the label belongs: right of and below the point that was drawn last; of areas, above the upper left corner of
// their box.
[[nodiscard]] PlanePoint label_place(const Mark& mark);

[[nodiscard]] double distance_to_line_m(const std::vector<PlanePoint>& line, PlanePoint p);

// Drawing, selecting and changing marks, in metres: the mouse without pixels. Points can be set click by click or
// by pressing and dragging; outlines are dragged. UI thread only. No ImGui.

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

// What the marks on the image measure, as the Measure panel shows it and as it is saved. Plain values; filled by the
// window while the panel is open. UI thread only.

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
