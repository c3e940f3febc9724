// Stream of one source through all its configurations. Policy, pace, rate and faults apply to the running one; slots,
// lanes, memory and streams end it between two frames and make a new one, on a thread of its own, so that the window
// continues. Counts and sequence numbers continue; no frame is lost except by policy. UI or main thread only.
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
  SampleLogPtr samples = nullptr;                   // of the source; null: not checked
  std::vector<FrameSink*> sinks = {};               // in order of offers, each made for the next
  Mailbox<Image>* coarse = nullptr;                 // images shown before those that take long; null: none
  PastImages* past = nullptr;                       // null: no review of history frames
  InspectionAnswers* inspections = nullptr;         // null: no inspection
  AnalysisMailboxes analyses = {};                  // results other than images
  std::uint64_t first_frame = 0;                    // of the source, to start with
  RingCounts counts = {};                           // of the previous session, continued by this one
  double held_reference_db = kAutoReference;        // initial automatic 0 dB level; kAutoReference: measured
  bool reads_once = false;                          // no frame is requested twice, or kept
  bool in_background = false;                       // the constructor returns at once; advance() reports the start
};

class Session {
 public:
  Session(Backend& backend, std::shared_ptr<Source> source, Mailbox<Image>& images, TimingTrace& trace,
          SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void set_params(const ImagingParams& params);
  // Begins a change of settings, in progress until advance() returns true. Throws Error, and changes nothing, if the
  // new configuration does not fit the free memory.
  void begin_stream(const StreamSettings& stream);
  // Follows a change of the source's acquisition between two frames, or before the first (ProducerState::changed):
  // begins the change to a stream of the new one, with these parameters. The history keeps frames of the old one until
  // newer ones need their room. Throws Error, and changes nothing, if the new stream does not fit the free memory.
  void follow_acquisition(const ImagingParams& params);
  // Continues work in progress; returns true when there is none. A configuration that failed is reported by
  // take_refusal() and replaced by the last working one; throws if that fails as well. Then only destruction is
  // possible.
  bool advance();
  void set_host_copy(HostCopy copy);
  void measure_reference();
  void hold_reference(double level_db);
  // Requests images until the next request, also through a change of configuration. A request with `deliver` is lost by
  // a change, counted by configurations().
  void review(ReprocessRequest request);
  [[nodiscard]] std::uint64_t configurations() const { return configurations_; }  // made so far
  [[nodiscard]] std::int64_t started_ns() const { return started_ns_; }           // of the first one; 0 before it runs
  void end_review();
  void inspect(InspectionRequest request);  // lost by a change of configuration, counted by configurations()
  void end_inspection();                    // frees its memory
  // Sets the M-mode's line, also through a change of configuration; nullopt: none.
  void look_at_line(const std::optional<PlanePoint>& at);

  void stop();       // ends both threads; frames in lanes are finished, frames in the ring stay in flight
  void stop_soon();  // stop(), but frames in lanes not finished within kGrace_ns are dropped
  static constexpr std::int64_t kGrace_ns = 300'000'000;
  // Ends a stream that another one replaces: stop_soon(), and everything is destroyed; then the counts are final.
  void end_soon();  // any one thread, as the last call

  [[nodiscard]] bool running() const { return running_ != nullptr; }
  [[nodiscard]] bool done() const;  // nothing more will come: limit reached, end of the recording, refused, or a fault
  [[nodiscard]] RingCounts counts() const { return running() ? running_->ring().counts() : counts_; }
  [[nodiscard]] std::optional<RingRefusal> refusal() const;
  [[nodiscard]] const StreamSettings& stream() const { return options_.stream; }
  [[nodiscard]] Source& source() { return *source_; }
  [[nodiscard]] const AcquisitionPtr& acquisition() const { return source_->acquisition(); }
  [[nodiscard]] std::size_t frame_bytes() const { return source_->acquisition()->frame_bytes(); }
  [[nodiscard]] double rate_hz() const;  // actual rate; kRateMax = unpaced
  // Returns the actual kind for all frames.
  [[nodiscard]] HostMemory host_memory() const { return running() ? running_->host_memory() : host_memory_; }
  // Returns why frames are beamformed in single precision although half precision was requested; null: they are not.
  [[nodiscard]] const char* why_fp32() const { return running() ? running_->pipeline().why_fp32() : nullptr; }
  [[nodiscard]] StreamMemory memory() const;
  [[nodiscard]] std::size_t host_bytes() const { return memory().host_bytes + change_.plan_bytes; }  // plan included
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
  // waiting: for a sender; the previous configuration is discarded, and nothing runs.
  enum class Phase { steady, draining, making, waiting };
  // Change between configurations.
  struct Change {
    StreamSettings made;                    // running, or being made
    std::optional<StreamSettings> working;  // last configuration that could be made
    Phase phase = Phase::steady;
    bool other_acquisition = false;  // while draining: the next configuration is for another one
    bool given_up = false;           // the source was described again while its stream was made: nothing runs
    std::size_t plan_bytes = 0;      // of the running one, without its slots
    std::stop_source stop;           // cancels the configuration being made
    std::future<std::unique_ptr<RunningStream>> making;
  };

  void stop_until(std::int64_t give_up_ns);
  void abandon();
  void make();  // on a thread of its own, from options_ and the remains of the last configuration
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

// Computing device: the user's choice, or CUDA if available and the CPU otherwise, with one note.

struct ChosenBackend {
  std::unique_ptr<Backend> backend;
  std::string note;  // why not CUDA, in one line; may be empty
};

// Throws Error if CUDA was requested and is not available.
ChosenBackend choose_backend(BackendChoice choice);

}  // namespace echoloop
