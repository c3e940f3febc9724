// A fixed ring of timed spans {frame, stage, lane, start, end}, written by every thread of the stream.
// Adding takes one short lock and never allocates. Percentiles and the Chrome trace are made from a snapshot.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "core/latency_record.h"
#include "core/stage_summary.h"
#include "core/stages.h"

namespace echoloop {

struct Span {
  std::uint64_t frame = 0;  // sequence number
  Stage stage = Stage::produce;
  std::uint8_t lane = 0;
  std::int64_t start_ns = 0;  // steady clock
  std::int64_t end_ns = 0;
};

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
// Of the frames whose copy began at `from_ns` or later: a time without frames before it is not part of the period.
StreamTiming stream_timing(const std::vector<Span>& spans, std::int64_t from_ns = 0);

// How long each stage took, and each frame from its copy's begin to its last stage's end.
std::array<StageSummary, kStageCount> stage_summaries(const std::vector<Span>& spans);
StageSummary frame_summary(const std::vector<Span>& spans);

// Which way a latency goes: from the frame's publication to the finished image, or to the image on the display; and the
// first of these for the frames of the second only, so that both can be compared.
enum class Latency { ready, shown, ready_of_shown };
inline constexpr std::size_t kLatencyKinds = 3;

inline constexpr std::int64_t kRecentLatency_ns = 10'000'000'000;
inline constexpr std::int64_t kNoLatencies = std::numeric_limits<std::int64_t>::max();

inline constexpr std::size_t kTracedSpans = 1 << 14;  // the newest ones are kept: some 2000 frames

class TimingTrace {
 public:
  explicit TimingTrace(std::size_t capacity = kTracedSpans);

  void add(const Span& span);  // any thread
  // Of a frame acquired at `from_ns`. Not counted when the frame is older than count_latencies_from() says. [any
  // thread]
  void add_latency(Latency latency, std::int64_t from_ns, std::int64_t to_ns);
  // The time for which the image is frozen or the source paused is no latency: kNoLatencies from its begin, and the
  // moment of its end. [any thread]
  void count_latencies_from(std::int64_t acquired_ns);
  void forget_latencies();                        // begins those since the start, and the last 10 s, again; any thread
  [[nodiscard]] std::vector<Span> spans() const;  // oldest first; any thread
  [[nodiscard]] std::vector<Span> last_spans(std::size_t count) const;  // oldest first; any thread
  // Those added since the last call with the same `seen`, which counts them; it begins at 0. Oldest first; any thread
  [[nodiscard]] std::vector<double> new_latencies_ms(Latency latency, std::uint64_t& seen) const;
  [[nodiscard]] std::array<StageSummary, kStageCount> summarize_stages() const;  // any thread
  [[nodiscard]] StageSummary summarize_latency(Latency latency) const;           // since the start; any thread
  [[nodiscard]] StageSummary recent_latency(Latency latency) const;              // of the last 10 s; any thread
  [[nodiscard]] std::string chrome_json() const;  // Chrome/Perfetto trace events, any thread
  [[nodiscard]] std::string csv() const;          // frame,stage,lane,start_ns,end_ns; from 0; any thread
  void clear();                                   // any thread

 private:
  mutable std::mutex mutex_;
  // All below under mutex_.
  std::vector<Span> ring_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::vector<LatencyRecord> latencies_;  // [kLatencyKinds]
  std::int64_t latencies_from_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace echoloop
