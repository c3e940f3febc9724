// The point spread at a bright spot: how wide it is along the image's two directions, and what surrounds it.
// Lateral: along a row (on a polar grid: along the arc); axial: along a column (along the radius). Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/region_stats.h"

namespace echoloop {

// A parabola in dB, that is a Gaussian in amplitude, by least squares through the pixels of the main lobe that are at
// most 10 dB below its peak (three at least).
struct LobeFit {
  double centre_m = 0.0;    // offset of its peak, like Lobe::offset_m
  double peak_db = 0.0;     // likewise
  double fall_db_m2 = 0.0;  // level(offset) = peak - fall (offset - centre)^2
  [[nodiscard]] double level_db(double offset_m) const {
    return peak_db - fall_db_m2 * (offset_m - centre_m) * (offset_m - centre_m);
  }
  [[nodiscard]] double width_m() const;  // at 6 dB below its own peak
};

struct SideLobe {
  double level_db = 0.0;  // against the peak
  double offset_m = 0.0;
};

struct Lobe {
  std::vector<double> offset_m;  // of each pixel of the profile from the sub-pixel peak
  std::vector<float> level_db;   // against the brightest pixel
  // Where the straight lines between the pixels' levels in dB cross 6 dB below the brightest pixel, as reference
  // figures are usually made; not a number where a side does not fall so far within the image.
  double fwhm_m = 0.0;
  double pixels_across = 0.0;         // fwhm in pixels; below about 4 the grid shapes it
  std::optional<LobeFit> fit;         // none: the spot lies on the image's edge, or is flat
  std::optional<SideLobe> side_lobe;  // the highest beyond the first minima, within five widths of the peak
};

struct PointSpread {
  PlanePoint peak{};     // between the pixels: vertex of the parabola in dB through three of them, each way
  double peak_db = 0.0;  // of the brightest pixel
  Lobe lateral, axial;
};

// Of the local maximum that the brightest pixel within `reach_m` of the click leads up to. None without an image
// there, or where it shows nothing.
std::optional<PointSpread> measure_point(const LevelImage& picture, PlanePoint click, double reach_m);

inline constexpr double kPointReach_m = 1.5e-3;  // from the point that was set to the echo
inline constexpr double kLeastAbove_db = 12.0;   // peak against the median level within 3 mm; speckle reaches 10 to 12
inline constexpr double kMostBelow_db = 30.0;    // peak against the highest level within 10 mm; side lobes are lower

enum class PeakVerdict { peak, no_echo, no_maximum, too_far, faint, beside_stronger };

struct PointEcho {
  PeakVerdict verdict = PeakVerdict::no_echo;
  std::optional<PointSpread> spread;  // verdict peak only
  double above_db = 0.0;              // peak against the median level around
  double below_db = 0.0;              // peak below the highest level around
};
PointEcho find_point_echo(const LevelImage& picture, PlanePoint at);

// "No peak here: ..." in one line; empty where there is one.
std::string why_no_peak(const PointEcho& echo);

// Where an echo is to be beamformed finely, so that its widths do not depend on the image's pixels: a patch around the
// image's peak, as wide as the lobes and their side lobes, with enough pixels across a width; then one around the peak
// that it shows, and more if the widths differ from those it was made for; four at most. Beamforming is for the caller.
// Any thread.

class PointPatch {
 public:
  // `image`: the grid of the image that `seen` was measured on.
  PointPatch(const Grid& image, const PointSpread& seen);

  // What to beamform next. Of the image's kind, inside the image.
  [[nodiscard]] const Grid& grid() const { return grid_; }

  enum class Next { done, again, failed };
  // The levels of grid(). `again`: grid() is another one now.
  Next take(const LevelImage& patch);
  [[nodiscard]] const std::optional<PointSpread>& spread() const { return spread_; }  // after `done`

 private:
  void aim(PlanePoint centre, double lateral_m, double axial_m);

  Grid image_;
  Grid grid_;
  PlanePoint centre_{};
  double lateral_m_ = 0.0, axial_m_ = 0.0;  // widths that grid_ was made for
  int taken_ = 0;
  std::optional<PointSpread> spread_;
};

}  // namespace echoloop
