// Every parameter that a user can change, as plain values: what forms the image and what displays it.
// One row a parameter in param_table.cpp gives it key, label, unit, range and group.
#pragma once

#include <array>

#include "core/acquisition.h"
#include "core/grid.h"

namespace echoloop {

enum class Recipe { analytic, course };
enum class Apodization { boxcar, hann, hamming, tukey, gauss };
enum class Directivity { off, on };                     // weight of an echo by the element's own directivity
enum class Precision { fp32, fp16 };                    // of channel data between condition and beamform, on a GPU
enum class GridChoice { automatic, cartesian, polar };  // automatic: polar where the acquisition looks into a sector
enum class Compounding { automatic, coherent, lines };  // automatic: lines where focused transmits fan out
enum class Median { off, three, five };                 // pixels a side
enum class FlowMode { off, power, velocity, low_rank };
enum class WallFilter { none, fir, polynomial, svd };
enum class Gate { off, on };
enum class Structure { off, bright, dark };  // what is looked for: targets above the background, or cysts below it
enum class ColorMap { gray, hot, viridis, inverted };

struct ImagingParams {
  // Image formation: a change is in the picture at the next frame.
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
  int transmit_first = 1;  // transmits that are summed, counted from 1 (core/transmits.h); not where lines are formed
  int transmit_last = 0;   // 0 = the last one
  int transmit_every = 1;
  Apodization transmit_window = Apodization::boxcar;  // weights across them; analytic recipe
  double reference_db = 0.0;                          // level of |b| that is shown as 0 dB; see kAutoReference

  // Refine: what is done to the formed picture, in this order; lengths and times are those of a Gaussian (one sigma)
  // and of an exponential. 0 and off: not done.
  double persistence_s = 0.0;  // average of the amplitude over frames
  Median median = Median::off;
  double smooth_axial_m = 0.0;
  double smooth_lateral_m = 0.0;  // on a sector: across its lines
  double speckle_reduction = 0.0;

  // Flow, from ensembles of successive frames; nothing is computed while `flow` is off.
  FlowMode flow = FlowMode::off;
  int flow_frames = 64;  // of an ensemble
  int flow_step = 8;     // frames from one ensemble to the next
  WallFilter wall_filter = WallFilter::svd;
  int wall_order = 1;         // polynomial: degree
  double wall_cutoff = 0.19;  // fir, svd chosen automatically: share of the Nyquist frequency (half the PRF)
  int svd_low = 0;            // first and last component that is kept, from 1; 0 = automatic
  int svd_high = 0;
  double flow_angle_rad = 0.0;       // between the beam and the flow
  double flow_prf_hz = 0.0;          // 0 = the recording's frame rate
  double flow_threshold_db = -40.0;  // overlay: colour where the power is above this, on the picture's scale
  double flow_priority_db = 0.0;     // overlay: and the picture itself below this
  double flow_persistence_s = 0.0;   // in the recording's time; 0 = none

  // Spectral Doppler of a gate on the beam through a place; nothing is computed while `gate` is off.
  Gate gate = Gate::off;
  double gate_x_m = 0.0;
  double gate_z_m = 0.0;
  double gate_length_m = 2e-3;      // along the beam
  int sonogram_frames = 64;         // of a spectrum
  double sonogram_cutoff_hz = 0.0;  // wall filter; 0 = none
  double sonogram_range_db = 40.0;  // shown, from white down
  double sonogram_gain_db = 0.0;    // white: this far below the brightest so far
  double sonogram_baseline = 0.0;   // shift of zero velocity, as a share of the aliasing limit

  // Structure, of the finished picture in dB: background level, threshold, connected objects. Nothing is computed while
  // `structure` is off.
  Structure structure = Structure::off;
  double structure_smooth_m = 0.2e-3;  // Gaussian before the threshold, one sigma; 0 = none
  double structure_kappa = 2.5;        // of the clipping that finds the background
  double structure_sigmas = 3.0;       // threshold: so many sigma above or below the background's mean
  double structure_area_m2 = 0.2e-6;   // smaller objects are left out

  // Display: acts in the shader, on a frozen image too.
  double tgc_1_db = 0.0, tgc_2_db = 0.0, tgc_3_db = 0.0, tgc_4_db = 0.0;  // see tgc_db()
  double tgc_5_db = 0.0, tgc_6_db = 0.0, tgc_7_db = 0.0, tgc_8_db = 0.0;
  double reject_db = -120.0;  // see kNoReject
  double dynamic_range_db = 60.0;
  double gain_db = 0.0;
  double gamma = 1.0;
  ColorMap color_map = ColorMap::gray;

  friend bool operator==(const ImagingParams&, const ImagingParams&) = default;
};

// reject_db at or below this: nothing is rejected.
inline constexpr double kNoReject_db = -120.0;

// Time gain compensation: gains at equal steps of depth from the picture's first row to its last (of a sector: of the
// radius), linear between them.
inline constexpr int kTgcSteps = 8;
std::array<double, kTgcSteps> tgc_db(const ImagingParams& params);
bool is_flat(const std::array<double, kTgcSteps>& gains);
// The gain at a place from 0, the first row, to 1, the last.
double tgc_at(const std::array<double, kTgcSteps>& gains, double place);

// reference_db at or below this: take the brightest pixel of the first frame and hold it.
inline constexpr double kAutoReference = -999.0;

// The parameters to start with for an acquisition: its sound speed, its band, what it sees.
ImagingParams default_params(const Acquisition& acquisition);

GridKind grid_kind(const ImagingParams& params, const Acquisition& acquisition);

// Whether each line of the picture is made of the transmits focused along it (see core/scan_lines.h).
bool forms_lines(const ImagingParams& params, const Acquisition& acquisition);

// The grid that the parameters ask for; nx, nz of 0 are chosen so that the picture resolves the acquisition.
Grid make_grid(const ImagingParams& params, const Acquisition& acquisition);

// The grid that is beamformed: the picture's, or with forms_lines() one column a scan line, or the columns of a picture
// that came beamformed; from these the picture is then interpolated.
Grid make_beam_grid(const ImagingParams& params, const Acquisition& acquisition, const Grid& picture);

}  // namespace echoloop
