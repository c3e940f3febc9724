// The course recipe's stages on the CPU: plain loops over the functions of dsp/course.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"

namespace echoloop {

class CourseSteps {
 public:
  void set_plan(const std::shared_ptr<const CoursePlan>& plan, int threads);

  // samples: [n_tx * n_el][n_samples] -> filtered: the same shape, float
  void filter(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, float* filtered);
  // filtered -> rf_image [nz][nx], real
  void beamform(WorkerPool& pool, const float* filtered, float* rf_image) const;
  // rf_image -> envelope [nz][nx]: magnitude of the analytic signal along z
  void envelope(WorkerPool& pool, const float* rf_image, float* envelope);

 private:
  struct Scratch;
  std::shared_ptr<const CoursePlan> plan_;
  std::vector<Complex> analytic_;                  // [transform size] real column's spectrum -> analytic signal's
  std::vector<std::shared_ptr<Scratch>> scratch_;  // one a thread
};

}  // namespace echoloop
