// Fixed ring of timed spans {frame, stage, lane, start, end}, written by every thread of the stream. Adding holds one
// short lock and never allocates. Percentiles and the Chrome trace use a snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

// Percentiles of durations, in milliseconds.

struct StageSummary {
  double p50_ms = 0.0;
  double p95_ms = 0.0;
  double p99_ms = 0.0;
  double p999_ms = 0.0;
  double max_ms = 0.0;
  std::size_t count = 0;
};

// Returns nearest-rank percentiles; reorders `values_ms`.
StageSummary summarize(std::vector<double>& values_ms);

// Latencies of one kind: the newest ones exactly, with their times, and all of them in a histogram, so that percentiles
// since the start of a long stream need constant memory. Adding never allocates. One thread at a time, under the lock
// of TimingTrace.

class LatencyRecord {
 public:
  explicit LatencyRecord(std::size_t kept) : ring_(kept) {}

  void add(std::int64_t at_ns, double ms);
  void clear();

  [[nodiscard]] std::vector<double> last_ms(std::size_t wanted) const;  // oldest first; at most the kept ones
  [[nodiscard]] std::uint64_t added() const { return added_; }          // total, independent of clear()

  // Returns figures since clear(): exact while all are kept, later within 0.3 %.
  [[nodiscard]] StageSummary since_start() const;
  // Returns figures of the time `within_ns` before the newest one, as far as kept: an idle stream keeps its last ones.
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

// Stages of a frame, in order; the names in timings, traces and the report.

// produce: the source writes a frame. upload: host to device. load: injected extra work (core/stream_settings.h).
// condition .. compress: the signal chain. refine: image filters, if any. present: copy to the texture. draw: the
// window's own frame. vsync: an instant, the window's image changed.
enum class Stage : std::uint8_t {
  produce,
  upload,
  load,
  condition,
  beamform,
  envelope,
  compress,
  refine,
  present,
  draw,
  vsync
};
inline constexpr Stage kLastOfFrame = Stage::refine;

// Rows of a timeline, in order; several of kernels if lanes overlap.
enum class RowKind { producer, copy, kernels, texture, window, vsync };

struct StageRow {
  std::string_view key;    // in reports, traces and tables
  std::string_view label;  // in the panel of timings
  std::string_view title;  // of its block in the timeline: activity in that row
  RowKind row;
  std::uint32_t color;  // 0xRRGGBB, in timeline, panels and profilers
};
// In the order of the enumeration. Stages outside the signal chain have neutral colours; every two differ by at least
// 10 (CIEDE2000), also for deuteranopia (tests/unit/theme_test.cpp).
inline constexpr auto kStages = std::to_array<StageRow>({
    {"produce", "Produce", "Produce", RowKind::producer, 0x7E8282},
    {"upload", "Upload", "Copy", RowKind::copy, 0x6188E4},
    {"load", "Extra load", "Extra load", RowKind::kernels, 0x61635B},
    {"condition", "Condition", "Condition", RowKind::kernels, 0x53B69E},
    {"beamform", "Beamform", "Beamform", RowKind::kernels, 0xB494E8},
    {"envelope", "Envelope", "Envelope", RowKind::kernels, 0xDFC660},
    {"compress", "Compress", "Compress", RowKind::kernels, 0xCD6FAA},
    {"refine", "Refine", "Refine", RowKind::kernels, 0xD9905F},
    {"present", "Present", "Texture", RowKind::texture, 0xB0BBC9},
    {"draw", "Draw", "Window", RowKind::window, 0x5B6771},
    {"vsync", "Vsync", "Vsync", RowKind::vsync, 0xE8ECEF},
});
inline constexpr int kStageCount = static_cast<int>(kStages.size());
constexpr const StageRow& row_of(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

// Returns true for stages that may complete an image.
constexpr bool ends_frame(Stage stage) { return stage >= Stage::compress && stage <= kLastOfFrame; }

struct Span {
  std::uint64_t frame = 0;  // sequence number
  Stage stage = Stage::produce;
  std::uint8_t lane = 0;
  std::int64_t start_ns = 0;  // steady clock
  std::int64_t end_ns = 0;
};

// Rate-limiting times of a stream: t_t, one frame's copy to the device; t_p, the rest of its work there. A frame needs
// t_t + t_p in series, the larger of both with overlap.
struct StreamTiming {
  double t_t_ms = 0.0;     // median
  double t_p_ms = 0.0;     // median, from the start of the first kernel to the end of the last
  double period_ms = 0.0;  // measured, mean: between the ends of successive frames
  std::size_t frames = 0;  // used; 0 = nothing known
  [[nodiscard]] double serial_ms() const { return t_t_ms + t_p_ms; }
  [[nodiscard]] double overlap_ms() const { return t_t_ms > t_p_ms ? t_t_ms : t_p_ms; }
};
// Uses frames whose copy began at `from_ns` or later: a time without frames before it is not part of the period.
StreamTiming stream_timing(const std::vector<Span>& spans, std::int64_t from_ns = 0);

// Return durations of each stage, and of each frame from the start of its copy to the end of its last stage.
std::array<StageSummary, kStageCount> stage_summaries(const std::vector<Span>& spans);
StageSummary frame_summary(const std::vector<Span>& spans);

// End points of a latency: from the frame's publication to the finished image, or to the image on the display; and the
// first of these for the frames of the second only, for comparison.
enum class Latency { ready, shown, ready_of_shown };
inline constexpr std::size_t kLatencyKinds = 3;

inline constexpr std::int64_t kRecentLatency_ns = 10'000'000'000;
inline constexpr std::int64_t kNoLatencies = std::numeric_limits<std::int64_t>::max();

inline constexpr std::size_t kTracedSpans = 1 << 14;  // newest ones are kept: some 2000 frames

class TimingTrace {
 public:
  explicit TimingTrace(std::size_t capacity = kTracedSpans);

  void add(const Span& span);  // any thread
  // Adds a latency of a frame acquired at `from_ns`; ignored if the frame precedes count_latencies_from(). [any thread]
  void add_latency(Latency latency, std::int64_t from_ns, std::int64_t to_ns);
  // Excludes the time while the image is frozen or the source paused: kNoLatencies at its start, and the time of its
  // end. [any thread]
  void count_latencies_from(std::int64_t acquired_ns);
  void forget_latencies();                        // restarts those since the start, and of the last 10 s; any thread
  [[nodiscard]] std::vector<Span> spans() const;  // oldest first; any thread
  [[nodiscard]] std::vector<Span> last_spans(std::size_t count) const;  // oldest first; any thread
  // Returns those added since the last call with the same `seen`, a counter that starts at 0. Oldest first; any thread
  [[nodiscard]] std::vector<double> new_latencies_ms(Latency latency, std::uint64_t& seen) const;
  [[nodiscard]] std::array<StageSummary, kStageCount> summarize_stages() const;  // any thread
  [[nodiscard]] StageSummary summarize_latency(Latency latency) const;           // since the start; any thread
  [[nodiscard]] StageSummary recent_latency(Latency latency) const;              // of the last 10 s; any thread
  [[nodiscard]] std::string chrome_json() const;  // Chrome/Perfetto trace events; any thread
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

// Ranges for an external profiler, named as the stages of the timeline. The core is independent of profilers: a backend
// with one installs hooks; without hooks a range costs one load.

// `push` begins a range on the calling thread, `pop` ends the last one begun there; both or neither null. Open ranges
// end with the hooks they began with. [any thread]
void set_profiler_hooks(void (*push)(Stage), void (*pop)());

// Host part of a stage during the object's lifetime; on a device the time of queueing its work.
class [[nodiscard]] ProfileRange {
 public:
  explicit ProfileRange(Stage stage);
  ~ProfileRange() {
    if (pop_ != nullptr) pop_();
  }
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;

 private:
  void (*pop_)() = nullptr;  // hook that ends this range
};

}  // namespace echoloop
