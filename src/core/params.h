// Every parameter that a user can change, as plain values, in one struct for each part of the program that reads them.
// One row a parameter in param_rows.cpp gives it key, labels, unit, range, control and help.
#pragma once

#include <array>
#include <string>

#include "core/acquisition.h"
#include "core/adaptive.h"
#include "core/grid.h"

namespace echoloop {

enum class Recipe { analytic, course };
enum class Apodization { boxcar, hann, hamming, tukey, gauss };
enum class Directivity { off, on };                     // weight of an echo by the element's own directivity
enum class Precision { fp32, fp16 };                    // of channel data between condition and beamform, on a GPU
enum class GridChoice { automatic, cartesian, polar };  // automatic: polar where the acquisition looks into a sector
enum class Compounding { automatic, coherent, lines };  // automatic: lines where focused transmits fan out
enum class TransmitCone { off, boxcar, hann, tukey };   // window across the beam of a focused transmit
enum class Median { off, three, five };                 // pixels a side
enum class FlowMode { off, power, velocity, low_rank };
enum class WallFilter { none, fir, polynomial, svd };
enum class Gate { off, on };
enum class ObjectKind { off, bright, dark };  // what is looked for: targets above the background, or cysts below it
enum class ColorMap { gray, hot, viridis, inverted };

// Image formation: which pixels are computed, and how. A change acts from the next frame on.
struct FormationParams {
  Recipe recipe = Recipe::analytic;
  double sound_speed_m_s = 1540.0;
  double f_number = 1.5;  // 0 = full aperture
  Apodization apodization = Apodization::boxcar;
  Directivity directivity = Directivity::off;
  Precision precision = Precision::fp16;  // where the device has it; it is the faster one
  double band_low_hz = 0.0;               // band-pass edges: flat over the inner 80 % of the half width,
  double band_high_hz = 0.0;              // raised cosine to zero at the two edges
  double depth_min_m = 0.0;
  double depth_max_m = 0.0;
  double lateral_min_m = 0.0;
  double lateral_max_m = 0.0;
  int grid_nx = 0;  // 0 = chosen from the acquisition; on a polar grid: lines
  int grid_nz = 0;  // and radii
  GridChoice grid_kind = GridChoice::automatic;
  double sector_min_rad = 0.0;  // polar: first and last line; depths then are those of the line straight down
  double sector_max_rad = 0.0;
  Compounding compounding = Compounding::automatic;
  Adaptive adaptive = Adaptive::off;
  AdaptiveAxis adaptive_axis = AdaptiveAxis::elements;
  AdaptiveOrder adaptive_order = AdaptiveOrder::each_transmit;
  double adaptive_strength = 1.0;  // coherence: 0 the Wiener post-filter, 1 the coherence factor
  int adaptive_bins = 2;
  double adaptive_root = 2.0;
  int adaptive_lags = 10;
  double adaptive_kernel_m = 0.0;  // along depth, from end to end
  int mv_elements = 32;            // channels that neighbouring elements are summed to
  double mv_subarray = 0.5;
  double mv_loading = 0.01;
  AdaptiveShow adaptive_show = AdaptiveShow::image;

  friend bool operator==(const FormationParams&, const FormationParams&) = default;
};

// Channels that the adaptive method compares and, for elements, when the transmits are summed: "coherence over
// elements, per transmit", "over elements, transmits summed", "coherence over transmits".
std::string method_channels(const FormationParams& params);

// Whether the image's values are the method's factor, 0 to 1 (slsc: -1 to 1), and not levels in dB.
bool shows_weight(const FormationParams& params);

// Transmits that are summed (core/transmits.h); no effect where scan lines are formed.
struct TransmitParams {
  int first = 1;  // counted from 1
  int last = 0;   // 0 = the last one
  int every = 1;
  Apodization window = Apodization::boxcar;  // weights across them; analytic recipe
  TransmitCone cone = TransmitCone::off;     // a pixel takes the beams in whose cone it lies; see uses_cones()
  double cone_f_number = 0.0;  // focal distance divided by the width of the transmit aperture; 0: no limit

  friend bool operator==(const TransmitParams&, const TransmitParams&) = default;
};

// The scale of the levels.
struct LevelParams {
  double reference_db = 0.0;  // level of |b| that is shown as 0 dB; see kAutoReference

  friend bool operator==(const LevelParams&, const LevelParams&) = default;
};

// Filters of the formed image, in this order; lengths and times are those of a Gaussian (one sigma) and of an
// exponential. 0 and off: not applied.
struct RefineParams {
  double persistence_s = 0.0;  // average of the amplitude over frames
  Median median = Median::off;
  double smooth_axial_m = 0.0;
  double smooth_lateral_m = 0.0;  // on a sector: across its lines
  double speckle_reduction = 0.0;
  double edge_enhancement = 0.0;

