// Measurements drawn on the image, in metres of the image plane: calipers, regions, lines, points. Marks keep their
// position in the image under zoom and window changes. Plain values. UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.h"
#include "core/results/image.h"
#include "measure/levels.h"
#include "measure/point_spread.h"

namespace echoloop {

enum class MarkKind {
  distance,   // 2 points
  angle,      // 3 points, the vertex second
  ellipse,    // 3 points: the ends of one axis, and a point at the distance of the other half axis
  rectangle,  // 2 opposite corners
  circle,     // centre, and a point on the circle
  outline,    // any number of points, closed
  profile,    // 2 points: levels along the line
  point       // 1 point: the point spread at it
};

// Role of a region in a pair: measured region or reference.
enum class RegionRole { none, target, background };

struct Mark {
  int number = 0;  // shown next to it; never reused in a session
  MarkKind kind = MarkKind::distance;
  std::vector<PlanePoint> points;
  RegionRole role = RegionRole::none;
  int pair = 0;  // number of the pair, for regions: from 1
  friend bool operator==(const Mark&, const Mark&) = default;
};

// Effect of a click on the image; pointer: select and move marks, pan.
enum class MarkTool { pointer, distance, angle, ellipse, rectangle, circle, outline, profile, point, inspect, gate };

struct Marks {
  std::vector<Mark> list;  // complete ones, oldest first
  int selected = 0;        // number of a mark; 0 = none
  int hovered = 0;         // number of the mark under the pointer, on image or list; 0 = none; set every frame
  int last_number = 0;
  MarkTool tool = MarkTool::pointer;
};

// Lines, names and values of marks, shared by the window, the list and saved images. Pure functions; any thread. No
// ImGui.

[[nodiscard]] bool is_region(MarkKind kind);
[[nodiscard]] std::string_view name_of(MarkKind kind);  // "Distance"
[[nodiscard]] std::size_t points_of(MarkKind kind);     // of a complete mark; 0 = any number

// Returns "3", or for a region "1 target" or "1 background", with the number of its pair.
[[nodiscard]] std::string mark_label(const Mark& mark);
// Returns "20.00 mm", "45.0°", "12.3 mm²", or the position of a point. `decimals`: of the lengths in mm.
[[nodiscard]] std::string mark_value(const Mark& mark, int decimals);

// Return the value of a complete mark, SI units; nullopt for kinds without it.
[[nodiscard]] std::optional<double> length_m(const Mark& mark);  // distance, profile
[[nodiscard]] std::optional<double> angle_rad(const Mark& mark);
[[nodiscard]] std::optional<double> area_m2(const Mark& mark);

// Returns the line to draw; closed ones end at their beginning. For a point, the point.
[[nodiscard]] std::vector<PlanePoint> mark_line(const Mark& mark);
// Returns the handles that change the shape; element i is `handle` i of move_handle.
[[nodiscard]] std::vector<PlanePoint> mark_handles(const Mark& mark);
void move_handle(Mark& mark, std::size_t handle, PlanePoint to);
void move_mark(Mark& mark, double dx_m, double dz_m);

// Returns the position of the label: for lines and points the point drawn last, for angles the vertex, for regions the
// upper left corner of their box.
[[nodiscard]] PlanePoint label_place(const Mark& mark);

[[nodiscard]] double distance_to_line_m(const std::vector<PlanePoint>& line, PlanePoint p);

// Drawing, selecting and changing marks, in metres: mouse input without pixels. Points can be set click by click or by
// pressing and dragging; outlines are dragged. UI thread only. No ImGui.

// Part of a mark under the pointer.
struct MarkGrip {
  int number = 0;                     // number of the mark
  std::optional<std::size_t> handle;  // nullopt: the whole mark
};

class MarkEditor {
 public:
  // Handle the left button and the pointer's moves. `reach_m`: pick radius, a few pixels. press() returns false if it
  // has no effect there: with the pointer tool away from all marks.
  bool press(Marks& marks, PlanePoint at, double reach_m);
  void move(Marks& marks, PlanePoint at, double reach_m);
  void release(Marks& marks);
  // Cancels the draft, else the tool, else the selection. Returns false if there was none of them.
  bool escape(Marks& marks);

  [[nodiscard]] const Mark* draft() const { return draft_ ? &*draft_ : nullptr; }
  [[nodiscard]] bool editing() const { return grip_.has_value(); }

