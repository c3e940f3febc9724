// das_row() for every machine.
#define ECHO_ISA portable
#include "backend/cpu/das_rows_kernel.h"
