// Which kernels run: chosen once a backend, by what the processor says it can do and never by its model.
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

// Throws Error for a kernel that this processor does not have.
const CpuKernels& cpu_kernels(CpuKernel kernel);

}  // namespace echoloop
