// What a computing device does for flow: it holds a ring of beamformed frames and filters ensembles of them. The
// FlowEngine (flow.h) decides when, and with which components; tests drive it directly.
//
// Two threads: store() is the processing thread's and never waits. Everything else is the flow thread's; while it works
// on slots, none of them is stored into. A twin has a flow thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "backend/backend.h"
#include "core/results/analysis_images.h"
#include "dsp/low_rank.h"

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

}  // namespace echoloop
