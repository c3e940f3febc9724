// Finished flow image: power and velocity (or the low-rank image) of one ensemble of frames, with its parameters. On
// the beamformed grid, which differs from the image's for line-by-line imaging. Plain memory on the host; values are
// overwritten, not reallocated, on their way through a Mailbox.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/results/image.h"

namespace echoloop {

// Milliseconds on the thread of the image.
struct FlowTimes {
  double decompose_ms = 0.0;  // Gram matrix and eigenvectors; 0 without
  double filter_ms = 0.0;     // matrix product, autocorrelation, image
  double total_ms = 0.0;      // including the wait for the previous image
};

struct FlowImage {
  FrameStamp stamp;           // of the ensemble's newest frame
  std::int64_t ready_ns = 0;  // age: now - stamp.acquired_ns
  std::uint64_t number = 0;   // counts flow images, from 1; 0 = none yet
  Grid grid;
  AcquisitionPtr acquisition;
  ImagingParams params;
  double reference_db = 0.0;  // level that is 0 dB
  int frames = 0;
  double prf_hz = 0.0;        // in use; 0 = unknown, then velocities are 0
  double center_hz = 0.0;     // of the received echoes, scales velocities
  double aliasing_m_s = 0.0;  // limit of velocities, +-

  // [nz][nx], x fastest. power_db: mean power after the wall filter on the scale of the B-mode image. velocity_m_s:
  // positive towards the probe. low_rank_db: newest frame from the kept components; empty in other modes.
  // mask_db: power averaged over 5 x 5 pixels, decides where flow is shown; empty for low_rank.
  std::vector<float> power_db;
  std::vector<float> velocity_m_s;
  std::vector<float> mask_db;
  std::vector<float> low_rank_db;

  // From the decomposition; empty without one.
  std::vector<float> singular_values;                 // [frames], descending
  std::vector<std::complex<float>> temporal_vectors;  // [component][frame]: course along the frames, unit norm
  struct {
    int first = 0, last = 0;  // kept, from 1, inclusive; 0: no decomposition
  } components;
  double relative_error = 0.0;  // of the kept components relative to the whole loop

  FlowTimes times;
};

// Counts since flow was turned on.
struct FlowCounts {
  std::uint64_t pictures = 0;
  std::uint64_t late = 0;  // ensembles that were due while all workers were busy
  // Interrupted ensembles: a frame was missing, the recording restarted, the pixels changed.
  std::uint64_t restarts = 0;
};

inline constexpr float kLeastMask_db = -120.0F;  // a pixel without an echo does not outweigh its neighbours

// Sets mask_db from power_db, by binomial weights; empty without power_db.
void find_flow_mask(FlowImage& flow);

inline constexpr float kFlowEdge_db = 6.0F;  // the overlay fades over this range, centred on threshold and priority

// Returns the opacity of flow at a pixel, 0 to 1. Both levels are averages over neighbours (find_flow_mask(),
// tissue_levels_db()), so that single pixels neither appear nor disappear.
[[nodiscard]] inline float flow_opacity(float mask_db, float tissue_db, const ImagingParams& params) {
  const auto rise = [](double above_db) {
    return std::clamp(0.5F + static_cast<float>(above_db) / kFlowEdge_db, 0.0F, 1.0F);
  };
  return rise(static_cast<double>(mask_db) - params.color_flow.threshold_db) *
         rise(params.color_flow.priority_db - static_cast<double>(tissue_db));
}

// Background level of an image, and the connected objects above or below it. Plain memory on the host; values are
// overwritten, not reallocated, on their way through a Mailbox.

// Background by kappa-sigma clipping: repeatedly the levels within kappa sigma of the median of those kept before,
// until no change. Pixels without an echo (at most kNoEcho_db) or without a value never count.
struct Background {
  double median_db = 0.0;
  double mean_db = 0.0;
  double sigma_db = 0.0;     // of the population
  std::uint64_t pixels = 0;  // kept; 0: no background, and the other fields are meaningless
  int rounds = 0;            // of clipping
  double lowest_db = 0.0;    // of the kept levels
  double highest_db = 0.0;
};

// Pixels that share edges (4 neighbours), all beyond the threshold.
struct FoundObject {
  double area_m2 = 0.0;
  PlanePoint centroid{};  // of the area
  double mean_db = 0.0;   // of its pixels in the unfiltered image
  std::uint32_t pixels = 0;
  int ix0 = 0, ix1 = 0, iz0 = 0, iz1 = 0;  // extent in pixels, inclusive
  friend bool operator==(const FoundObject&, const FoundObject&) = default;
};

// Milliseconds on the objects thread.
struct ObjectTimes {
  double background_ms = 0.0;  // smoothing, both backgrounds, histogram
  double objects_ms = 0.0;     // threshold, labels, table
  double total_ms = 0.0;
};

struct ObjectImage {
  FrameStamp stamp;
  std::int64_t ready_ns = 0;
  std::uint64_t number = 0;  // counts these images, from 1; 0 = none yet
  Grid grid;
  AcquisitionPtr acquisition;
  ImagingParams params;  // of the image; reference_db is the level in use

