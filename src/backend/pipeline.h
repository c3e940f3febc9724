// The processing thread: takes frames from the ring, drives them through lanes, swaps finished images into a mailbox.
// It owns lanes and plan. New parameters come by mailbox and hold from the next frame on; a change never drops or
// stalls a frame. One whose beamforming would still take long is beamformed again with them (Backend::supersede). A
// fault ends the stream with a message; the ring is closed and its unfinished frames are counted as lost. Between the
// live frames, and after the stream's end, it processes kept frames again (review.h).
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
#include "backend/plan.h"
#include "backend/reprocessor.h"
#include "core/frame.h"
#include "core/frame_ring.h"
#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/timing_trace.h"
#include "core/units.h"

namespace echoloop {

// When the processing thread spins, asking for something to do, and when it sleeps. To wake up takes a thread some 50
// us, a fifth of the time that a frame needs on a GPU; so beside a device it spins while something is about to happen:
// for a moment after each event of a frame in flight, and from shortly before the next frame is due, by the distance of
// the last two, until shortly after. A slow or idle stream sleeps almost all the time. Processing thread.

class WaitPolicy {
 public:
  enum class Mode { spin, sleep_only };  // sleep_only: where the lanes need the cores
  enum class Lanes { idle, busy };       // busy: with frames, live ones or kept ones

  explicit WaitPolicy(Mode mode) : mode_(mode) {}

  void frame_came(std::int64_t acquired_ns, std::int64_t now_ns);
  void frame_ended(std::int64_t now_ns) { last_ns_ = now_ns; }

  // Asks again and again while it is time to spin, once at least. True when `happened()` says so.
  template <class Happened>
  bool spin(Lanes lanes, const Happened& happened) const {
    const std::int64_t until_ns = spin_until_ns(now_ns(), lanes);
    while (!happened()) {
      if (now_ns() >= until_ns) return false;
      relax();
    }
    return true;
  }
  // Until when to spin; in the past: not at all.
  [[nodiscard]] std::int64_t spin_until_ns(std::int64_t now_ns, Lanes lanes) const;
  // How long to sleep then, unless a frame comes.
  [[nodiscard]] std::chrono::nanoseconds sleep(std::int64_t now_ns, Lanes lanes) const;

 private:
  static void relax();
  [[nodiscard]] std::int64_t spin_from_ns() const;
  Mode mode_;
  std::int64_t acquired_ns_ = 0;  // of the last frame
  std::int64_t interval_ns_ = 0;  // from the one before
  std::int64_t last_ns_ = 0;      // something happened to a frame in flight
};

// Whether this machine has cores to spare for a thread that looks.
[[nodiscard]] bool has_spare_cores();

// Weights of the temporal average over successive frames (parameter persistence_s), by the time between their
// acquisitions: frames that were dropped or sped past do not change how fast the past fades. Processing thread only.

class Persistence {
 public:
  struct Step {
    bool begins = true;   // nothing from before counts
    float keep = 0.0f;    // weight of the average so far: exp(-dt / tau)
    double frames = 1.0;  // equally weighted frames that would average noise as much: 1 / (sum of squared weights);
                          // 0: nothing is averaged with this plan
  };
  // For the next frame in order. Restarts when the formation of the image changed or time decreased.
  Step next(const std::shared_ptr<const Plan>& plan, const FrameStamp& stamp);

 private:
  std::shared_ptr<const Plan> plan_;  // of the frame before; null: none
  FrameStamp stamp_;
  double squares_ = 1.0;
};

struct PipelineOptions {
  int lanes = 2;
  StreamMode mode = StreamMode::overlap;
  std::uint64_t max_frames = 0;               // stop after this many processed frames; 0 = no limit
  HostCopy host_copy = HostCopy::made;        // of each image
  double held_reference_db = kAutoReference;  // level to go on with when the parameters ask for an automatic one
  Injection inject;
  // Each finished image, before it is swapped away. [processing thread]
  std::function<void(const Image&)> on_image = {};
  // Takes the complex pixels of each frame that has them, before on_image its image; null: nothing does.
  std::shared_ptr<PixelSink> pixels = nullptr;
  PastImages* past = nullptr;                // null: kept frames cannot be reviewed
  InspectionAnswers* inspections = nullptr;  // null: nor inspected; needs `past`
  AnalysisMailboxes analyses = {};           // what is made beside the images
};

class Pipeline {
 public:
  // Starts the thread. Throws Error when the parameters do not fit the acquisition.
  Pipeline(Backend& backend, FrameRing& ring, AcquisitionPtr acquisition, const ImagingParams& params,
           Mailbox<Image>& images, TimingTrace& trace, PipelineOptions options);
  ~Pipeline();  // stops and joins
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void set_params(const ImagingParams& params);             // UI thread
  void set_host_copy(HostCopy copy) { host_copy_ = copy; }  // any thread
  void measure_reference() { level_.measure = true; }       // the next frame's brightest pixel becomes 0 dB; any thread
  // Of the automatic level, as it is for all transmits (core/transmits.h). [any thread]
  void hold_reference(double level_db) {
    level_.measure = false;
    level_.held_db = level_db;
  }
  void set_injection(const Injection& injection);  // any thread
  void review(ReprocessRequest request);           // any thread; see PipelineOptions::past
  void end_review();                               // the live images are looked at again; any thread
  void inspect(InspectionRequest request);         // any thread; see PipelineOptions::inspections
  void end_inspection();                           // any thread
  // Where the M-mode's line is; nothing: there is none. See AnalysisMailboxes::line. UI thread
  void look_at_line(const std::optional<PlanePoint>& at) { line_.look_at(at); }
  void stop();  // ends the stream; frames already in lanes are finished; any thread
  // Ends the stream; frames in lanes are counted as lost. The lanes return at once only after Backend::abandon(), which
  // comes next. [any thread]
  void abandon();

