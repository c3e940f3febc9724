// ECHO_HD marks functions built by both compilers, so that a CPU loop and a CUDA thread run the same mathematics.
#pragma once

#if defined(__CUDACC__)
#define ECHO_HD __host__ __device__ __forceinline__
#else
#define ECHO_HD inline __attribute__((always_inline))
#endif
