// Processing thread: reads frames from the ring, drives them through lanes, swaps finished images into a mailbox. Owns
// lanes and plan. New parameters come by mailbox and apply from the next frame; a change never drops or stalls a frame.
// A frame whose beamforming would still take long is restarted with them (Backend::supersede). A fault ends the stream
// with a message; the ring is closed and its unfinished frames are counted as lost. Between the live frames, and after
// the stream's end, it reprocesses history frames (reprocessor.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend/analyses.h"
#include "backend/analysis.h"
#include "backend/backend.h"
#include "backend/frame_processor.h"
#include "backend/persistence.h"
#include "backend/plan.h"
#include "backend/reprocessor.h"
#include "backend/wait_policy.h"
#include "core/frame.h"
#include "core/frame_ring.h"
#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/timing_trace.h"
#include "core/units.h"

namespace echoloop {

struct PipelineOptions {
  int lanes = 2;
  StreamMode mode = StreamMode::overlap;
  HostMemory memory = HostMemory::pinned;  // see LaneSettings
  CopySettings copy = {};
  std::uint64_t max_frames = 0;                // stops after this many processed frames; 0: no limit
  HostCopy host_copy = HostCopy::made;         // of each image
  double method_limit_s = kLiveMethodLimit_s;  // see FrameForming
  double held_reference_db = kAutoReference;   // level to continue with when the parameters ask for an automatic one
  Injection inject;
  // Called with each image before it is published. [processing thread]
  std::function<void(const Image&)> on_image = {};
  // Receives the complex pixels of each frame that has them, before on_image its image; null: none.
  std::shared_ptr<PixelSink> pixels = nullptr;
  std::vector<std::shared_ptr<Outlet>> outlets = {};  // each is offered every image, before on_image its pixels
  Mailbox<Image>* coarse = nullptr;                   // images before those that take long; null: none
  PastImages* past = nullptr;                         // null: no review of history frames
  InspectionAnswers* inspections = nullptr;           // null: no inspection; needs `past`
  AnalysisMailboxes analyses = {};                    // results other than images
};

class Pipeline {
 public:
  // Starts the thread. Throws Error if the parameters do not fit the acquisition.
  Pipeline(Backend& backend, FrameRing& ring, AcquisitionPtr acquisition, const ImagingParams& params,
           Mailbox<Image>& images, TimingTrace& trace, PipelineOptions options);
  ~Pipeline();  // stops and joins
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void set_params(const ImagingParams& params);             // UI thread
  void set_host_copy(HostCopy copy) { host_copy_ = copy; }  // any thread
  void measure_reference() { level_.measure = true; }       // the next frame's brightest pixel becomes 0 dB; any thread
  // Sets the automatic level, as of all transmits (core/params.h). [any thread]
  void hold_reference(double level_db) {
    level_.measure = false;
    level_.held_db = level_db;
  }
  void set_injection(const Injection& injection);  // any thread
  void review(ReprocessRequest request);           // any thread; see PipelineOptions::past
  void end_review();                               // returns to live images; any thread
  void inspect(InspectionRequest request);         // any thread; see PipelineOptions::inspections
  void end_inspection();                           // any thread
  // Sets the position of the M-mode's line; nullopt: none. See AnalysisMailboxes::line. UI thread
  void look_at_line(const std::optional<PlanePoint>& at) { line_.look_at(at); }
  void stop();  // ends the stream after the frames already in lanes; any thread
  // Ends the stream; frames in lanes are counted as lost. The lanes return at once only after Backend::abandon(), which
  // must follow. [any thread]
  void abandon();

  [[nodiscard]] bool done() const { return ending_.done; }  // the stream has ended; any thread
  [[nodiscard]] std::string fault() const;                  // empty = none; any thread
  [[nodiscard]] std::string take_refusal();                 // last unusable parameters, returned once; any thread
  // Returns Plan::why_fp32 of the current plan. [any thread]
  [[nodiscard]] const char* why_fp32() const { return planning_.why_fp32; }
  [[nodiscard]] AnalysisCounts analysis_counts() const { return analyses_.counts(); }  // any thread
  [[nodiscard]] double held_reference_db() const { return level_.held_db; }            // of all transmits; any thread

