#include "backend/cpu/cpu_kernels.h"

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr CpuKernels kPortable{"portable",      nullptr, nullptr, &portable::kSlowTimeSteps, &portable::method_row,
                               &portable::kSlsc};
#if defined(ECHO_X86)
constexpr CpuKernels kAvx2{
    "avx2", avx2::das_window_tile, &avx2::kLineSteps, &avx2::kSlowTimeSteps, &avx2::method_row, &avx2::kSlsc};
constexpr CpuKernels kAvx512{
    "avx512",      avx512::das_window_tile, &avx512::kLineSteps, &avx512::kSlowTimeSteps, &avx512::method_row,
    &avx512::kSlsc};
#endif

CpuKernel named(const std::string& name) {
  if (name == "portable") return CpuKernel::portable;
  if (name == "avx2") return CpuKernel::avx2;
  if (name == "avx512") return CpuKernel::avx512;
  throw Error("ECHOLOOP_CPU_KERNEL", "\"" + name + "\"", "portable, avx2 or avx512");
}

CpuKernel best_kernel() {
  if (const char* name = std::getenv("ECHOLOOP_CPU_KERNEL"); name != nullptr && *name != '\0') return named(name);
  for (const CpuKernel kernel : {CpuKernel::avx512, CpuKernel::avx2}) {
    if (has_cpu_kernel(kernel)) return kernel;
  }
  return CpuKernel::portable;
}

}  // namespace

bool has_cpu_kernel(CpuKernel kernel) {
#if defined(ECHO_X86)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kernel == CpuKernel::avx2) return avx2;
  if (kernel == CpuKernel::avx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return kernel == CpuKernel::automatic || kernel == CpuKernel::portable;
}

const CpuKernels& cpu_kernels(CpuKernel kernel) {
  if (kernel == CpuKernel::automatic) kernel = best_kernel();
  if (!has_cpu_kernel(kernel)) {
    throw Error("CPU kernel", kernel == CpuKernel::avx2 ? "avx2 is not supported" : "avx512 is not supported",
                "a kernel supported by this processor", "portable runs on every processor");
  }
#if defined(ECHO_X86)
  if (kernel == CpuKernel::avx512) return kAvx512;
  if (kernel == CpuKernel::avx2) return kAvx2;
#endif
  return kPortable;
}

}  // namespace echoloop
