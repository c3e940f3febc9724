// SlowTimeSteps for x86 processors with AVX-512; whoever calls them has asked the processor.
#define ECHO_ISA avx512
#define ECHO_VECTOR_BYTES 64
#include "backend/cpu/slow_time_kernel.h"