 private:
  // A lane with one frame, or several small ones.
  struct Slot {
    std::unique_ptr<Lane> lane;
    std::vector<FrameRing::ReadLease> leases;  // until the samples are on the device
    std::vector<RfFrame> frames;               // of the leases
    std::shared_ptr<const Plan> plan;
    double reference_db = 0.0;
    double averaged_frames = 0.0;
    std::optional<int> line;           // column for the M-mode
    bool analysed = false;             // an analysis uses the frame's complex pixels
    HostCopy pixels = HostCopy::none;  // for PipelineOptions::pixels
    OwnAsk asked;                      // of a method in another process
    std::int64_t asked_ns = 0;
    Levels levels = Levels::due;
    bool awaits = false;  // the answer; there is no image yet
    bool busy = false;
  };

  struct Planning {
    Mailbox<ImagingParams> params{};
    Multiprocessors device;  // of the backend
    ImagingParams asked;     // last ones; UI thread
    std::shared_ptr<const Plan> plan;
    std::atomic<const char*> why_fp32 = nullptr;
  };
  // Lanes and their frames, used in turn.
  struct Flight {
    std::vector<Slot> slots;
    std::size_t next = 0;           // slot of the next frame
    std::size_t oldest = 0;         // slot of the oldest frame in flight
    std::size_t most_together = 1;  // current limit of frames per slot
    bool coarse_due = false;        // before the next image
    std::int64_t answer_ns = 0;     // duration of the last answer of a method in another process
    std::int64_t answered_ns = 0;   // its time
    std::uint64_t started = 0, finished = 0;
    [[nodiscard]] int frames() const { return static_cast<int>(started - finished); }
    // Returns the k-th slot counted from that of the oldest frame.
    [[nodiscard]] Slot& from_oldest(std::size_t k) { return slots[(oldest + k) % slots.size()]; }
  };
  struct Level {
    std::atomic<double> held_db;
    std::atomic<bool> measure{false};
    std::uint64_t silent = 0;  // frames measured without a level since the last one
  };
  struct Injected {
    std::atomic<double> load_ms;
    std::atomic<double> error_at, lost_at;  // frame numbers; 0 = never
    std::atomic<bool> missing_event;
  };
  struct Ending {
    std::atomic<bool> stop{false};
    std::atomic<bool> abandoned{false};  // frames in lanes may be incomplete
    std::atomic<bool> quit{false};
    std::atomic<bool> done{false};
  };
  struct Texts {
    mutable std::mutex mutex;
    std::string fault, refusal;  // under the mutex
  };

  void run();
  void run_stream();
  bool step();
  std::optional<FrameRing::ReadLease> next_frame(WaitPolicy::Lanes reviewing);
  void take_params();
  void start_frames(Slot& slot, FrameRing::ReadLease lease);
  void finish_frames(Slot& slot);
  [[nodiscard]] bool may_start_next() const;
  [[nodiscard]] Slot* oldest_awaiting();  // null: none
  bool answer_oldest(const std::function<bool()>& interrupted);
  void add_frame(Slot& slot, FrameRing::ReadLease lease);
  void look_for_news();
  [[nodiscard]] bool make_coarse(const Slot& slot);  // true: there may be news since it was begun
  [[nodiscard]] bool form(Slot& slot);
  [[nodiscard]] bool enough_ready();
  [[nodiscard]] bool measures_level();
  [[nodiscard]] HostCopy kept_pixels(const ImagingParams& params) const;
  [[nodiscard]] HostCopy copied_levels() const;
  void give_out(const Image& image, const Slot& slot);
  [[nodiscard]] std::size_t frames_together(const Slot& slot) const;
  void set_lane_plan(Slot& slot);
  std::optional<FrameAverage> next_average(Slot& slot);
  FrameForming injected_faults(std::uint64_t sequence);
  bool step_review();
  void refuse(const std::string& why);
  [[nodiscard]] bool level_due() const;
  void measure_reference(Slot& slot, double held_db);  // held_db: at the decision to measure
  static void end_leases(Slot& slot);
  void release_uploaded();
  void give_up_frames();
  bool collect_finished();
  void collect(Slot& slot);
  [[nodiscard]] bool may_start() const;

  Backend& backend_;
  FrameRing& ring_;
  const int ring_slots_;
  AcquisitionPtr acquisition_;
  Mailbox<Image>& images_;
  TimingTrace& trace_;
  PipelineOptions options_;
  Planning planning_;
  Flight flight_;
  WaitPolicy wait_policy_;
  Persistence persistence_;
  Level level_;
  std::atomic<HostCopy> host_copy_;
  Injected injected_;
  Analyses analyses_;
  LineTap line_;
  std::unique_ptr<Reprocessor> reviewer_;  // null: no history
  Ending ending_;
  Texts texts_;
  std::thread thread_;
};

}  // namespace echoloop
