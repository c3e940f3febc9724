// What lies beyond brightness and delay-and-sum: how long an ensemble takes to become a flow image and an image to
// become a table of objects, what power Doppler takes from the stream, and what adaptive methods take.
#pragma once

#include <string_view>

#include "bench/program/bench_measure.h"
#include "backend/backend.h"

namespace echoloop {

// Of one of kBenchCases; false: the case is another one.
bool bench_analysis(std::string_view bench_case, Backend& backend, double seconds, BenchTable& table);

}  // namespace echoloop
