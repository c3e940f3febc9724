// Percentiles of how long something took, in milliseconds.
#pragma once

#include <cstddef>
#include <vector>

namespace echoloop {

struct StageSummary {
  double p50_ms = 0.0;
  double p95_ms = 0.0;
  double p99_ms = 0.0;
  double p999_ms = 0.0;
  double max_ms = 0.0;
  std::size_t count = 0;
};

// Nearest-rank percentiles; reorders `values_ms`.
StageSummary summarize(std::vector<double>& values_ms);

}  // namespace echoloop
