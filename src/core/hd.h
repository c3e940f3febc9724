// ECHO_HD marks functions built by both compilers, so that a CPU loop and a CUDA thread run the same mathematics.
// Headers of that mathematics use of the standard library only C's, which a compiler of kernels at run time has built
// in.
#pragma once

#if defined(__CUDACC_RTC__)
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#else
#include <math.h>
#include <stddef.h>
#endif

#if defined(__CUDACC__)
#define ECHO_HD __host__ __device__ __forceinline__
#else
#define ECHO_HD inline __attribute__((always_inline))
#endif
