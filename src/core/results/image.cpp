#include "core/results/image.h"

namespace echoloop {

void count_levels(std::span<const float> db, int n_bins, LevelHistogram& h) {
  const auto n = static_cast<std::size_t>(n_bins);
  h.counts.assign(n + 3, 0);
  const auto first_db = static_cast<float>(h.first_db);
  const auto per_db = static_cast<float>(1.0 / h.step_db);
  for (const float level : db) {
    ++h.counts[static_cast<std::size_t>(histogram_place(level, first_db, per_db, n_bins))];
  }
  h.below = h.counts[n];
  h.above = h.counts[n + 1];
  h.without = h.counts[n + 2];
  h.counts.resize(n);
}

}  // namespace echoloop
