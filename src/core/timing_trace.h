// A fixed ring of timed spans {frame, stage, lane, start, end}, written by every thread of the stream.
// Adding takes one short lock and never allocates. Percentiles and the Chrome trace are made from a snapshot.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/stages.h"

namespace echoloop {

struct Span {
  std::uint64_t frame = 0;  // sequence number
  Stage stage = Stage::produce;
  std::uint8_t lane = 0;
  std::int64_t start_ns = 0;  // steady clock
  std::int64_t end_ns = 0;
};

struct StageSummary {
  double p50_ms = 0.0;
  double p95_ms = 0.0;
  double p99_ms = 0.0;
  double max_ms = 0.0;
  std::size_t count = 0;
};

// Nearest-rank percentiles; reorders `values_ms`.
StageSummary summarize(std::vector<double>& values_ms);

class TimingTrace {
 public:
  explicit TimingTrace(std::size_t capacity = 1 << 14);

  void add(const Span& span);                                                    // any thread
  void add_latency(double acquired_to_ready_ms);                                 // processing thread
  [[nodiscard]] std::vector<Span> spans() const;                                 // oldest first; any thread
  [[nodiscard]] std::vector<double> latencies_ms() const;                        // oldest first; any thread
  [[nodiscard]] std::array<StageSummary, kStageCount> summarize_stages() const;  // any thread
  [[nodiscard]] StageSummary summarize_frames() const;   // from the copy's begin to the last stage's end; any thread
  [[nodiscard]] StageSummary summarize_latency() const;  // any thread
  [[nodiscard]] std::string chrome_json() const;         // Chrome/Perfetto trace events, any thread
  void clear();                                          // any thread

 private:
  mutable std::mutex mutex_;
  std::vector<Span> ring_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::vector<double> latency_ring_;
  std::size_t latency_next_ = 0;
  std::size_t latency_count_ = 0;
};

}  // namespace echoloop
