// The refine stage on the device: kernels around dsp/refine.h, and their buffers. One a lane. Queues work on the
// processing stream, on which the frames of all lanes follow each other. Processing thread only.
#pragma once

#include <memory>

#include "backend/cuda/runtime/context.h"
#include "backend/das_tables.h"

namespace echoloop::cuda {

// Where the decibels count from: a number, or one that was measured on the device.
struct LevelReference {
  float db;
  const float* measured_db;  // null: `db`
};

class CudaRefiner {
 public:
  explicit CudaRefiner(Context& context);
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Of amplitudes [nz][nx], kept until the next call: `before`'s average with weight `keep`; null: this frame alone.
  // The result in dB goes to `db`.
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
