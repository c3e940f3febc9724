// All parameters that a user can change, as plain values, in one struct per part of the program that reads them. One
// row per parameter in param_rows.cpp has its key, labels, unit, range, control and help.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/acquisition.h"
#include "core/adaptive.h"
#include "core/apodization.h"
#include "core/grid.h"

namespace echoloop {

struct OwnMethod;  // core/own_method.h

enum class Recipe { analytic, course };
enum class Directivity { off, on };                     // weight of an echo by the element's own directivity
enum class Precision { fp32, fp16 };                    // of channel data between condition and beamform, on a GPU
enum class GridChoice { automatic, cartesian, polar };  // automatic: polar if the acquisition looks into a sector
enum class Compounding { automatic, coherent, lines };  // automatic: lines if focused transmits fan out
enum class TransmitCone { off, boxcar, hann, tukey };   // window across the beam of a focused transmit
enum class Median { off, three, five };                 // pixels per side
enum class FlowMode { off, power, velocity, low_rank };
enum class WallFilter { none, fir, polynomial, svd };
enum class Gate { off, on };
enum class ObjectKind { off, bright, dark };  // targets above the background, or cysts below it
enum class LevelTrend { keep, remove };       // of the levels along depth and across the image
enum class ColorMap { gray, hot, viridis, inverted };

// Image formation: pixels, and how they are computed. A change applies from the next frame.
struct FormationParams {
  Recipe recipe = Recipe::analytic;
  double sound_speed_m_s = 1540.0;
  double f_number = 1.5;  // 0 = full aperture
  Apodization apodization = Apodization::boxcar;
  Directivity directivity = Directivity::off;
  Precision precision = Precision::fp16;  // if the device has it; the faster one
  double band_low_hz = 0.0;               // band-pass edges: flat over the inner 80 % of the half width,
  double band_high_hz = 0.0;              // raised cosine to zero at the two edges
  double depth_min_m = 0.0;
  double depth_max_m = 0.0;
  double lateral_min_m = 0.0;
  double lateral_max_m = 0.0;
  int grid_nx = 0;  // 0 = chosen from the acquisition; on a polar grid: lines
  int grid_nz = 0;  // and radii
  GridChoice grid_kind = GridChoice::automatic;
  double sector_min_rad = 0.0;  // polar: first and last line; depths then apply to the line straight down
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
  int mv_elements = 32;            // channels, as sums of adjacent elements
  double mv_subarray = 0.5;
  double mv_loading = 0.01;
  AdaptiveShow adaptive_show = AdaptiveShow::image;
  std::shared_ptr<const OwnMethod> own;                 // of Adaptive::own; null: none is loaded
  std::array<double, kMostOwnParameters> own_values{};  // of its parameters, in order

  friend bool operator==(const FormationParams&, const FormationParams&) = default;
};

// Returns the channels that the adaptive method compares and, for elements, when the transmits are summed: "coherence
// over elements, per transmit", "over elements, transmits summed", "coherence over transmits".
std::string method_channels(const FormationParams& params);

// Of the built-in method, or what the own one declares: it reads rows above and below a pixel; sums over the channels
// of a row, for a coherence (slsc); the channels (minimum_variance).
bool reads_rows(const FormationParams& params);
bool is_coherence(const FormationParams& params);
bool reads_row_channels(const FormationParams& params);
// Returns true if the channels that the method compares can be chosen (adaptive_axis).
bool has_axes(const FormationParams& params);

// Returns true if the method has a factor to show: of an own method, unless it makes pixels of its own.
bool has_factor(const FormationParams& params);

// Returns true if the image's values are the method's factor, 0 to 1 (slsc: -1 to 1), not levels in dB.
bool shows_weight(const FormationParams& params);

// Summed transmits (picked_transmits()); no effect with scan lines.
struct TransmitParams {
  int first = 1;  // counted from 1
  int last = 0;   // 0 = the last one
  int every = 1;
  Apodization window = Apodization::boxcar;  // weights across them; analytic recipe
  TransmitCone cone = TransmitCone::off;     // a pixel uses the beams whose cones contain it; see uses_cones()
  double cone_f_number = 0.0;  // focal distance divided by the width of the transmit aperture; 0: no limit

  friend bool operator==(const TransmitParams&, const TransmitParams&) = default;
};

// Scale of the levels.
struct LevelParams {
  double reference_db = 0.0;  // level of |b| shown as 0 dB; see kAutoReference

  friend bool operator==(const LevelParams&, const LevelParams&) = default;
};

// Filters of the formed image, in order of application; lengths are those of a Gaussian (one sigma), times of an
// exponential. 0 and off: not applied.
struct RefineParams {
  double persistence_s = 0.0;  // average of the amplitude over frames
  Median median = Median::off;
  double smooth_axial_m = 0.0;
  double smooth_lateral_m = 0.0;  // on a sector: across its lines
  double speckle_reduction = 0.0;
  double edge_enhancement = 0.0;

