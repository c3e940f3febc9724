// Point spread at a bright spot: widths along the image's two directions, and surroundings. Lateral: along a row (on a
// polar grid: along the arc); axial: along a column (along the radius). Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/levels.h"

namespace echoloop {

// Parabola in dB, i.e. a Gaussian in amplitude, by least squares through the pixels of the main lobe at most 10 dB
// below its peak (three at least).
struct LobeFit {
  double centre_m = 0.0;    // offset of its peak, like Lobe::offset_m
  double peak_db = 0.0;     // of the parabola, relative to the brightest pixel
  double fall_db_m2 = 0.0;  // level(offset) = peak - fall (offset - centre)^2
  [[nodiscard]] double level_db(double offset_m) const {
    return peak_db - fall_db_m2 * (offset_m - centre_m) * (offset_m - centre_m);
  }
  [[nodiscard]] double width_m() const;  // at 6 dB below its own peak
};

struct SideLobe {
  double level_db = 0.0;  // relative to the peak
  double offset_m = 0.0;
};

struct Lobe {
  std::vector<double> offset_m;  // of each pixel of the profile from the sub-pixel peak
  std::vector<float> level_db;   // relative to the brightest pixel
  // Width between the crossings of linearly interpolated levels with 6 dB below the brightest pixel, the usual
  // definition of reference figures; NaN if a side does not fall so far within the image.
  double fwhm_m = 0.0;
  double pixels_across = 0.0;         // fwhm in pixels; below about 4 the grid shapes it
  std::optional<LobeFit> fit;         // nullopt: the spot is flat or on the image's edge
  std::optional<SideLobe> side_lobe;  // highest beyond the first minima, within five widths of the peak
};

struct PointSpread {
  PlanePoint peak{};     // sub-pixel: vertex of the parabola in dB through three pixels in each direction
  double peak_db = 0.0;  // of the brightest pixel
  Lobe lateral, axial;
};

// Measures the local maximum reached uphill from the brightest pixel within `reach_m` of the click. nullopt without an
// image or echo there.
std::optional<PointSpread> measure_point(const LevelImage& picture, PlanePoint click, double reach_m);

inline constexpr double kPointReach_m = 1.5e-3;  // from the given point to the echo
inline constexpr double kLeastAbove_db = 12.0;   // peak over the median level within 3 mm; speckle reaches 10 to 12
inline constexpr double kMostBelow_db = 30.0;    // peak below the highest level within 10 mm; side lobes are lower

enum class PeakVerdict { peak, no_echo, no_maximum, too_far, faint, beside_stronger };

struct PointEcho {
  PeakVerdict verdict = PeakVerdict::no_echo;
  std::optional<PointSpread> spread;  // verdict peak only
  double above_db = 0.0;              // peak over the median level around
  double below_db = 0.0;              // peak below the highest level around
};
PointEcho find_point_echo(const LevelImage& picture, PlanePoint at);

// Returns "No peak here: ..." in one line; empty if there is a peak.
std::string why_no_peak(const PointEcho& echo);

// Grids on which an echo is beamformed finely, so that its widths do not depend on the image's pixels: a patch around
// the image's peak, as wide as the lobes and their side lobes, with enough pixels per width; then one around the peak
// found there, and more if the widths differ from the assumed ones; four at most. The caller beamforms. Any thread.
class PointPatch {
 public:
  // `image`: grid of the image in which `seen` was measured.
  PointPatch(const Grid& image, const PointSpread& seen);

  // Returns the next grid to beamform: of the image's kind, inside the image.
  [[nodiscard]] const Grid& grid() const { return grid_; }

  enum class Next { done, again, failed };
  // Evaluates the levels of grid(). `again`: grid() has changed.
  Next take(const LevelImage& patch);
  [[nodiscard]] const std::optional<PointSpread>& spread() const { return spread_; }  // after `done`

 private:
  void aim(PlanePoint centre, double lateral_m, double axial_m);

  Grid image_;
  Grid grid_;
  PlanePoint centre_{};
  double lateral_m_ = 0.0, axial_m_ = 0.0;  // assumed widths of grid_
  int taken_ = 0;
  std::optional<PointSpread> spread_;
};

}  // namespace echoloop
