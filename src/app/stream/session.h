// Stream of one source through all its configurations. Policy, pace, rate and faults apply to the running one; slots,
// lanes, memory and streams end it between two frames and make a new one, on a thread of its own, so that the window
// continues. Counts and sequence numbers continue; no frame is lost except by policy. UI or main thread only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/options/options.h"
#include "backend/backend.h"
#include "backend/pipeline.h"
#include "backend/plain_array.h"
#include "core/frame_ring.h"
#include "core/params.h"
#include "core/sample_log.h"
#include "core/stream_settings.h"
#include "history/file_sinks.h"
#include "source/producer.h"
#include "source/source.h"

namespace echoloop {

// Memory of a stream on the host and on the device, and check that another configuration fits.

// Bytes; device numbers are 0 on the CPU.
struct StreamMemory {
  std::size_t slot_bytes = 0;      // one slot; 0: frames are lent in place
  std::size_t in_place_bytes = 0;  // of a long recording, copied so far into the requested kind of memory
  std::size_t host_bytes = 0;      // slots and the recording's copy
  std::size_t lane_bytes = 0;      // one lane, on the device
  DeviceMemory device;
};

// Returns the bytes of the ring's slots on the host; 0 if the source lends its frames.
std::size_t slots_bytes(const Source& source, const StreamSettings& stream);
std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream);

// Memory of a stream, before it is made, in bytes.
struct StreamNeed {
  std::size_t slots = 0;   // all of them; 0: frames are lent in place
  std::size_t plan = 0;    // tables
  std::size_t lanes = 0;   // all of them, on the host; 0: on a device
  std::size_t device = 0;  // lanes and tables there, at least
  [[nodiscard]] std::size_t beside_slots() const { return plan + lanes; }
};
[[nodiscard]] StreamNeed stream_need(const Source& source, const ImagingParams& params, const StreamSettings& stream,
                                     const Backend& backend);
// Throws Error, beginning with `name`, if the need exceeds the free memory plus `given_back`, or the device's free and
// used memory, for a stream that ends first.
void require_memory(const std::string& name, const StreamSettings& wanted, const StreamNeed& need,
                    std::size_t given_back, const DeviceMemory& device);

// Throws Error if `more_lanes` lanes, as large as the running ones, do not fit the device. 0 or fewer always fit.
void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now);

// Returns "12.3 MB", for messages.
std::string megabytes(std::size_t bytes);

// Returns the default history memory: a quarter of the free memory, at most 4 GB.
std::size_t default_history_bytes();

// Returns freed memory, kept in the heaps of many threads, to the system. A few ms; any thread.
void give_back_freed_memory();

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
  int host_share = 1;                  // devices that share cores and memory of the host
  double rate_hz = 0.0;
  RingCounts counts;  // of the previous configuration
  std::uint64_t first_sequence = 0;
  PinnedSource pinned;  // of the previous configuration
};

// One running configuration: slots' memory, ring, processing thread, producer thread, started in this order and stopped
// in reverse. Fixed for its lifetime; a Session makes a new one when slots, lanes, memory or streams change.
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

struct SessionOptions {
  StreamSettings stream;
  ImagingParams params;
  std::uint64_t max_frames = 0;  // 0 = no limit
  HostCopy host_copy = HostCopy::made;
  std::function<void(const Image&)> on_image = {};  // [processing thread]
  std::shared_ptr<PixelSink> pixels = nullptr;      // see PipelineOptions
  std::vector<std::shared_ptr<Outlet>> outlets = {};
  double method_limit_s = kLiveMethodLimit_s;  // see PipelineOptions
  SampleLogPtr samples = nullptr;              // of the source; null: not checked
  std::vector<FrameSink*> sinks = {};          // in order of offers, each made for the next
  Mailbox<Image>* coarse = nullptr;            // images shown before those that take long; null: none
  PastImages* past = nullptr;                  // null: no review of history frames
  InspectionAnswers* inspections = nullptr;    // null: no inspection
  AnalysisMailboxes analyses = {};             // results other than images
  std::uint64_t first_frame = 0;               // of the source, to start with
  RingCounts counts = {};                      // of the previous session, continued by this one
  double held_reference_db = kAutoReference;   // initial automatic 0 dB level; kAutoReference: measured
  bool reads_once = false;                     // no frame is requested twice, or kept
  int host_share = 1;                          // devices that share cores and memory of the host
  bool in_background = false;                  // the constructor returns at once; advance() reports the start
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
  [[nodiscard]] bool usable() const { return backend_.usable(); }  // see Backend::usable()
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

// Throws Error if CUDA, or a GPU by its number, was requested and is not available.
ChosenBackend choose_backend(const DeviceChoice& choice);

}  // namespace echoloop