  // Returns true if any filter other than the average over frames is on.
  [[nodiscard]] bool filters() const {
    RefineParams none;
    none.persistence_s = persistence_s;
    return !(*this == none);
  }
  friend bool operator==(const RefineParams&, const RefineParams&) = default;
};

// Flow from ensembles of successive frames; nothing is computed while `mode` is off.
struct ColorFlowParams {
  FlowMode mode = FlowMode::off;
  int frames = 64;  // of an ensemble
  int step = 8;     // frames between ensembles
  WallFilter wall_filter = WallFilter::svd;
  int wall_order = 1;         // polynomial: degree
  double wall_cutoff = 0.19;  // fir, svd chosen automatically: share of the Nyquist frequency (half the PRF)
  int svd_low = 0;            // first and last kept component, from 1; 0 = automatic
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
  double range_db = 40.0;  // displayed, from white down
  double gain_db = 0.0;    // white: this far below the maximum so far
  double baseline = 0.0;   // shift of zero velocity, as a share of the aliasing limit

  friend bool operator==(const DopplerParams&, const DopplerParams&) = default;
};

// Objects of the finished image in dB: background level, threshold, connected pixels. Nothing is computed while `kind`
// is off.
struct ObjectParams {
  ObjectKind kind = ObjectKind::off;
  LevelTrend trend = LevelTrend::remove;
  double smooth_m = 0.2e-3;     // Gaussian before the threshold, one sigma; 0 = none
  double kappa = 2.5;           // of the clipping for the background
  double sigmas = 4.0;          // threshold: sigmas above or below the background's mean
  double min_area_m2 = 0.2e-6;  // smaller objects are removed

  // Returns true if the threshold is applied to other levels than the image's.
  [[nodiscard]] bool prepares() const { return trend == LevelTrend::remove || smooth_m > 0.0; }
  friend bool operator==(const ObjectParams&, const ObjectParams&) = default;
};

// Value of reject_db, or less, that rejects nothing.
inline constexpr double kNoReject_db = -120.0;

// Number of gains of the time gain compensation: equidistant in depth from the first image row to the last (of a
// sector: in radius), linear between them.
inline constexpr int kTgcSteps = 8;
using TgcGains = std::array<double, kTgcSteps>;  // dB
bool is_flat(const TgcGains& gains);
// Returns the gain in dB at a depth from 0, the first row, to 1, the last.
double tgc_at(const TgcGains& gains, double depth);

// Display: applied in the shader, also to a frozen image.
enum class Mirrored { off, on };  // left and right of the displayed image exchanged

struct DisplayParams {
  TgcGains tgc_db{};
  double reject_db = kNoReject_db;
  double dynamic_range_db = 60.0;
  double gain_db = 0.0;
  double gamma = 1.0;
  ColorMap color_map = ColorMap::gray;
  Mirrored mirrored = Mirrored::off;
  double mask_opacity = 0.4;  // of a mask by a method; 0: it is not drawn

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

// Returns true if both compute the same complex pixels from the same frame.
bool same_pixels(const ImagingParams& a, const ImagingParams& b);
// Return `params` with another or the default display: images with equal results have the same levels.
ImagingParams with_display(ImagingParams params, const DisplayParams& display);
ImagingParams without_display(ImagingParams params);
ImagingParams without_analyses(ImagingParams params);

// Returns true if colour flow or spectral Doppler is on: both need consecutive frames.
[[nodiscard]] inline bool needs_ensembles(const ImagingParams& params) {
  return params.color_flow.mode != FlowMode::off || params.doppler.gate != Gate::off;
}

// Value of reference_db, or less, that selects the brightest pixel of the first frame and holds it.
inline constexpr double kAutoReference = -999.0;

// Returns the initial parameters for an acquisition: its sound speed, band and field of view.
ImagingParams default_params(const Acquisition& acquisition);

GridKind grid_kind(const ImagingParams& params, const Acquisition& acquisition);

// Returns true if each line of the image is made of the transmits focused along it (see core/grid.h).
bool forms_lines(const ImagingParams& params, const Acquisition& acquisition);

// Returns the grid of the parameters; nx, nz of 0 are chosen so that the image resolves the acquisition.
Grid make_grid(const ImagingParams& params, const Acquisition& acquisition);

// Returns the beamformed grid: the image's, or with forms_lines() one column per scan line, or the columns of a
// beamformed recording; the image is then interpolated from these.
Grid make_beam_grid(const ImagingParams& params, const Acquisition& acquisition, const Grid& picture);

// Selection of a frame's transmits by the parameters transmit_first, transmit_last and transmit_every. Pure functions;
// any thread.

// Transmits first, first + every, ... (from 0), `count` of them.
struct TransmitPick {
  int first = 0;
  int every = 1;
  int count = 0;
  friend bool operator==(const TransmitPick&, const TransmitPick&) = default;
};

// Returns all transmits if lines are formed, as each line needs its own. The parameters must have passed
// validate_params().
TransmitPick picked_transmits(const ImagingParams& params, const Acquisition& acquisition);

// Returns true if transmits are weighted at every pixel by its place in their cones (dsp/das.h).
bool uses_cones(const ImagingParams& params, const Acquisition& acquisition);

// Returns the acquisition reduced to these transmits; the same object if they are all.
AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick);

// Returns the axes of those beams; empty: not all transmits are focused.
std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick);

// Returns the effect of a selection on the level of an echo common to all transmits, dB, at most 0: 20 log10(picked /
// all), or 0 with cones, whose weights add up to 1 at every pixel.
double transmit_level_db(const ImagingParams& params, const Acquisition& acquisition);

}  // namespace echoloop
