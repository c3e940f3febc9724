// Analytic recipe, condition stage on the CPU: RF mean removed, FFT, band selection, inverse FFT, line by line.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"

namespace echoloop {

class BandConditioner {
 public:
  // Transforms and scratch for one thread each; remade only when a size changes.
  void set_plan(const std::shared_ptr<const BandPlan>& plan, int threads);

  // samples: [n_lines][n_samples], type as given (IQ: pairs) -> lines: [n_lines][n_out]
  void run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines, Complex* lines);

 private:
  struct Scratch;
  void condition_line(Scratch& scratch, const std::byte* samples, SampleType type, Complex* line) const;

  std::shared_ptr<const BandPlan> plan_;
  std::vector<std::shared_ptr<Scratch>> scratch_;  // one a thread
};

// Values of one line as float. [0, n) of `values`.
void widen(const std::byte* samples, SampleType type, int n, float* values);

}  // namespace echoloop
