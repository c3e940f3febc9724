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
  double p999_ms = 0.0;
  double max_ms = 0.0;
  std::size_t count = 0;
};

// Nearest-rank percentiles; reorders `values_ms`.
StageSummary summarize(std::vector<double>& values_ms);

// What decides the rate of a stream: t_t, one frame's copy to the device; t_p, the rest of its work there. One after
// the other a frame takes t_t + t_p, side by side the larger of the two.
struct StreamTiming {
  double t_t_ms = 0.0;     // median
  double t_p_ms = 0.0;     // median, from the first kernel's begin to the last one's end
  double period_ms = 0.0;  // measured, mean: between the ends of successive frames
  std::size_t frames = 0;  // that the numbers come from; 0 = nothing known
  [[nodiscard]] double serial_ms() const { return t_t_ms + t_p_ms; }
  [[nodiscard]] double overlap_ms() const { return t_t_ms > t_p_ms ? t_t_ms : t_p_ms; }
};
StreamTiming stream_timing(const std::vector<Span>& spans);

// How long each stage took, and each frame from its copy's begin to its last stage's end.
std::array<StageSummary, kStageCount> stage_summaries(const std::vector<Span>& spans);
StageSummary frame_summary(const std::vector<Span>& spans);

// Which way a latency goes: from the frame's publication to the finished image, or to the window's picture.
enum class Latency { ready, shown };

inline constexpr std::size_t kTracedSpans = 1 << 14;  // the newest ones are kept: some 2000 frames

class TimingTrace {
 public:
  explicit TimingTrace(std::size_t capacity = kTracedSpans);

  void add(const Span& span);                                             // any thread
  void add_latency(Latency latency, double ms);                           // any thread
  [[nodiscard]] std::vector<Span> spans() const;                          // oldest first; any thread
  [[nodiscard]] std::vector<Span> last_spans(std::size_t count) const;    // oldest first; any thread
  [[nodiscard]] std::vector<double> latencies_ms(Latency latency) const;  // oldest first; any thread
  // Those added since the last call with the same `seen`, which counts them; it begins at 0. Oldest first; any thread
  [[nodiscard]] std::vector<double> new_latencies_ms(Latency latency, std::uint64_t& seen) const;
  [[nodiscard]] std::array<StageSummary, kStageCount> summarize_stages() const;  // any thread
  [[nodiscard]] StageSummary summarize_latency(Latency latency) const;           // any thread
  [[nodiscard]] std::string chrome_json() const;  // Chrome/Perfetto trace events, any thread
  [[nodiscard]] std::string csv() const;          // frame,stage,lane,start_ns,end_ns; from 0; any thread
  void clear();                                   // any thread

 private:
  mutable std::mutex mutex_;
  // All below under mutex_.
  std::vector<Span> ring_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  struct LatencyRing {
    std::vector<double> values_ms;
    std::size_t next = 0;
    std::size_t count = 0;
    std::uint64_t added = 0;  // ever, clear() or not
  };
  std::array<LatencyRing, 2> latencies_;
};

}  // namespace echoloop
