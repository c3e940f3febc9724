// method_row() and kSlsc for x86 processors with AVX-512 (F, BW, DQ, VL); cpu_kernels() asks the processor before it
// comes here.
#define ECHO_ISA avx512
#include "backend/cpu/method_rows_kernel.h"
#include "backend/cpu/slsc_rows_kernel.h"
