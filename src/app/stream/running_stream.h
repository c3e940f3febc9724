// One running configuration: slots' memory, ring, processing thread, producer thread, started in this order and stopped
// in reverse. Fixed for its lifetime; a Session makes a new one when slots, lanes, memory or streams change.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/pipeline.h"
#include "backend/plain_array.h"
#include "core/frame_ring.h"
#include "history/file_sinks.h"
#include "source/checked_source.h"
#include "source/producer.h"

namespace echoloop {

// Frames of a recording in memory of the requested kind, for a device.

// A recording that is played repeatedly, for a device: threads copy its frames into memory of the requested kind, piece
// by piece, while they are streamed from their original place; a single piece is copied before. At most a quarter of
// the machine's memory is used; frames beyond it stay in place. Copied rather than page-locked in the mapped file: a
// driver may hang in that, holding the whole process's memory map (seen with Linux 6 and driver 580).
class BackgroundMemory final : public ForwardingSource {
 public:
  struct Limits {
    std::size_t piece_bytes = std::size_t{64} << 20;  // of a piece; at least a frame
    std::size_t total_bytes = 0;                      // of all pieces
    int threads = 1;
  };

  // `source` lends its frames; it and the backend must outlive the object.
  BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend, const Limits& limits);
  ~BackgroundMemory() override;
  BackgroundMemory(const BackgroundMemory&) = delete;
  BackgroundMemory& operator=(const BackgroundMemory&) = delete;

  [[nodiscard]] bool zero_copy() const override { return true; }

  // Any thread:
  [[nodiscard]] std::size_t bytes() const { return frames_in_place_ * frame_bytes_; }  // copied so far
  [[nodiscard]] bool complete() const { return frames_in_place_ == frame_count(); }    // all frames are copied
  [[nodiscard]] bool working() const { return working_ > 0; }

 private:
  struct Piece {
    PlainArray<std::byte> memory;  // page-locked by `lock`; or
    std::unique_ptr<PageLock> lock;
    std::unique_ptr<HostMemoryBlock> block;
    std::span<const std::byte> frames;
    std::atomic<bool> ready{false};
  };

  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  void copy_pieces(const std::stop_token& stop);
  bool copy_piece(std::size_t number, const std::stop_token& stop);

  HostMemory kind_;
  Backend& backend_;
  std::size_t frame_bytes_;
  std::uint64_t frames_a_piece_;
  std::vector<Piece> pieces_;  // the maximum number
  std::atomic<std::size_t> next_piece_{0};
  std::atomic<std::uint64_t> frames_in_place_{0};
  std::atomic<int> working_{0};        // threads
  std::vector<std::jthread> threads_;  // last: end first
};

// A recording that is read once, for a device: threads read its frames ahead, each into memory of the requested kind,
// which is exchanged with a slot's. Not lent in place: the check of the samples and the driver's copy from a mapped
// file would be one thread's work, and locking memory for the whole recording takes longer than reading it.
class StagedFrames final : public ForwardingSource {
 public:
  // `source` lends its frames.
  StagedFrames(std::shared_ptr<SeekableSource> source, int threads);
  ~StagedFrames() override;
  StagedFrames(const StagedFrames&) = delete;
  StagedFrames& operator=(const StagedFrames&) = delete;

  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;

 private:
  enum class State { empty, filling, full };
  struct Stage {
    FrameMemory memory;
    State state = State::empty;
    std::uint64_t index = 0;     // of the frame, if not empty
    std::exception_ptr problem;  // of a full one without a frame
  };

  // Lends the frame if `slot` has no memory.
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  Stage& stage_of(std::uint64_t index) { return stages_[index % stages_.size()]; }
  void go_on_from(std::uint64_t index);
  [[nodiscard]] bool may_fill();
  void fill_stages(const std::stop_token& stop);

  const int n_threads_;
  std::mutex mutex_;
  std::condition_variable_any filled_, emptied_;
  // Under mutex_; memory and problem of a stage being filled belong to the thread that fills it.
  std::vector<Stage> stages_;
  std::uint64_t wanted_ = 0;           // next frame to be requested
  std::uint64_t next_ = 0;             // not yet being filled
  std::vector<std::jthread> threads_;  // last: end first
};

// Frames of the recording in memory of one kind; kept between configurations.
struct PinnedSource {
  HostMemory kind = HostMemory::pageable;
  std::shared_ptr<Source> source;                     // read by the producer
  std::shared_ptr<PageLock> page_lock;                // of the source's own memory
  std::shared_ptr<BackgroundMemory> background = {};  // `source`, while its frames are copied
};

struct StreamPlan {
  Backend& backend;
  std::shared_ptr<Source> source;
  Mailbox<Image>& images;
  TimingTrace& trace;
  StreamSettings stream;
  ImagingParams params;
  PipelineOptions pipeline;            // lanes, mode and injection come from `stream`
  std::vector<FrameSink*> sinks = {};  // in order of offers, each passes frames to the next
  bool reads_once = false;             // no frame is requested twice, or kept
  double rate_hz = 0.0;
  RingCounts counts;  // of the previous configuration
  std::uint64_t first_sequence = 0;
  PinnedSource pinned;  // of the previous configuration
};

class RunningStream {
 public:
  explicit RunningStream(StreamPlan plan);  // starts both threads; throws if that fails
  ~RunningStream();
  RunningStream(const RunningStream&) = delete;
  RunningStream& operator=(const RunningStream&) = delete;

  void set_live(const StreamSettings& stream, double rate_hz);  // settings that need no new configuration

  [[nodiscard]] FrameRing& ring() { return *ring_; }
  [[nodiscard]] Pipeline& pipeline() { return *pipeline_; }
  [[nodiscard]] Producer& producer() { return *producer_; }
  [[nodiscard]] HostMemory host_memory() const;                         // actual kind for all frames
  [[nodiscard]] std::size_t slot_bytes() const { return slot_bytes_; }  // 0: frames are lent
  [[nodiscard]] std::size_t plan_bytes() const { return plan_bytes_; }  // on the host, without the slots; an estimate
  [[nodiscard]] const PinnedSource& pinned() const { return pinned_; }
  [[nodiscard]] std::int64_t started_ns() const { return started_ns_; }  // just before the request of the first frame

 private:
  void make_pinned(const StreamPlan& plan);
  std::vector<FrameMemory> make_slots(const StreamPlan& plan);
  void feed_sinks(const StreamPlan& plan);

  std::shared_ptr<Source> source_;
  std::vector<FrameSink*> sinks_;
  HostMemory host_memory_ = HostMemory::pageable;
  std::size_t slot_bytes_ = 0;
  std::size_t plan_bytes_ = 0;
  std::int64_t started_ns_ = 0;
  PinnedSource pinned_;
  std::unique_ptr<FrameRing> ring_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<Producer> producer_;
};

// Returns memory of a slot or of the history: from the source, if its memory avoids a copy, page-locked if requested
// and possible; otherwise from the backend. FrameMemory::kind is the actual kind.
FrameMemory frame_memory(Backend& backend, Source& source, std::size_t bytes, HostMemory kind);

ProducerOptions producer_options(const StreamSettings& stream, double rate_hz);

}  // namespace echoloop
