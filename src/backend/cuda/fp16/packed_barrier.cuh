// Barriers in shared memory, and copies of samples that arrive at them (PTX ISA: mbarrier, cp.async.bulk, cp.async).
// Three forms by compute capability: 9.0 has a copy engine that counts bytes towards a barrier; 8.x has barriers, and
// copies of 16 bytes per thread that arrive at one; before, a barrier is a counter in shared memory, and copies pass
// through registers. A wait of seconds means an error in the count of stages: it ends the kernel instead of hanging the
// device.
#pragma once

#include <cuda_runtime_api.h>

namespace echoloop::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kCopyBytes = 16;  // per thread; rows are multiples of it, and aligned to it

// Arrivals of the fetching warp at a stage's "full" barrier.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
inline constexpr unsigned kFullArrivals = kWarp;  // copies of each lane
#else
inline constexpr unsigned kFullArrivals = 1;
#endif

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

__device__ __forceinline__ void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ bool passed(unsigned barrier, unsigned parity) {
  unsigned done;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#else
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#endif
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

#else

// Eight bytes: arrivals so far, arrivals of a phase.
__device__ __forceinline__ void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("st.shared.v2.u32 [%0], {0, %1};" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ bool passed(unsigned barrier, unsigned parity) {
  unsigned arrived, of_phase;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(arrived) : "r"(barrier) : "memory");
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(of_phase) : "r"(barrier + 4u));
  return (arrived / of_phase & 1u) != parity;
}

#endif

__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  if (passed(barrier, parity)) return;
  constexpr long long kPatienceCycles = 1LL << 33;  // about 4 s
  const long long start = clock64();
  while (!passed(barrier, parity)) {
    if (clock64() - start > kPatienceCycles) __trap();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    __nanosleep(32);  // polling without pause would slow the warp it waits for
#endif
  }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Makes initialised barriers visible to the copy engine.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(barrier),
               "r"(bytes)
               : "memory");
}

// Elects one lane of a whole warp, so that the compiler can use uniform registers.
__device__ __forceinline__ bool elected() {
  unsigned one;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
  return one != 0;
}

// Copies `bytes`, a multiple of 16, 16-byte aligned; they count towards `barrier`.
__device__ __forceinline__ void copy_to_shared(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// Orders reads seen by this thread through a barrier before later copies into the same memory.
__device__ __forceinline__ void reuse_by_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// For launches that may begin before the preceding kernel of the stream has ended (earliest_start()): no thread may
// access memory written by kernels before wait_for_earlier_kernel().
__device__ __forceinline__ void wait_for_earlier_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ __forceinline__ void allow_next_kernel() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#else

__device__ __forceinline__ void publish_barriers() {}
__device__ __forceinline__ void wait_for_earlier_kernel() {}
__device__ __forceinline__ void allow_next_kernel() {}

#if __CUDA_ARCH__ >= 800

// Starts copy number `copy` of `n_copies`; no effect beyond the last. Branch-free.
__device__ __forceinline__ void copy_to_shared(unsigned copy, unsigned n_copies, unsigned to,
                                               const unsigned char* from) {
  asm volatile("{\n.reg .pred p;\nsetp.lt.u32 p, %0, %1;\n@p cp.async.cg.shared.global [%2], [%3], 16;\n}" ::"r"(copy),
               "r"(n_copies), "r"(to), "l"(from)
               : "memory");
}

// All lanes: arrives when the earlier copies of each lane are in shared memory.
__device__ __forceinline__ void arrive_after_copies(unsigned barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

#else

// Stores copy number `copy` of `n_copies`; no effect beyond the last. Branch-free.
__device__ __forceinline__ void store_to_shared(unsigned copy, unsigned n_copies, unsigned to, const uint4& v) {
  asm volatile("{\n.reg .pred p;\nsetp.lt.u32 p, %0, %1;\n@p st.shared.v4.u32 [%2], {%3, %4, %5, %6};\n}" ::"r"(copy),
               "r"(n_copies), "r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

__device__ __forceinline__ void arrive_after_copies(unsigned barrier) {
  __syncwarp();
  if (threadIdx.x % kWarp == 0) arrive(barrier);
}

#endif
#endif

// Synchronises all warps of the block but the last, which fetches.
__device__ inline void summers_wait() { asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x - 32u) : "memory"); }

}  // namespace echoloop::cuda
