// Refine stage on the device: kernels around dsp/refine.h, and their buffers. One per lane. Queues work on the
// processing stream, in the order of the frames of all lanes. Processing thread only.
#pragma once

#include <memory>

#include "backend/cuda/runtime/context.h"
#include "backend/das_tables.h"

namespace echoloop::cuda {

// 0 dB of the decibels: a number, or one measured on the device.
struct LevelReference {
  float db;
  const float* measured_db;  // null: `db`
};

class CudaRefiner {
 public:
  explicit CudaRefiner(Context& context);
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Averages amplitudes [nz][nx] with those of `before`, weighted by `keep` (null: no average), and keeps the result
  // until the next call. Writes it to `db` in dB.
  void average(const CudaRefiner* before, float keep, const float* amplitudes, const LevelReference& reference,
               float* db);
  void filter(float* db);  // in place

 private:
  Context& context_;
  std::shared_ptr<const RefinePlan> plan_;
  std::shared_ptr<const DeviceTables> taps_;
  DeviceBuffer average_;  // float [nz][nx], amplitudes
  DeviceBuffer scratch_;  // float [nz][nx], dB
};

}  // namespace echoloop::cuda
