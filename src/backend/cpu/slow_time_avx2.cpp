// SlowTimeSteps for x86 processors with AVX2 and FMA; called only where the processor has them.
#define ECHO_ISA avx2
#define ECHO_VECTOR_BYTES 32
#include "backend/cpu/slow_time_kernel.h"
