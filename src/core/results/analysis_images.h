// A finished flow image: power and velocity (or the low-rank image) of one ensemble of frames, with what made it.
// On the beamformed grid, which line by line imaging does not share with the image. Plain memory on the host; values
// are overwritten, not reallocated, on their way through a Mailbox.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"

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

}  // namespace echoloop
