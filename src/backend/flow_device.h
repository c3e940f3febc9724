// What a computing device does for flow: it holds a ring of beamformed frames and filters ensembles of them. The
// FlowEngine (flow.h) decides when, and with which components; tests drive it directly.
//
// Two threads: store() is the processing thread's and never waits. Everything else is the flow thread's; while it works
// on slots, none of them is stored into. A twin has a flow thread of its own.
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

// From filtered samples to the image (dsp/flow.h).
struct FlowFinish {
  double reference_db = 0.0;
  double scale_m_s = 0.0;
  double keep = 0.0;  // of the image before; 0: none of it
  bool low_rank = false;
};

class FlowDevice {
 public:
  virtual ~FlowDevice() = default;

  // What the flow thread does first: lowers its priority, makes what belongs to it.
  virtual void begin_thread() = 0;

  // A device over the same frames for one more ensemble at the same time: all that it works with is its own, but the
  // image before, which apply() mixes in: only one of them is in apply(). reserve() and store() are asked of one of
  // them. null: nothing is gained by two. [processing thread]
  [[nodiscard]] virtual std::unique_ptr<FlowDevice> clone() { return nullptr; }

  // Room for so many frames; what was held is lost. No thread is at work.
  virtual void reserve(int n_slots, std::size_t n_pixels) = 0;

  virtual void store(int slot, const PixelView& pixels) = 0;  // processing thread

  // Of the Casorati matrix of these slots, oldest first. The first `n_known` are the last
  // ones of the call before, with the same frames in them: only what the others bring is computed (0: all).
  virtual Decomposition decompose(std::span<const int> slots, int n_known) = 0;

  // The filter that apply() uses from now on: components of the last decomposition, or a matrix [n][n] (wall_filter.h).
  virtual void keep_components(const Decomposition& decomposition, ComponentRange range) = 0;
  virtual void set_matrix(std::span<const float> matrix, int n) = 0;

  // power_db, velocity_m_s and, if wanted, low_rank_db of `image`, [n_pixels] each.
  virtual void apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) = 0;

  // For tests: the filtered ensemble [frame][pixel].
  virtual std::vector<Complex> filtered(std::span<const int> slots) = 0;
};

// What an ensemble of colour flow is, and its wall filter, from plan and parameters. Any thread.

inline constexpr int kMostInFlight = 2;  // ensembles,
inline constexpr int kShortFrames = 64;  // where they have no more frames than these

// Scales and sizes that parameters and acquisition give.
struct FlowPlan {
  int frames = 0;
  int step = 0;
  int in_flight = 0;  // ensembles, at most
  int slots = 0;      // of the ring: frames, and what comes while an ensemble is in work
  double prf_hz = 0.0;
  double scale_m_s = 0.0;  // see flow_scale_m_s()
};
FlowPlan make_flow_plan(const Plan& plan);

// Whether two plans make the same complex pixels of a frame.
[[nodiscard]] bool same_pixels(const Plan& a, const Plan& b);

// The components that an ensemble is filtered with, where `params` leave the choice open.
ComponentRange choose_components(const Decomposition& d, const ImagingParams& params, std::size_t n_pixels);

// Wall filter as a matrix [n][n]; not for svd.
std::vector<float> wall_matrix(const ImagingParams& params, int n);

// What a computing device does for a Doppler gate: of each beamformed frame, the few sums of dsp/gate_spectrum.h.
// Processing thread only; nothing waits but wait().

class GateDevice {
 public:
  virtual ~GateDevice() = default;

  // Takes the frame's sums; false: too many are on their way already, and this frame's are not taken.
  virtual bool take(const GateGeometry& gate, const PixelView& pixels) = 0;

  // The sums of the oldest frame taken and not yet returned, [bands]; empty: there is none, or not yet. Valid until the
  // next take().
  virtual std::span<const Complex> next() = 0;

  virtual void wait() = 0;  // until all that were taken are there
};

// The scale of velocities that an image's own echoes give (see received_frequency_share()).

// Whether `image` says what a lag between rows means: its grid is that of n_pixels, and its acquisition known.
[[nodiscard]] inline bool has_rows(const FlowImage& image, std::size_t n_pixels) {
  return image.acquisition != nullptr && image.grid.pixels() == n_pixels && image.grid.nz > 1;
}

// Sets the received frequency and the aliasing limit; returns metres a second for a radian, from the nominal one.
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
