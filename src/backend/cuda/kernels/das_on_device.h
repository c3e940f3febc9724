// What the beamformer reads besides samples, on the device. Processing thread only.
#pragma once

#include <memory>

#include "backend/cuda/runtime/context.h"
#include "backend/plan.h"

namespace echoloop::cuda {

struct DasOnDevice {
  DasGeometry geometry{};                               // pointers: the device's, into the tables below
  bool is_flat = false;                                 // Cartesian, and all elements have z 0
  std::shared_ptr<const DeviceTables> tables, weights;  // weights: null where all transmits weigh 1
  std::shared_ptr<const DeviceTables> cones;            // null: none
};

// Shared with other lanes of the same plan. Kernels queued on `stream` from now on find everything complete.
DasOnDevice das_on_device(Context& context, const DasPlan& plan, StreamView stream);

}  // namespace echoloop::cuda
