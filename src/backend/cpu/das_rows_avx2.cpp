// das_row() for x86 processors with AVX2 and FMA; das_rows.cpp asks the processor before it comes here.
#define ECHO_ISA avx2
#include "backend/cpu/das_rows_kernel.h"
