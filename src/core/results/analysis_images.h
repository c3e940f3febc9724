// A finished flow image: power and velocity (or the low-rank image) of one ensemble of frames, with what made it.
// On the beamformed grid, which line by line imaging does not share with the image. Plain memory on the host; values
// are overwritten, not reallocated, on their way through a Mailbox.
#pragma once

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

// Milliseconds on the thread that made the image.
struct FlowTimes {
  double decompose_ms = 0.0;  // Gram matrix and eigenvectors; 0 without
  double filter_ms = 0.0;     // matrix product, autocorrelation, image
  double total_ms = 0.0;      // with what it waited for the image before
};

struct FlowImage {
  FrameStamp stamp;           // of the ensemble's newest frame
  std::int64_t ready_ns = 0;  // how old it is: now less stamp.acquired_ns
  std::uint64_t number = 0;   // counts flow images, from 1; 0 = none yet
  Grid grid;
  AcquisitionPtr acquisition;
  ImagingParams params;
  double reference_db = 0.0;  // level that is 0 dB
  int frames = 0;
  double prf_hz = 0.0;        // in use; 0 = unknown, then velocities are 0
  double center_hz = 0.0;     // of the echoes as they were received, which scales velocities
  double aliasing_m_s = 0.0;  // velocities lie within plus and minus this

  // [nz][nx], x fastest. power_db: mean power behind the wall filter on the scale of the B-mode image. velocity_m_s:
  // positive towards the probe. low_rank_db: the newest frame from the kept components; empty unless that is the mode.
  std::vector<float> power_db;
  std::vector<float> velocity_m_s;
  std::vector<float> low_rank_db;

  // Of the decomposition; empty without one.
  std::vector<float> singular_values;                 // [frames], falling
  std::vector<std::complex<float>> temporal_vectors;  // [component][frame]: how each goes along the frames, unit norm
  int first_component = 0;                            // kept, from 1, both included; 0: no decomposition
  int last_component = 0;
  double relative_error = 0.0;  // of the loop made of the kept components, against the whole

  FlowTimes times;
};

// Counts since flow was turned on.
struct FlowCounts {
  std::uint64_t pictures = 0;
  std::uint64_t late = 0;  // ensembles that were due while as many were in work as can be
  // Ensembles broken off: a frame was missing, the recording began again, the pixels changed.
  std::uint64_t restarts = 0;
};

// Whether the overlay shows flow at a pixel.
[[nodiscard]] inline bool shows_flow(float flow_power_db, float picture_db, const ImagingParams& params) {
  return static_cast<double>(flow_power_db) >= params.color_flow.threshold_db &&
         static_cast<double>(picture_db) <= params.color_flow.priority_db;
}

// What stands out of an image: its background level, and the connected objects above or below it. Plain memory on the
// host; values are overwritten, not reallocated, on their way through a Mailbox.

// The background by kappa-sigma clipping: the levels within kappa sigma of the median of those kept before, until no
// more go. Pixels without an echo (at most kNoEcho_db) or without a value never count.
struct Background {
  double median_db = 0.0;
  double mean_db = 0.0;
  double sigma_db = 0.0;     // of the population
  std::uint64_t pixels = 0;  // that were kept; 0: there is no background, and nothing else here says anything
  int rounds = 0;            // of clipping
  double lowest_db = 0.0;    // of the kept levels
  double highest_db = 0.0;
};

// Pixels that touch along an edge (4 neighbours), all beyond the threshold.
struct FoundObject {
  double area_m2 = 0.0;
  PlanePoint centroid{};  // of the area
  double mean_db = 0.0;   // of its pixels' levels in the image as it is, not smoothed
  std::uint32_t pixels = 0;
  int ix0 = 0, ix1 = 0, iz0 = 0, iz1 = 0;  // the pixels that it spans, both included
  friend bool operator==(const FoundObject&, const FoundObject&) = default;
};

// Milliseconds on the thread that looks for objects.
struct ObjectTimes {
  double background_ms = 0.0;  // smoothing, both backgrounds, histogram
  double objects_ms = 0.0;     // threshold, labels, table
  double total_ms = 0.0;
};

struct ObjectImage {
  FrameStamp stamp;
  std::int64_t ready_ns = 0;
  std::uint64_t number = 0;  // counts these, from 1; 0 = none yet
  Grid grid;
  AcquisitionPtr acquisition;
  ImagingParams params;  // that made the image; reference_db holds the level in use

  Background background;  // of the image as it is
  Background smoothed;    // of what the threshold is applied to; equal without smoothing
  double threshold_db = 0.0;
  LevelHistogram histogram;  // of the image as it is

  std::vector<std::int32_t> labels;  // [nz][nx]: 0, or the object's place in `objects`, counted from 1
  std::vector<FoundObject> objects;  // in the order of their first pixels, row by row
  std::uint64_t found = 0;           // with those that are too small to be kept

  ObjectTimes times;
};

// Counts since objects were turned on.
struct ObjectCounts {
  std::uint64_t pictures = 0;
  std::uint64_t replaced = 0;  // waited until a newer one came
};

// Spectral Doppler of one gate: power over velocity (rows) and time (columns), with two curves. Columns are equal steps
// of the recording's time; what lies within a window of a missing frame is a gap (not a number), never bridged. Plain
// memory on the host; values are overwritten, not reallocated, on their way through a Mailbox.

struct Spectrogram {
  static constexpr int kColumns = 2048;           // that are kept: 10 s or more
  static constexpr double kMostColumns_hz = 200;  // of the recording's time

  std::uint64_t number = 0;  // counts publications, from 1; 0 = none yet
  std::uint64_t begun = 0;   // changes where the columns begin anew: another gate, another scale, other pixels
  FrameStamp stamp;          // of the newest frame
  AcquisitionPtr acquisition;
  ImagingParams params;  // that made the newest column
  PlanePoint centre{};   // of the gate as it lies on the pixels
  double length_m = 0.0;
  double reference_db = 0.0;  // level that is 0 dB, of the newest column

  int frames = 0;  // of a window
  int hop = 0;     // frames from column to column
  int bands = 0;   // whose spectra are averaged (dsp/gate_spectrum.h)
  int n_bins = 0;  // a column
  double prf_hz = 0.0;
  double aliasing_m_s = 0.0;  // a column spans plus and minus this

  std::uint64_t end = 0;            // columns since `begun`; column k lies at k % kColumns, the last kColumns are kept
  std::vector<float> power_db;      // [kColumns][n_bins], from -aliasing_m_s up, towards the probe positive; gaps: NaN
  std::vector<float> envelope_m_s;  // [kColumns]: the fastest flow on the side where it is stronger; NaN: none
  std::vector<float> mean_m_s;      // [kColumns]: weighted with the power above the noise; NaN: none
  std::vector<double> time_s;       // [kColumns]: the recording's time at the window's middle; gaps: NaN
  float brightest_db = -1e9F;       // of all columns since `begun`

  [[nodiscard]] double step_s() const { return hop / prf_hz; }  // from column to column
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
  std::uint64_t gaps = 0;     // times that frames did not follow each other
  std::uint64_t late = 0;     // frames that could not be taken
};

// White where the power is this, in dB: the brightest so far less the gain.
[[nodiscard]] inline double spectrogram_white_db(const Spectrogram& s, const ImagingParams& params) {
  return static_cast<double>(s.brightest_db) - params.doppler.gain_db;
}

}  // namespace echoloop
