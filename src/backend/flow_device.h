// Interface of a computing device for flow: holds a ring of beamformed frames and filters ensembles of them. The
// FlowEngine (flow_engine.h) decides when, and with which components; tests drive it directly.
//
// Two threads: store() is called by the processing thread and never waits; all else by the flow thread. Slots in work
// are not stored into. A clone has a flow thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/plan.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/units.h"
#include "dsp/flow.h"
#include "dsp/gate_spectrum.h"
#include "dsp/wall_filter.h"

namespace echoloop {

// Parameters of the step from filtered samples to the image (dsp/flow.h).
struct FlowFinish {
  double reference_db = 0.0;
  double scale_m_s = 0.0;
  double keep = 0.0;  // weight of the previous image; 0: none
  bool low_rank = false;
};

class FlowDevice : public AnalysisDevice {
 public:
  // Begins the flow thread: lowers its priority, allocates its resources.
  virtual void begin_thread() = 0;

  // Returns a device over the same frames for a second simultaneous ensemble. All is its own except the previous image,
  // which apply() mixes in: only one of them may be in apply(). reserve() and store() are called on one of them. null:
  // a second one gains nothing. [processing thread]
  [[nodiscard]] virtual std::unique_ptr<FlowDevice> clone() { return nullptr; }

  // Allocates n_slots frames; earlier contents are lost. No thread may be at work.
  virtual void reserve(int n_slots, std::size_t n_pixels) = 0;

  virtual void store(int slot, const PixelView& pixels) = 0;  // processing thread

  // Decomposes the Casorati matrix of these slots, oldest first. The first `n_known` are the last ones of the previous
  // call, with unchanged frames: only the products of the others are computed (0: all).
  virtual Decomposition decompose(std::span<const int> slots, int n_known) = 0;

  // Sets the filter of apply(): components of the last decomposition, or a matrix [n][n] (wall_filter.h).
  virtual void keep_components(const Decomposition& decomposition, ComponentRange range) = 0;
  virtual void set_matrix(std::span<const float> matrix, int n) = 0;

  // Writes power_db, velocity_m_s and, if requested, low_rank_db of `image`, [n_pixels] each.
  virtual void apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) = 0;

  // Returns the filtered ensemble [frame][pixel], for tests.
  virtual std::vector<Complex> filtered(std::span<const int> slots) = 0;
};

// Ensembles and wall filter of colour flow, from plan and parameters. Any thread.

inline constexpr int kMostInFlight = 2;  // ensembles in flight,
inline constexpr int kShortFrames = 64;  // if they have at most this many frames

// Scales and sizes derived from parameters and acquisition.
struct FlowPlan {
  int frames = 0;
  int step = 0;
  int in_flight = 0;  // ensembles, at most
  int slots = 0;      // of the ring: an ensemble and the frames stored while it is in work
  double prf_hz = 0.0;
  double scale_m_s = 0.0;  // see flow_scale_m_s()
};
FlowPlan make_flow_plan(const Plan& plan);

// Returns true if both plans make the same complex pixels of a frame.
[[nodiscard]] bool same_pixels(const Plan& a, const Plan& b);

// Returns the components to keep; chosen automatically where `params` leave the choice open.
ComponentRange choose_components(const Decomposition& d, const ImagingParams& params, std::size_t n_pixels);

// Returns the wall filter as a matrix [n][n]; not for svd.
std::vector<float> wall_matrix(const ImagingParams& params, int n);

// Interface of a computing device for a Doppler gate: the few sums of dsp/gate_spectrum.h of each beamformed frame.
// Processing thread only; only wait() waits.

class GateDevice : public AnalysisDevice {
 public:
  // Accepts the frame's sums; returns false, and drops them, if too many are pending.
  virtual bool take(const GateGeometry& gate, const PixelView& pixels) = 0;

  // Returns the sums of the oldest pending frame, [bands]; empty: none ready. Valid until the next take().
  virtual std::span<const Complex> next() = 0;

  virtual void wait() = 0;  // waits until all accepted sums are ready
};

// Velocity scale from an image's own echoes (see received_frequency_share()).

// Returns true if the distance of rows of `image` is known: n_pixels fit its grid, and it has an acquisition.
[[nodiscard]] inline bool has_rows(const FlowImage& image, std::size_t n_pixels) {
  return image.acquisition != nullptr && image.grid.pixels() == n_pixels && image.grid.nz > 1;
}

// Sets received frequency and aliasing limit; returns m/s per radian, from the nominal scale.
[[nodiscard]] inline double scale_by_received(FlowImage& image, const AxialLag& lag, double nominal_scale_m_s) {
  const Grid& grid = image.grid;
  const double step_m = grid.polar() ? (grid.sector.r1_m - grid.sector.r0_m) / (grid.nz - 1) : grid.dz_m();
  const double center_hz = image.acquisition->center_hz;
  const double share =
      received_frequency_share(lag, 4.0 * kPi * center_hz * step_m / image.params.formation.sound_speed_m_s);
  image.center_hz = share * center_hz;
  image.aliasing_m_s = kPi * nominal_scale_m_s / share;
  return nominal_scale_m_s / share;
}

}  // namespace echoloop
