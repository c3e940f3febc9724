// SlowTimeSteps for x86 processors with AVX2 and FMA; whoever calls them has asked the processor.
#define ECHO_ISA avx2
#define ECHO_VECTOR_BYTES 32
#include "backend/cpu/slow_time_kernel.h"
