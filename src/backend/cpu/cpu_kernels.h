// Kernels in use: chosen once per backend by the processor's feature flags, never by its model.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/isa_loops.h"

namespace echoloop {

struct CpuKernels {
  const char* name;     // as in ECHOLOOP_CPU_KERNEL
  WindowTile das_tile;  // null: no tuned path
  const LineSteps* steps;
  const SlowTimeSteps* slow_time;
  MethodRowKernel method_row;
  const SlscKernel* slsc;
};

struct CpuDeviceRow {
  std::unique_ptr<AnalysisDevice> (*make)(int threads, const CpuKernels& kernels);
};

// Throws Error for a kernel that this processor lacks.
const CpuKernels& cpu_kernels(CpuKernel kernel);

}  // namespace echoloop
