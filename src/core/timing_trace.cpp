#include "core/timing_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

namespace echoloop {
namespace {

// Contents of a ring of `count` values whose next write goes to `next`, oldest first.
template <class T>
std::vector<T> unroll(const std::vector<T>& ring, std::size_t next, std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  const std::size_t first = count < ring.size() ? 0 : next;
  for (std::size_t i = 0; i < count; ++i) values.push_back(ring[(first + i) % ring.size()]);
  return values;
}

double nearest_rank(const std::vector<double>& sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

constexpr double kMillisecondsPerNanosecond = 1e-6;

}  // namespace

StageSummary summarize(std::vector<double>& values_ms) {
  if (values_ms.empty()) return {};
  std::sort(values_ms.begin(), values_ms.end());
  return {.p50_ms = nearest_rank(values_ms, 0.50),
          .p95_ms = nearest_rank(values_ms, 0.95),
          .p99_ms = nearest_rank(values_ms, 0.99),
          .max_ms = values_ms.back(),
          .count = values_ms.size()};
}

TimingTrace::TimingTrace(std::size_t capacity) : ring_(capacity), latency_ring_(capacity / 4) {}

void TimingTrace::add(const Span& span) {
  const std::scoped_lock lock(mutex_);
  ring_[next_] = span;
  next_ = (next_ + 1) % ring_.size();
  count_ = std::min(count_ + 1, ring_.size());
}

void TimingTrace::add_latency(double acquired_to_ready_ms) {
  const std::scoped_lock lock(mutex_);
  latency_ring_[latency_next_] = acquired_to_ready_ms;
  latency_next_ = (latency_next_ + 1) % latency_ring_.size();
  latency_count_ = std::min(latency_count_ + 1, latency_ring_.size());
}

std::vector<Span> TimingTrace::spans() const {
  const std::scoped_lock lock(mutex_);
  return unroll(ring_, next_, count_);
}

std::vector<double> TimingTrace::latencies_ms() const {
  const std::scoped_lock lock(mutex_);
  return unroll(latency_ring_, latency_next_, latency_count_);
}

std::array<StageSummary, kStageCount> TimingTrace::summarize_stages() const {
  std::array<std::vector<double>, kStageCount> durations;
  for (const Span& span : spans()) {
    durations[static_cast<std::size_t>(span.stage)].push_back(static_cast<double>(span.end_ns - span.start_ns) *
                                                              kMillisecondsPerNanosecond);
  }
  std::array<StageSummary, kStageCount> summaries;
  for (std::size_t s = 0; s < durations.size(); ++s) summaries[s] = summarize(durations[s]);
  return summaries;
}

StageSummary TimingTrace::summarize_latency() const {
  std::vector<double> values = latencies_ms();
  return summarize(values);
}

StageSummary TimingTrace::summarize_frames() const {
  std::map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> frames;  // begin of the copy, end of the last stage
  for (const Span& span : spans()) {
    if (span.stage == Stage::upload) frames[span.frame].first = span.start_ns;
    if (span.stage == Stage::compress) frames[span.frame].second = span.end_ns;
  }
  std::vector<double> durations;
  for (const auto& [frame, times] : frames) {
    if (times.first == 0 || times.second == 0) continue;  // the ring has lost its other half
    durations.push_back(static_cast<double>(times.second - times.first) * kMillisecondsPerNanosecond);
  }
  return summarize(durations);
}

std::string TimingTrace::chrome_json() const {
  const std::vector<Span> all = spans();
  std::int64_t origin = all.empty() ? 0 : all.front().start_ns;
  for (const Span& span : all) origin = std::min(origin, span.start_ns);
  std::string json = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char line[256];
  const char* separator = "\n";
  for (const Span& span : all) {
    // One row each for producer, copies, kernels and display; lanes share the rows as they share the streams.
    const int row = span.stage == Stage::produce   ? 1
                    : span.stage == Stage::upload  ? 2
                    : span.stage == Stage::present ? 4
                                                   : 3;
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
                  "\"args\":{\"frame\":%llu,\"lane\":%d}}",
                  separator, kStageNames[static_cast<std::size_t>(span.stage)].data(), row,
                  static_cast<double>(span.start_ns - origin) * 1e-3,
                  static_cast<double>(span.end_ns - span.start_ns) * 1e-3, static_cast<unsigned long long>(span.frame),
                  static_cast<int>(span.lane));
    json += line;
    separator = ",\n";
  }
  constexpr const char* kRows[] = {"producer", "copy", "kernels", "present"};
  for (int row = 1; row <= 4; ++row) {
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                  separator, row, kRows[row - 1]);
    json += line;
    separator = ",\n";
  }
  return json + "\n]}\n";
}

void TimingTrace::clear() {
  const std::scoped_lock lock(mutex_);
  next_ = count_ = latency_next_ = latency_count_ = 0;
}

}  // namespace echoloop