  [[nodiscard]] bool done() const { return ending_.done; }  // the stream has ended; any thread
  [[nodiscard]] std::string fault() const;                  // empty = none; any thread
  [[nodiscard]] std::string take_refusal();                 // last parameters that could not be used, once; any thread
  // Plan::why_fp32 of the plan in use. [any thread]
  [[nodiscard]] const char* why_fp32() const { return planning_.why_fp32; }
  [[nodiscard]] AnalysisCounts analysis_counts() const { return analyses_.counts(); }  // any thread
  [[nodiscard]] double held_reference_db() const { return level_.held_db; }            // of all transmits; any thread

 private:
  // A lane and its frames: one, or several small ones.
  struct Slot {
    std::unique_ptr<Lane> lane;
    std::vector<FrameRing::ReadLease> leases;  // until the samples are on the device
    std::vector<RfFrame> frames;               // of the leases
    std::shared_ptr<const Plan> plan;
    double reference_db = 0.0;
    double averaged_frames = 0.0;
    std::optional<int> line;           // column for the M-mode
    bool analysed = false;             // an analysis takes the frame's complex pixels
    HostCopy pixels = HostCopy::none;  // for PipelineOptions::pixels
    bool busy = false;
  };

  struct Planning {
    Mailbox<ImagingParams> params{};
    Multiprocessors device;  // of the backend
    ImagingParams asked;     // the last ones; UI thread
    std::shared_ptr<const Plan> plan;
    std::atomic<const char*> why_fp32 = nullptr;
  };
  // The lanes and the frames in them, in turn.
  struct Flight {
    std::vector<Slot> slots;
    std::size_t next = 0;           // slot of the next frame
    std::size_t oldest = 0;         // slot of the oldest frame in flight
    std::size_t most_together = 1;  // frames that a slot may take now
    std::uint64_t started = 0, finished = 0;
    [[nodiscard]] int frames() const { return static_cast<int>(started - finished); }
    // The k-th slot from the one of the oldest frame on.
    [[nodiscard]] Slot& from_oldest(std::size_t k) { return slots[(oldest + k) % slots.size()]; }
  };
  struct Level {
    std::atomic<double> held_db;
    std::atomic<bool> measure{false};
    std::uint64_t silent = 0;  // frames measured in vain since the last level
  };
  struct Injected {
    std::atomic<double> load_ms;
    std::atomic<double> error_at, lost_at;  // frame numbers; 0 = never
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
  void add_frame(Slot& slot, FrameRing::ReadLease lease);
  void look_for_news();
  [[nodiscard]] bool form(Slot& slot);
  [[nodiscard]] bool enough_ready();
  [[nodiscard]] bool measures_level();
  [[nodiscard]] HostCopy kept_pixels(const ImagingParams& params) const;
  [[nodiscard]] std::size_t frames_together(const Slot& slot) const;
  void set_lane_plan(Slot& slot);
  std::optional<FrameAverage> next_average(Slot& slot);
  FrameForming injected_faults(std::uint64_t sequence);
  bool step_review();
  void refuse(const std::string& why);
  [[nodiscard]] bool level_due() const;
  void measure_reference(Slot& slot, double held_db);  // held_db: when it was decided to measure
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
  std::unique_ptr<Reprocessor> reviewer_;  // null: no past
  Ending ending_;
  Texts texts_;
  std::thread thread_;
};

}  // namespace echoloop
