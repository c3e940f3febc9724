// LineSteps for x86 processors with AVX-512 F, BW, DQ and VL; whoever calls them has asked the processor.
#define ECHO_ISA avx512
#define ECHO_VECTOR_BYTES 64
#include "backend/cpu/line_steps_kernel.h"
