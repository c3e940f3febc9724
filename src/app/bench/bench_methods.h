// What adaptive methods cost beside plain delay-and-sum.
#pragma once

#include "app/bench/bench_table.h"
#include "backend/backend.h"

namespace echoloop {

// The beamform stage alone of S1 (float32, single precision, full aperture), each method by turns with delay-and-sum.
void bench_methods(Backend& backend, double seconds, BenchTable& table);

}  // namespace echoloop