  Background background;  // of the unfiltered image
  Background smoothed;    // of the input of the threshold; equal without smoothing and removal of the trend
  double threshold_db = 0.0;
  LevelHistogram histogram;  // of the unfiltered image

  std::vector<std::int32_t> labels;  // [nz][nx]: 0, or index in `objects` + 1
  std::vector<FoundObject> objects;  // in the order of their first pixels, row by row
  std::uint64_t found = 0;           // including those too small to keep

  ObjectTimes times;
};

// Counts since objects were turned on.
struct ObjectCounts {
  std::uint64_t pictures = 0;
  std::uint64_t replaced = 0;  // waiting ones replaced by newer ones
};

// Spectral Doppler of one gate: power over velocity (rows) and time (columns), with two curves. Columns are equidistant
// in the recording's time; windows with a missing frame are gaps (NaN), never bridged. Plain memory on the host; values
// are overwritten, not reallocated, on their way through a Mailbox.

struct Spectrogram {
  static constexpr int kColumns = 2048;           // kept ones: 10 s or more
  static constexpr double kMostColumns_hz = 200;  // of the recording's time

  std::uint64_t number = 0;  // counts publications, from 1; 0 = none yet
  std::uint64_t begun = 0;   // changes when the columns restart: another gate, another scale, other pixels
  FrameStamp stamp;          // of the newest frame
  AcquisitionPtr acquisition;
  ImagingParams params;  // of the newest column
  PlanePoint centre{};   // of the gate on its pixels
  double length_m = 0.0;
  double reference_db = 0.0;  // 0 dB of the newest column

  int frames = 0;  // of a window
  int hop = 0;     // frames between columns
  int bands = 0;   // averaged spectra (dsp/gate_spectrum.h)
  int n_bins = 0;  // per column
  double prf_hz = 0.0;
  double aliasing_m_s = 0.0;  // a column spans plus and minus this

  std::uint64_t end = 0;            // columns since `begun`; column k is at k % kColumns, the last kColumns are kept
  std::vector<float> power_db;      // [kColumns][n_bins], from -aliasing_m_s up, positive towards the probe; gaps: NaN
  std::vector<float> envelope_m_s;  // [kColumns]: fastest flow on the stronger side; NaN: none
  std::vector<float> mean_m_s;      // [kColumns]: weighted with the power above the noise; NaN: none
  std::vector<double> time_s;       // [kColumns]: recording's time at the window's centre; gaps: NaN
  float brightest_db = -1e9F;       // of all columns since `begun`

  [[nodiscard]] double step_s() const { return hop / prf_hz; }  // between columns
  [[nodiscard]] std::uint64_t first() const { return end > kColumns ? end - kColumns : 0; }
  [[nodiscard]] static std::size_t slot(std::uint64_t column) { return static_cast<std::size_t>(column % kColumns); }
  [[nodiscard]] std::span<const float> column(std::uint64_t k) const {
    return std::span(power_db).subspan(slot(k) * static_cast<std::size_t>(n_bins), static_cast<std::size_t>(n_bins));
  }
  [[nodiscard]] double velocity_m_s(double bin) const { return aliasing_m_s * (2.0 * bin / n_bins - 1.0); }
};

// Counts of frames since the sample volume was set.
struct SpectrogramCounts {
  std::uint64_t columns = 0;  // with a spectrum
  std::uint64_t gaps = 0;     // times that frames were not consecutive
  std::uint64_t late = 0;     // frames that were not accepted
};

// Returns the power shown as white, in dB: the maximum so far minus the gain.
[[nodiscard]] inline double spectrogram_white_db(const Spectrogram& s, const ImagingParams& params) {
  return static_cast<double>(s.brightest_db) - params.doppler.gain_db;
}

}  // namespace echoloop