 private:
  void begin(Marks& marks, PlanePoint at);
  void next_point(Marks& marks, PlanePoint at);
  void finish(Marks& marks);

  std::optional<Mark> draft_;  // its last point follows the pointer
  bool held_ = false;          // the button is held since the draft's first point
  bool dragged_ = false;
  PlanePoint start_{0.0, 0.0}, last_{0.0, 0.0};
  std::optional<MarkGrip> grip_;
};

// Returns the grip within reach: handles of the selected mark first, then of any mark, then lines, newest first.
[[nodiscard]] std::optional<MarkGrip> grip_at(const Marks& marks, PlanePoint at, double reach_m);

[[nodiscard]] Mark* find_mark(Marks& marks, int number);
void remove_mark(Marks& marks, int number);
// Removes all marks and the selection; the tool stays.
void clear_marks(Marks& marks);

// Measured values of the marks on the image, for the Measure panel and for files. Plain values; filled by the window
// while the panel is open. UI thread only.

// Measured number and its course over the last 30 s.
struct MeasuredValue {
  std::string object;             // "pair 1", "region 3", "point 2"
  std::string quantity;           // "gcnr"
  std::string unit;               // empty: a plain number
  double value = 0.0;             // NaN: none
  std::vector<float> trend = {};  // oldest first, kTrendStep_s apart; NaN before the first measurement
};
inline const std::string kMaskObject = "mask ";  // of a label: with its name
inline constexpr double kTrendStep_s = 0.25;
inline constexpr int kTrendSteps = 120;

struct MeasuredRegion {
  Mark mark;
  std::string object;
  RegionStats stats;
};

struct MeasuredPair {
  int number = 0;
  int target = 0, background = 0;  // numbers of the marks
  std::string object;
  PairStats stats;
};

enum class PointSource { image, fine_grid };

struct MeasuredPoint {
  int mark = 0;
  std::string object;
  PlanePoint at{};                         // position of the mark
  PointEcho echo;                          // echo in the image's pixels
  std::optional<PointSpread> spread = {};  // values; nullopt: no peak there
  PointSource from = PointSource::image;
  std::uint64_t frame = 0;  // frame of the values
  std::string note = {};    // reason why there are none, or only those of the image's pixels
};

// Echo beamformed again on a fine grid, for the values of a point; or the reason why that is not possible.
struct FinePoint {
  int mark = 0;
  PlanePoint at{};
  ImagingParams params;  // parameters of the image, without its display
  std::uint64_t frame = 0;
  std::optional<PointSpread> spread = {};
  std::string why_not = {};
};

struct MeasuredProfile {
  int mark = 0;
  std::string object;
  LineProfile profile;
};

// Levels of a method's image against those of delay-and-sum, pixel by pixel, with the regression of all of them.
struct ScatterPoint {
  float das_db, method_db;
  RegionRole role;  // role of the region that contains the pixel
};
struct MeasuredScatter {
  std::string object;
  std::vector<ScatterPoint> points;  // at most kMostScatterPoints, evenly sampled
  LevelSlope line;
};
inline constexpr std::size_t kMostScatterPoints = 1000;

struct Measured {
  Image image;  // measured image, without its pixels; number 0 = none yet
  std::vector<MeasuredPair> pairs;
  std::vector<MeasuredRegion> regions;  // regions without a partner
  std::vector<MeasuredPoint> points;
  std::vector<MeasuredProfile> profiles;
  std::vector<MeasuredScatter> scatters;    // for pairs and regions whose slope is measured
  std::optional<LevelHistogram> histogram;  // while it is displayed
  std::vector<MeasuredValue> values;        // values of all of these

  // Filled by the application: points of the frame on screen while frozen, of an earlier frame while live.
  std::vector<FinePoint> fine;
  bool fine_came = false;  // fine points arrived since the marks were measured

  // Returns the point with the parameters of `image`; null: none yet.
  [[nodiscard]] const FinePoint* fine_of(const MeasuredPoint& point) const;

  [[nodiscard]] const MeasuredValue* find(std::string_view object, std::string_view quantity) const {
    for (const MeasuredValue& v : values) {
      if (v.object == object && v.quantity == quantity) return &v;
    }
    return nullptr;
  }
};

}  // namespace echoloop
