// One source's stream through all its configurations. Policy, pace, rate and faults act on what runs; slots, lanes,
// memory and streams end it between two frames and make a new configuration, on a thread of its own, so that the window
// goes on. Counts and sequence numbers go on; no frame is lost that the policy would not lose. UI or main thread only.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/stream/running_stream.h"
#include "app/stream/stream_memory.h"
#include "backend/backend.h"
#include "core/sample_log.h"

namespace echoloop {

struct SessionOptions {
  StreamSettings stream;
  ImagingParams params;
  std::uint64_t max_frames = 0;  // 0 = no limit
  HostCopy host_copy = HostCopy::made;
  std::function<void(const Image&)> on_image = {};  // [processing thread]
  std::shared_ptr<PixelSink> pixels = nullptr;      // see PipelineOptions
  SampleLogPtr samples = nullptr;                   // of the source; null: its samples are not checked
  std::vector<FrameSink*> sinks = {};               // in the order in which frames are offered, each made for the next
  PastImages* past = nullptr;                       // null: kept frames cannot be reviewed
  InspectionAnswers* inspections = nullptr;         // null: nor inspected
  AnalysisMailboxes analyses = {};                  // what is made beside the images
  std::uint64_t first_frame = 0;                    // of the source, to begin with
  RingCounts counts = {};                           // of the session before, which this one continues
  double held_reference_db = kAutoReference;        // the automatic 0 dB level to begin with; kAutoReference: measured
  bool reads_once = false;                          // no frame is asked for twice, or kept
  bool in_background = false;                       // the constructor returns at once; advance() shows when it runs
};

class Session {
 public:
  Session(Backend& backend, std::shared_ptr<Source> source, Mailbox<Image>& images, TimingTrace& trace,
          SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void set_params(const ImagingParams& params);
  // Begins the change to other settings; until advance() says true it is under way. Throws Error, and changes nothing,
  // when the new configuration does not fit the memory there is.
  void begin_stream(const StreamSettings& stream);
  // The source has changed its acquisition between two frames, or before the first (ProducerState::changed): begins the
  // change to a stream of the new one, with these parameters. What the history keeps of the old one stays until newer
  // frames need its room. Throws Error, and changes nothing, when the new stream does not fit the memory there is.
  void follow_acquisition(const ImagingParams& params);
  // Goes on with what is under way; true when nothing is. A configuration that could not be made is reported by
  // take_refusal() and replaced by the last one that worked; throws when not even that works. Then only destruction is
  // left.
  bool advance();
  void set_host_copy(HostCopy copy);
  void measure_reference();
  void hold_reference(double level_db);
  // Stands until the next one, also through a change of configuration. One with `deliver` does not: it is lost by a
  // change, which configurations() counts.
  void review(ReprocessRequest request);
  [[nodiscard]] std::uint64_t configurations() const { return configurations_; }  // made so far
  [[nodiscard]] std::int64_t started_ns() const { return started_ns_; }           // of the first one; 0 before it runs
  void end_review();
  void inspect(InspectionRequest request);  // lost by a change of configuration, which configurations() counts
  void end_inspection();                    // what it needed is given back
  // Where the M-mode's line is, also through a change of configuration; nothing: there is none.
  void look_at_line(const std::optional<PlanePoint>& at);

  void stop();       // ends both threads; frames in lanes are finished, frames in the ring stay in flight
  void stop_soon();  // likewise, but frames in lanes that are not finished within kGrace are dropped
  static constexpr std::int64_t kGrace_ns = 300'000'000;
  // Of a stream that another one replaces: stop_soon(), and all that runs is destroyed; then the counts are final.
  void end_soon();  // any one thread, as the last call

  [[nodiscard]] bool running() const { return running_ != nullptr; }
  [[nodiscard]] bool done() const;  // nothing more will come: limit reached, recording at its end, refused, or a fault
  [[nodiscard]] RingCounts counts() const { return running() ? running_->ring().counts() : counts_; }
  [[nodiscard]] std::optional<RingRefusal> refusal() const;
  [[nodiscard]] const StreamSettings& stream() const { return options_.stream; }
  [[nodiscard]] Source& source() { return *source_; }
  [[nodiscard]] const AcquisitionPtr& acquisition() const { return source_->acquisition(); }
  [[nodiscard]] std::size_t frame_bytes() const { return source_->acquisition()->frame_bytes(); }
  [[nodiscard]] double rate_hz() const;  // the rate in use; kRateMax = unpaced
  // That all frames really lie in.
  [[nodiscard]] HostMemory host_memory() const { return running() ? running_->host_memory() : host_memory_; }
  // Why frames are beamformed in single precision though half precision was asked for; null: they are not.
  [[nodiscard]] const char* why_fp32() const { return running() ? running_->pipeline().why_fp32() : nullptr; }
  [[nodiscard]] StreamMemory memory() const;
  [[nodiscard]] std::size_t host_bytes() const { return memory().host_bytes + change_.plan_bytes; }  // with its plan
  [[nodiscard]] std::string fault() const { return running() ? running_->pipeline().fault() : std::string(); }
  [[nodiscard]] AnalysisCounts analysis_counts() const {
    return running() ? running_->pipeline().analysis_counts() : AnalysisCounts();
  }
  [[nodiscard]] std::string producer_report() const {
    return running() ? running_->producer().report() : std::string();
  }
  [[nodiscard]] ProducerState producer_state() const;
  [[nodiscard]] std::string take_refusal();

 private:
  // waiting: for a sender; what was made for the one before is given up, and nothing runs.
  enum class Phase { steady, draining, making, waiting };
  // From one configuration to the next.
  struct Change {
    StreamSettings made;                    // what runs, or is being made
    std::optional<StreamSettings> working;  // the last configuration that could be made
    Phase phase = Phase::steady;
    bool other_acquisition = false;  // while draining: what is made then is for another one
    bool given_up = false;           // the source was described again while a stream of it was made: nothing runs
    std::size_t plan_bytes = 0;      // of what runs, beside its slots
    std::stop_source stop;           // what is being made is not wanted, and no longer waited for
    std::future<std::unique_ptr<RunningStream>> making;
  };

  void stop_until(std::int64_t give_up_ns);
  void abandon();
  void make();  // on a thread of its own, from options_ and what the last configuration left
  void take_made();
  void apply_live();
  [[nodiscard]] bool same_configuration(const StreamSettings& a, const StreamSettings& b) const;
  void check_fits(const StreamSettings& wanted, const ImagingParams& params) const;
  void give_up_made();

  Backend& backend_;
  std::shared_ptr<Source> source_;
  Mailbox<Image>& images_;
  TimingTrace& trace_;
  SessionOptions options_;
  Change change_;
  RingCounts counts_;  // while nothing runs
  std::uint64_t next_sequence_ = 0;
  std::uint64_t configurations_ = 0;
  std::int64_t started_ns_ = 0;
  double held_reference_db_ = kAutoReference;
  PinnedSource pinned_;
  HostMemory host_memory_ = HostMemory::pageable;
  std::optional<ReprocessRequest> review_;
  std::optional<PlanePoint> line_;  // of the M-mode
  std::string refusal_;
  std::unique_ptr<RunningStream> running_;
};

// The computing device: what the user asked for, or CUDA where it works and the CPU otherwise, said once.

struct ChosenBackend {
  std::unique_ptr<Backend> backend;
  std::string note;  // why not CUDA, in one line; empty when there is nothing to say
};

// Throws Error when CUDA was asked for and cannot be had.
ChosenBackend choose_backend(BackendChoice choice);

}  // namespace echoloop
