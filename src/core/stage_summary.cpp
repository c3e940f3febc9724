#include "core/stage_summary.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

double nearest_rank(const std::vector<double>& sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

StageSummary summarize(std::vector<double>& values_ms) {
  if (values_ms.empty()) return {};
  std::sort(values_ms.begin(), values_ms.end());
  return {.p50_ms = nearest_rank(values_ms, 0.50),
          .p95_ms = nearest_rank(values_ms, 0.95),
          .p99_ms = nearest_rank(values_ms, 0.99),
          .p999_ms = nearest_rank(values_ms, 0.999),
          .max_ms = values_ms.back(),
          .count = values_ms.size()};
}

}  // namespace echoloop
