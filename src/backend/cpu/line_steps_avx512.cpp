// LineSteps for x86 processors with AVX-512 F, BW, DQ and VL; called only where the processor has them.
#define ECHO_ISA avx512
#define ECHO_VECTOR_BYTES 64
#include "backend/cpu/line_steps_kernel.h"
