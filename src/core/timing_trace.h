// A fixed ring of timed spans {frame, stage, lane, start, end}, written by every thread of the stream.
// Adding takes one short lock and never allocates. Percentiles and the Chrome trace are made from a snapshot.
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

// Percentiles of how long something took, in milliseconds.

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

// The latencies of one kind: the newest ones exactly, with their moments, and all of them in a histogram, so that
// percentiles since the start of a long stream neither grow nor forget. Adding never allocates. One thread at a time:
// TimingTrace holds its lock around it.

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

// The stages of a frame's life, in order; the vocabulary of timings, traces and the report.

// produce: the source writes a frame. upload: host to device. load: extra work that somebody asked for
// (core/stream_settings.h). condition .. compress: the signal chain. refine: filters of the image, where any are on.
// present: the image goes into its texture. draw: the window's own frame. vsync: a moment, the window's image
// changed.
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

// The rows of a timeline, in order; several of kernels where lanes work side by side.
enum class RowKind { producer, copy, kernels, texture, window, vsync };

struct StageRow {
  std::string_view key;    // in reports, traces and tables
  std::string_view label;  // in the panel of timings
  std::string_view title;  // of its block in the timeline: what happens in that row
  RowKind row;
  std::uint32_t color;  // 0xRRGGBB, in timeline, panels and profilers
};
// In the order of their values. Of what is no stage of the signal chain the colours are neutral; every two differ by at
// least 10 (CIEDE2000), also as a deuteranope sees them (tests/unit/theme_test.cpp).
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

// The stages that may be a frame's last one before it is an image.
constexpr bool ends_frame(Stage stage) { return stage >= Stage::compress && stage <= kLastOfFrame; }

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

// Ranges for an outside profiler, named like the stages of the timeline, so that both show the same image. The core
// knows no profiler: a backend that has one installs hooks; without hooks a range costs one load.

// `push` begins a range on the calling thread, `pop` ends the last one begun there; both or neither null. Ranges that
// are open at that moment end as they began. [any thread]
void set_profiler_hooks(void (*push)(Stage), void (*pop)());

// The host's part of a stage, from construction to destruction. On a device that only means: its work is being queued.
class [[nodiscard]] ProfileRange {
 public:
  explicit ProfileRange(Stage stage);
  ~ProfileRange() {
    if (pop_ != nullptr) pop_();
  }
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;

 private:
  void (*pop_)() = nullptr;  // of the hooks that began this range
};

}  // namespace echoloop
