// SlowTimeSteps for every machine.
#define ECHO_ISA portable
#define ECHO_VECTOR_BYTES 16
#include "backend/cpu/slow_time_kernel.h"