  // Whether a filter acts on the levels of the pixels: any but the average over frames.
  [[nodiscard]] bool filters() const {
    RefineParams none;
    none.persistence_s = persistence_s;
    return !(*this == none);
  }
  friend bool operator==(const RefineParams&, const RefineParams&) = default;
};

// Flow, from ensembles of successive frames; nothing is computed while `mode` is off.
struct ColorFlowParams {
  FlowMode mode = FlowMode::off;
  int frames = 64;  // of an ensemble
  int step = 8;     // frames from one ensemble to the next
  WallFilter wall_filter = WallFilter::svd;
  int wall_order = 1;         // polynomial: degree
  double wall_cutoff = 0.19;  // fir, svd chosen automatically: share of the Nyquist frequency (half the PRF)
  int svd_low = 0;            // first and last component that is kept, from 1; 0 = automatic
  int svd_high = 0;
  double angle_rad = 0.0;       // between the beam and the flow
  double prf_hz = 0.0;          // 0 = the recording's frame rate
  double threshold_db = -40.0;  // overlay: colour where the power is above this, on the scale of the levels
  double priority_db = 0.0;     // overlay: and the level itself below this
  double persistence_s = 0.0;   // in acquisition time; 0 = none

  friend bool operator==(const ColorFlowParams&, const ColorFlowParams&) = default;
};

// Spectral Doppler of a sample volume on the beam through a point; nothing is computed while `gate` is off.
struct DopplerParams {
  Gate gate = Gate::off;
  double x_m = 0.0;
  double z_m = 0.0;
  double length_m = 2e-3;  // along the beam
  int frames = 64;         // of a spectrum
  double cutoff_hz = 0.0;  // wall filter; 0 = none
  double range_db = 40.0;  // shown, from white down
  double gain_db = 0.0;    // white: this far below the brightest so far
  double baseline = 0.0;   // shift of zero velocity, as a share of the aliasing limit

  friend bool operator==(const DopplerParams&, const DopplerParams&) = default;
};

// Objects of the finished image in dB: background level, threshold, connected pixels. Nothing is computed while `kind`
// is off.
struct ObjectParams {
  ObjectKind kind = ObjectKind::off;
  double smooth_m = 0.2e-3;     // Gaussian before the threshold, one sigma; 0 = none
  double kappa = 2.5;           // of the clipping that finds the background
  double sigmas = 3.0;          // threshold: so many sigma above or below the background's mean
  double min_area_m2 = 0.2e-6;  // smaller objects are left out

  friend bool operator==(const ObjectParams&, const ObjectParams&) = default;
};

// reject_db at or below this: nothing is rejected.
inline constexpr double kNoReject_db = -120.0;

// Time gain compensation: gains at equal steps of depth from the first image row to the last (of a sector: of the
// radius), linear between them.
inline constexpr int kTgcSteps = 8;
using TgcGains = std::array<double, kTgcSteps>;  // dB
bool is_flat(const TgcGains& gains);
// The gain in dB at a depth from 0, the first row, to 1, the last.
double tgc_at(const TgcGains& gains, double depth);

// Display: acts in the shader, on a frozen image as well.
struct DisplayParams {
  TgcGains tgc_db{};
  double reject_db = kNoReject_db;
  double dynamic_range_db = 60.0;
  double gain_db = 0.0;
  double gamma = 1.0;
  ColorMap color_map = ColorMap::gray;

  friend bool operator==(const DisplayParams&, const DisplayParams&) = default;
};

struct ImagingParams {
  FormationParams formation;
  TransmitParams transmits;
  LevelParams level;
  RefineParams refine;
  ColorFlowParams color_flow;
  DopplerParams doppler;
  ObjectParams objects;
  DisplayParams display;

  friend bool operator==(const ImagingParams&, const ImagingParams&) = default;
};

// Whether both compute the same complex pixels from the same frame.
bool same_pixels(const ImagingParams& a, const ImagingParams& b);
// `params` with another display, or with the default display: images of equal results have the same levels.
ImagingParams with_display(ImagingParams params, const DisplayParams& display);
ImagingParams without_display(ImagingParams params);
// Likewise with no analysis beside the images.
ImagingParams without_analyses(ImagingParams params);

// reference_db at or below this: take the brightest pixel of the first frame and hold it.
inline constexpr double kAutoReference = -999.0;

// The parameters to start with for an acquisition: its sound speed, its band, what it sees.
ImagingParams default_params(const Acquisition& acquisition);

GridKind grid_kind(const ImagingParams& params, const Acquisition& acquisition);

// Whether each line of the image is made of the transmits focused along it (see core/grid.h).
bool forms_lines(const ImagingParams& params, const Acquisition& acquisition);

// The grid that the parameters ask for; nx, nz of 0 are chosen so that the image resolves the acquisition.
Grid make_grid(const ImagingParams& params, const Acquisition& acquisition);

// The grid that is beamformed: the image's, or with forms_lines() one column a scan line, or the columns of an image
// that came beamformed; from these the image is then interpolated.
Grid make_beam_grid(const ImagingParams& params, const Acquisition& acquisition, const Grid& picture);

}  // namespace echoloop
