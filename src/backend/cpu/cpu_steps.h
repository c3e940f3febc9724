// A recipe's stages on the CPU, as LaneSteps on a GPU: each computes at once, with all threads of the pool.
// Two implementations: the analytic recipe and the course's. Processing thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_kernels.h"
#include "backend/cpu/worker_pool.h"
#include "dsp/level.h"

namespace echoloop {

class CpuSteps {
 public:
  virtual ~CpuSteps() = default;
  virtual void set_plan(const Plan& plan) = 0;
  // Samples of the picked transmits, side by side.
  virtual void condition(std::span<const std::byte> samples) = 0;
  virtual void beamform() = 0;
  virtual void envelope(float* amplitudes) = 0;  // [nz][nx] of the image's grid
  // Level in dB that the recipe takes from the frame itself; empty: none.
  [[nodiscard]] virtual std::optional<float> own_level_db(std::span<const float> /*amplitudes*/) const { return {}; }
  [[nodiscard]] virtual PixelView pixels() const { return {}; }                 // see Lane::pixels
  [[nodiscard]] virtual WeighedPixels weighed_pixels() const { return {}; }     // that envelope() reads
  [[nodiscard]] virtual std::vector<float> read_back(Lane::Tap tap) const = 0;  // conditioned or beamformed
};

std::unique_ptr<CpuSteps> make_analytic_cpu_steps(WorkerPool& pool, const CpuKernels& kernels);
std::unique_ptr<CpuSteps> make_course_cpu_steps(WorkerPool& pool);

}  // namespace echoloop
