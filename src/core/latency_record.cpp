#include "core/latency_record.h"

#include <algorithm>
#include <cmath>

namespace echoloop {

void LatencyRecord::add(std::int64_t at_ns, double ms) {
  ring_[next_] = {at_ns, ms};
  next_ = (next_ + 1) % ring_.size();
  count_ = std::min(count_ + 1, ring_.size());
  ++added_;
  const double octaves = std::log2(std::max(ms, kLeast_ms) / kLeast_ms);
  ++bins_[static_cast<std::size_t>(std::min(octaves * kBinsPerOctave, kBins - 1.0))];
  max_ms_ = binned_ == 0 ? ms : std::max(max_ms_, ms);
  ++binned_;
}

void LatencyRecord::clear() {
  next_ = count_ = 0;
  bins_.fill(0);
  binned_ = 0;
  max_ms_ = 0.0;
}

std::vector<double> LatencyRecord::last_ms(std::size_t wanted) const {
  wanted = std::min(wanted, count_);
  std::vector<double> values;
  values.reserve(wanted);
  const std::size_t first = next_ + ring_.size() - wanted;
  for (std::size_t i = 0; i < wanted; ++i) values.push_back(ring_[(first + i) % ring_.size()].ms);
  return values;
}

// Nearest rank; the middle of its bin.
double LatencyRecord::percentile_ms(double fraction) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(binned_)));
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    counted += bins_[i];
    if (counted < rank) continue;
    return std::min(kLeast_ms * std::exp2((static_cast<double>(i) + 0.5) / kBinsPerOctave), max_ms_);
  }
  return max_ms_;
}

StageSummary LatencyRecord::since_start() const {
  if (binned_ == count_) {
    std::vector<double> values = last_ms(count_);
    return summarize(values);
  }
  return {.p50_ms = percentile_ms(0.50),
          .p95_ms = percentile_ms(0.95),
          .p99_ms = percentile_ms(0.99),
          .p999_ms = percentile_ms(0.999),
          .max_ms = max_ms_,
          .count = static_cast<std::size_t>(binned_)};
}

StageSummary LatencyRecord::recent(std::int64_t within_ns) const {
  if (count_ == 0) return {};
  const auto age = [this](std::size_t back) -> const Entry& {
    return ring_[(next_ + ring_.size() - 1 - back) % ring_.size()];
  };
  const std::int64_t from_ns = age(0).at_ns - within_ns;
  std::vector<double> values;
  for (std::size_t back = 0; back < count_ && age(back).at_ns >= from_ns; ++back) values.push_back(age(back).ms);
  return summarize(values);
}

}  // namespace echoloop
