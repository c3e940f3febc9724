// What runs: slots' memory, ring, processing thread, producer thread, in the order in which they start and the reverse
// of which they stop. One configuration for its life; a Session makes a new one when slots, lanes, memory or streams
// change.
#pragma once

#include <memory>
#include <vector>

#include "app/stream/background_memory.h"
#include "backend/pipeline.h"
#include "core/frame_ring.h"
#include "history/frame_sink.h"
#include "source/producer.h"

namespace echoloop {

// The recording's frames in memory of one kind; kept from one configuration to the next.
struct PinnedSource {
  HostMemory kind = HostMemory::pageable;
  std::shared_ptr<Source> source;                     // what the producer reads
  std::shared_ptr<PageLock> page_lock;                // of the source's own memory
  std::shared_ptr<BackgroundMemory> background = {};  // `source`, while its frames are brought there
};

struct StreamPlan {
  Backend& backend;
  std::shared_ptr<Source> source;
  Mailbox<Image>& images;
  TimingTrace& trace;
  StreamSettings stream;
  ImagingParams params;
  PipelineOptions pipeline;            // lanes, mode and injection are taken from `stream`
  std::vector<FrameSink*> sinks = {};  // in the order in which frames are offered, each passes them on to the next
  bool reads_once = false;             // no frame is asked for twice, or kept
  double rate_hz = 0.0;
  RingCounts counts;  // of the configuration before
  std::uint64_t first_sequence = 0;
  PinnedSource pinned;  // of the configuration before
};

class RunningStream {
 public:
  explicit RunningStream(StreamPlan plan);  // starts both threads. Throws when it cannot be made
  ~RunningStream();
  RunningStream(const RunningStream&) = delete;
  RunningStream& operator=(const RunningStream&) = delete;

  void set_live(const StreamSettings& stream, double rate_hz);  // what needs no other configuration

  [[nodiscard]] FrameRing& ring() { return *ring_; }
  [[nodiscard]] Pipeline& pipeline() { return *pipeline_; }
  [[nodiscard]] Producer& producer() { return *producer_; }
  [[nodiscard]] HostMemory host_memory() const;                         // that all frames really lie in
  [[nodiscard]] std::size_t slot_bytes() const { return slot_bytes_; }  // 0: frames are lent
  [[nodiscard]] std::size_t plan_bytes() const { return plan_bytes_; }  // on the host, beside the slots; an estimate
  [[nodiscard]] const PinnedSource& pinned() const { return pinned_; }
  [[nodiscard]] std::int64_t started_ns() const { return started_ns_; }  // just before the first frame was asked for

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

// One slot's or the history's memory: from the source, when it has some that spares a copy, page-locked if that is
// wanted and possible; otherwise from the backend. Its kind says what it is.
FrameMemory frame_memory(Backend& backend, Source& source, std::size_t bytes, HostMemory kind);

ProducerOptions producer_options(const StreamSettings& stream, double rate_hz);

}  // namespace echoloop
