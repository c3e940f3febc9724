// method_row() and kSlsc for every machine.
#define ECHO_ISA portable
#include "backend/cpu/method_rows_kernel.h"
#include "backend/cpu/slsc_rows_kernel.h"
