// Barriers in shared memory and asynchronous bulk copies (PTX ISA: mbarrier, cp.async.bulk), compute capability 9.0.
// A wait that lasts seconds is a mistake in the counting of stages: it ends the kernel instead of hanging the device.
#pragma once

namespace echoloop::cuda {

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Initialised barriers become visible to the copy engine.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(barrier),
               "r"(bytes)
               : "memory");
}

__device__ __forceinline__ bool passed(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  if (passed(barrier, parity)) return;
  constexpr long long kPatienceCycles = 1LL << 33;  // about 4 s
  const long long start = clock64();
  while (!passed(barrier, parity)) {
    if (clock64() - start > kPatienceCycles) __trap();
  }
}

// One lane of a whole warp, in a way that lets the compiler keep what it does in uniform registers.
__device__ __forceinline__ bool elected() {
  unsigned one;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
  return one != 0;
}

// 16-byte aligned, a multiple of 16 bytes; its bytes count towards `barrier`.
__device__ __forceinline__ void copy_to_shared(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// What this thread saw read, by way of a barrier, is read before copies that it starts from now on write there.
__device__ __forceinline__ void reuse_by_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A launch that may begin before the kernel ahead of it in the stream has ended (run_packed_das): nothing that kernels
// write may be touched before wait_for_earlier_kernel(), by any thread that touches it.
__device__ __forceinline__ void wait_for_earlier_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ __forceinline__ void allow_next_kernel() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// All warps of the block but the last, which fetches.
__device__ inline void summers_wait() { asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x - 32u) : "memory"); }

}  // namespace echoloop::cuda
