#include "core/timing_trace.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace echoloop {
namespace {

// Returns the last `wanted` of `count` values in a ring whose next write goes to `next`, oldest first.
template <class T>
std::vector<T> unroll(const std::vector<T>& ring, std::size_t next, std::size_t count, std::size_t wanted) {
  wanted = std::min(wanted, count);
  std::vector<T> values;
  values.reserve(wanted);
  const std::size_t first = next + ring.size() - wanted;
  for (std::size_t i = 0; i < wanted; ++i) values.push_back(ring[(first + i) % ring.size()]);
  return values;
}

constexpr double kMillisecondsPerNanosecond = 1e-6;

}  // namespace

TimingTrace::TimingTrace(std::size_t capacity) : ring_(capacity), latencies_(kLatencyKinds, LatencyRecord(capacity)) {}

void TimingTrace::add(const Span& span) {
  const std::scoped_lock lock(mutex_);
  ring_[next_] = span;
  next_ = (next_ + 1) % ring_.size();
  count_ = std::min(count_ + 1, ring_.size());
}

void TimingTrace::add_latency(Latency latency, std::int64_t from_ns, std::int64_t to_ns) {
  const std::scoped_lock lock(mutex_);
  if (from_ns < latencies_from_ns_) return;
  latencies_[static_cast<std::size_t>(latency)].add(to_ns,
                                                    static_cast<double>(to_ns - from_ns) * kMillisecondsPerNanosecond);
}

void TimingTrace::count_latencies_from(std::int64_t acquired_ns) {
  const std::scoped_lock lock(mutex_);
  latencies_from_ns_ = acquired_ns;
}

void TimingTrace::forget_latencies() {
  const std::scoped_lock lock(mutex_);
  for (LatencyRecord& record : latencies_) record.clear();
}

std::vector<Span> TimingTrace::spans() const { return last_spans(ring_.size()); }

std::vector<Span> TimingTrace::last_spans(std::size_t count) const {
  const std::scoped_lock lock(mutex_);
  return unroll(ring_, next_, count_, count);
}

std::vector<double> TimingTrace::new_latencies_ms(Latency latency, std::uint64_t& seen) const {
  const std::scoped_lock lock(mutex_);
  const LatencyRecord& record = latencies_[static_cast<std::size_t>(latency)];
  const std::uint64_t fresh = record.added() - std::exchange(seen, record.added());
  return record.last_ms(static_cast<std::size_t>(fresh));
}

std::array<StageSummary, kStageCount> TimingTrace::summarize_stages() const { return stage_summaries(spans()); }

StageSummary TimingTrace::summarize_latency(Latency latency) const {
  const std::scoped_lock lock(mutex_);
  return latencies_[static_cast<std::size_t>(latency)].since_start();
}

StageSummary TimingTrace::recent_latency(Latency latency) const {
  const std::scoped_lock lock(mutex_);
  return latencies_[static_cast<std::size_t>(latency)].recent(kRecentLatency_ns);
}

std::array<StageSummary, kStageCount> stage_summaries(const std::vector<Span>& spans) {
  std::array<std::vector<double>, kStageCount> durations;
  for (const Span& span : spans) {
    durations[static_cast<std::size_t>(span.stage)].push_back(static_cast<double>(span.end_ns - span.start_ns) *
                                                              kMillisecondsPerNanosecond);
  }
  std::array<StageSummary, kStageCount> summaries;
  for (std::size_t s = 0; s < durations.size(); ++s) summaries[s] = summarize(durations[s]);
  return summaries;
}

StageSummary frame_summary(const std::vector<Span>& spans) {
  std::map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> frames;  // begin of the copy, end of the last stage
  for (const Span& span : spans) {
    if (span.stage == Stage::upload) frames[span.frame].first = span.start_ns;
    if (ends_frame(span.stage)) frames[span.frame].second = std::max(frames[span.frame].second, span.end_ns);
  }
  std::vector<double> durations;
  for (const auto& [frame, times] : frames) {
    if (times.first == 0 || times.second == 0) continue;  // only half of the frame is in the spans
    durations.push_back(static_cast<double>(times.second - times.first) * kMillisecondsPerNanosecond);
  }
  return summarize(durations);
}

