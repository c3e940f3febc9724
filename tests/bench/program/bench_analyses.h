// Benchmarks beyond brightness and delay-and-sum: time from an ensemble to a flow image and from an image to a table of
// objects, cost of power Doppler for the stream, and cost of adaptive methods.
#pragma once

#include <string_view>

#include "backend/backend.h"
#include "bench/program/bench_measure.h"

namespace echoloop {

// Runs one of kBenchCases; returns false for other cases.
bool bench_analysis(std::string_view bench_case, Backend& backend, double seconds, BenchTable& table);

}  // namespace echoloop
