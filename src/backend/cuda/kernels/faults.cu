// Injected faults: a device that is busy, that refuses work, that is lost.
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.cuh"

namespace echoloop::cuda {
namespace {

// The device's clock of real time, whatever the frequency of its processors; it moves in steps of up to a microsecond.
__device__ unsigned long long device_ns() {
  unsigned long long ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void busy_kernel(unsigned long long ns) {
  const unsigned long long begin = device_ns();
  while (device_ns() - begin < ns) __nanosleep(500);
}

__global__ void empty_kernel() {}

__global__ void fatal_kernel() { __trap(); }

}  // namespace

void keep_busy(double ms, StreamView stream) {
  busy_kernel<<<1, 1, 0, stream.get()>>>(static_cast<unsigned long long>(ms * 1e6));
  CUDA_CHECK_LAUNCH("keep_busy");
}

void launch_refused(StreamView stream) {
  constexpr unsigned kTooManyThreads = 4096;  // a block may have 1024
  empty_kernel<<<1, kTooManyThreads, 0, stream.get()>>>();
  CUDA_CHECK_LAUNCH("a block of 4096 threads (injected fault)");
}

void launch_fatal(StreamView stream) {
  fatal_kernel<<<1, 1, 0, stream.get()>>>();
  CUDA_CHECK_LAUNCH("a kernel that traps (injected fault)");
}

}  // namespace echoloop::cuda
