// Delay-and-sum of a frame with the kernels of das_window.h: lines to int16 on the frame's own scale, then tiles.
#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/isa_loops.h"
#include "backend/cpu/line_steps.h"
#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"

namespace echoloop {

class WindowDas {
 public:
  // False when the plan is not for these kernels (delays beyond 16.16 fixed point, lines without a pair of samples, a
  // transmit for each column, weights by cones): then das_row() must do it. Makes no table: quick.
  [[nodiscard]] bool set_plan(const std::shared_ptr<const DasPlan>& plan, int threads);

  // False when the frame has no scale (nothing but zeros, or values that are not finite). Deterministic: the scale is
  // the frame's own largest component.  lines: [n_tx][n_el][n_line]; peaks: [n_tx][n_el]
  [[nodiscard]] bool quantise(WorkerPool& pool, const LineSteps& steps, const Complex* lines, const float* peaks);

  void run(WorkerPool& pool, WindowTile tile, Complex* image);  // [nz][nx]

 private:
  struct Memory {  // of one thread
    std::vector<float> sums;
    std::vector<std::int32_t> delay, start;
  };

  std::shared_ptr<const DasPlan> plan_;
  bool usable_ = false;
  WindowInput frame_{};
  std::vector<float> x_m_, down_m_, element_x_m_, element_z_m_;
  std::vector<std::uint32_t> pairs_;
  std::vector<Memory> memory_;
};

}  // namespace echoloop
