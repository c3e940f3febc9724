// The refine stage on the CPU: the loops around dsp/refine.h, and their buffers. One a lane.
#pragma once

#include <memory>

#include "backend/cpu/worker_pool.h"
#include "backend/plain_array.h"
#include "backend/refine_plan.h"

namespace echoloop {

class CpuRefiner {
 public:
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Of amplitudes [nz][nx], kept until the next call: `before`'s average with weight `keep`; null: this frame alone.
  // The result in dB against reference_db goes to `db`.
  void average(WorkerPool& pool, const CpuRefiner* before, float keep, const float* amplitudes, float reference_db,
               float* db);
  void filter(WorkerPool& pool, float* db);  // in place

 private:
  template <class Pixel>
  void pass(WorkerPool& pool, float* db, const Pixel& pixel);
  template <class Row>
  void smooth_rows(WorkerPool& pool, float* db, const Row& smooth);
  void smooth_axial(int iz, float* row) const;
  void smooth_lateral(int iz, float* row) const;

  std::shared_ptr<const RefinePlan> plan_;
  PlainArray<float> average_;  // amplitudes
  PlainArray<float> scratch_;  // dB
};

}  // namespace echoloop
