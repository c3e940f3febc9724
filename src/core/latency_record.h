// The latencies of one kind: the newest ones exactly, with their moments, and all of them in a histogram, so that
// percentiles since the start of a long stream neither grow nor forget. Adding never allocates. One thread at a time:
// TimingTrace holds its lock around it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/stage_summary.h"

namespace echoloop {

class LatencyRecord {
 public:
  explicit LatencyRecord(std::size_t kept) : ring_(kept) {}

  void add(std::int64_t at_ns, double ms);
  void clear();

  [[nodiscard]] std::vector<double> last_ms(std::size_t wanted) const;  // oldest first; at most those kept
  [[nodiscard]] std::uint64_t added() const { return added_; }          // ever, clear() or not

  // Since clear(): exact while all are kept, later within 0.3 %.
  [[nodiscard]] StageSummary since_start() const;
  // Of the time `within_ns` before the newest one, as far as they are kept: an idle stream keeps its last figures.
  [[nodiscard]] StageSummary recent(std::int64_t within_ns) const;

 private:
  struct Entry {
    std::int64_t at_ns = 0;
    double ms = 0.0;
  };
  static constexpr double kLeast_ms = 1e-3;
  static constexpr int kBinsPerOctave = 128;
  static constexpr int kBins = 34 * kBinsPerOctave;  // 1 us to 4 h

  [[nodiscard]] double percentile_ms(double fraction) const;

  std::vector<Entry> ring_;
  std::size_t next_ = 0, count_ = 0;
  std::uint64_t added_ = 0;
  std::array<std::uint64_t, kBins> bins_{};
  std::uint64_t binned_ = 0;  // since clear()
  double max_ms_ = 0.0;
};

}  // namespace echoloop