StreamTiming stream_timing(const std::vector<Span>& spans, std::int64_t from_ns) {
  struct Times {
    std::int64_t copy_begin = 0, copy_end = 0, first_kernel = 0, last_kernel = 0;
  };
  std::map<std::uint64_t, Times> frames;
  std::int64_t first_end = 0;
  std::int64_t last_end = 0;
  std::size_t ends = 0;
  for (const Span& span : spans) {
    if (span.stage == Stage::compress && span.start_ns >= from_ns) {
      first_end = ends == 0 ? span.end_ns : std::min(first_end, span.end_ns);
      last_end = std::max(last_end, span.end_ns);
      ++ends;
    }
    if (span.stage < Stage::upload || span.stage > kLastOfFrame) continue;
    Times& t = frames[span.frame];
    if (span.stage == Stage::upload) {
      t.copy_begin = span.start_ns;
      t.copy_end = span.end_ns;
    } else {
      t.first_kernel = t.first_kernel == 0 ? span.start_ns : std::min(t.first_kernel, span.start_ns);
      if (ends_frame(span.stage)) t.last_kernel = std::max(t.last_kernel, span.end_ns);
    }
  }
  std::erase_if(frames, [from_ns](const auto& f) {
    return f.second.copy_begin == 0 || f.second.copy_begin < from_ns || f.second.last_kernel == 0;
  });
  if (frames.size() < 2) return {};
  std::vector<double> copies, kernels;
  for (const auto& [frame, t] : frames) {
    copies.push_back(static_cast<double>(t.copy_end - t.copy_begin) * kMillisecondsPerNanosecond);
    kernels.push_back(static_cast<double>(t.last_kernel - t.first_kernel) * kMillisecondsPerNanosecond);
  }
  return {.t_t_ms = summarize(copies).p50_ms,
          .t_p_ms = summarize(kernels).p50_ms,
          .period_ms =
              static_cast<double>(last_end - first_end) * kMillisecondsPerNanosecond / static_cast<double>(ends - 1),
          .frames = frames.size()};
}

namespace {

std::int64_t first_ns(const std::vector<Span>& spans) {
  std::int64_t first = spans.empty() ? 0 : spans.front().start_ns;
  for (const Span& span : spans) first = std::min(first, span.start_ns);
  return first;
}

// Rows of the trace: lanes share them as they share the streams. Concurrent kernels get a row per lane, since the
// events of a row may not overlap.
constexpr std::array<const char*, 6> kRows = {"producer", "copy", "kernels", "texture", "window", "vertical sync"};

constexpr int kFirstLaneRow = 9;

bool kernels_side_by_side(const std::vector<Span>& spans) {
  constexpr std::int64_t kRounding_ns = 1000;  // of the device's clock
  std::vector<Span> kernels;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(kernels),
               [](const Span& s) { return row_of(s.stage).row == RowKind::kernels; });
  std::sort(kernels.begin(), kernels.end(), [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
  return std::adjacent_find(kernels.begin(), kernels.end(), [](const Span& a, const Span& b) {
           return a.frame != b.frame && b.start_ns + kRounding_ns < a.end_ns;
         }) != kernels.end();
}

}  // namespace

std::string TimingTrace::chrome_json() const {
  const std::vector<Span> all = spans();
  const bool side_by_side = kernels_side_by_side(all);
  std::set<int> lanes;
  const auto thread_of = [&](const Span& span) {
    const RowKind row = row_of(span.stage).row;
    if (row != RowKind::kernels || !side_by_side) return static_cast<int>(row) + 1;
    lanes.insert(span.lane);
    return kFirstLaneRow + span.lane + 1;
  };
  const std::int64_t origin = first_ns(all);
  std::string json = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char line[256];
  const char* separator = "\n";
  for (const Span& span : all) {
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
                  "\"args\":{\"frame\":%llu,\"lane\":%d}}",
                  separator, row_of(span.stage).key.data(), thread_of(span),
                  static_cast<double>(span.start_ns - origin) * 1e-3,
                  static_cast<double>(span.end_ns - span.start_ns) * 1e-3, static_cast<unsigned long long>(span.frame),
                  static_cast<int>(span.lane));
    json += line;
    separator = ",\n";
  }
  const auto name_thread = [&](int thread, const std::string& name) {
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                  separator, thread, name.c_str());
    json += line;
    separator = ",\n";
  };
  for (std::size_t row = 0; row < kRows.size(); ++row) name_thread(static_cast<int>(row) + 1, kRows[row]);
  for (const int lane : lanes) name_thread(kFirstLaneRow + lane + 1, "kernels, lane " + std::to_string(lane + 1));
  return json + "\n]}\n";
}

std::string TimingTrace::csv() const {
  const std::vector<Span> all = spans();
  const std::int64_t origin = first_ns(all);
  std::string text = "frame,stage,lane,start_ns,end_ns\n";
  char line[128];
  for (const Span& span : all) {
    std::snprintf(line, sizeof line, "%llu,%s,%d,%lld,%lld\n", static_cast<unsigned long long>(span.frame),
                  row_of(span.stage).key.data(), static_cast<int>(span.lane),
                  static_cast<long long>(span.start_ns - origin), static_cast<long long>(span.end_ns - origin));
    text += line;
  }
  return text;
}

void TimingTrace::clear() {
  const std::scoped_lock lock(mutex_);
  next_ = count_ = 0;
  for (LatencyRecord& record : latencies_) record.clear();
}

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

// Returns the centre of the bin of the nearest rank.
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

namespace {

std::atomic<void (*)(Stage)> push_hook{nullptr};
std::atomic<void (*)()> pop_hook{nullptr};

}  // namespace

void set_profiler_hooks(void (*push)(Stage), void (*pop)()) {
  // A thread that reads the new push reads its pop as well.
  if (pop != nullptr) pop_hook.store(pop);
  push_hook.store(push);
}

ProfileRange::ProfileRange(Stage stage) {
  void (*const push)(Stage) = push_hook.load(std::memory_order_acquire);
  if (push == nullptr) return;
  pop_ = pop_hook.load(std::memory_order_acquire);
  push(stage);
}

}  // namespace echoloop
