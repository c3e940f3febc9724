// One running stream: source, ring, producer thread, processing thread. Made when a source is opened, remade when the
// way frames travel changes (slots, lanes, memory, streams); counts and sequence numbers go on. UI or main thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/pipeline.h"
#include "core/frame_ring.h"
#include "core/image.h"
#include "core/mailbox.h"
#include "core/timing_trace.h"
#include "source/producer.h"

namespace echoloop {

struct SessionOptions {
  StreamSettings stream;
  ImagingParams params;
  std::uint64_t max_frames = 0;  // 0 = no limit
  bool host_images = true;
  std::function<void(const Image&)> on_image;  // [processing thread]
};

class Session {
 public:
  Session(Backend& backend, std::shared_ptr<Source> source, Mailbox<Image>& images, TimingTrace& trace,
          SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void set_params(const ImagingParams& params);
  // Policy, rate, loop and pause act on the running stream; the rest stops it between two frames and starts it again:
  // frames in lanes are finished; frames still waiting in the ring are processed first.
  void set_stream(const StreamSettings& stream);
  // The same without waiting: begin_stream() asks, advance() is called until it says true. Throws when the new
  // arrangement cannot be made; then only destruction is left.
  void begin_stream(const StreamSettings& stream);
  bool advance();
  void set_host_images(bool wanted);
  void measure_reference() { pipeline_->measure_reference(); }

  void stop();  // ends both threads; frames in lanes are finished, frames in the ring stay in flight

  [[nodiscard]] bool done() const;  // nothing more will come: limit reached, recording at its end, refused, or a fault
  [[nodiscard]] RingCounts counts() const { return ring_->counts(); }
  [[nodiscard]] const StreamSettings& stream() const { return options_.stream; }
  [[nodiscard]] Source& source() { return *source_; }
  [[nodiscard]] std::size_t frame_bytes() const { return source_->acquisition()->frame_bytes(); }
  [[nodiscard]] double rate_hz() const;          // the rate in use; kRateMax = unpaced
  [[nodiscard]] HostMemory host_memory() const;  // that frames really lie in; recordings lend theirs in place
  [[nodiscard]] std::string fault() const { return pipeline_->fault(); }  // the processing thread's, empty = none
  [[nodiscard]] std::string producer_report() const { return producer_->report(); }
  [[nodiscard]] ProducerState producer_state() const { return producer_->state(); }
  [[nodiscard]] std::string take_refusal() { return pipeline_->take_refusal(); }

 private:
  void start(const RingCounts& counts, std::uint64_t first_sequence, double held_reference_db);

  Backend& backend_;
  std::shared_ptr<Source> source_;
  std::shared_ptr<Source> feed_;  // what the producer reads: source_, or its frames in page-locked memory
  Mailbox<Image>& images_;
  TimingTrace& trace_;
  SessionOptions options_;
  bool remaking_ = false;
  std::unique_ptr<PageLock> page_lock_;
  std::vector<std::unique_ptr<HostMemoryBlock>> memory_;  // one a slot
  std::unique_ptr<FrameRing> ring_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<Producer> producer_;
};

// The pace of a source when the user asks for none: its own frame rate, as far as a screen can follow.
double default_rate_hz(const Acquisition& acquisition);

}  // namespace echoloop
