// method_row() for every machine.
#define ECHO_ISA portable
#include "backend/cpu/method_rows_kernel.h"
