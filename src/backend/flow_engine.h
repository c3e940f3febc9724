// Flow of the live stream: stores the beamformed frames and has a worker make a flow image every few frames. The stream
// never waits: an ensemble that is due while all workers are busy is started when one is free, with the then newest
// frames. An ensemble consists of consecutive frames; a missing one restarts it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/analysis.h"
#include "backend/backend.h"
#include "backend/plan.h"
#include "core/mailbox.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/units.h"
#include "dsp/flow.h"
#include "dsp/gate_spectrum.h"

namespace echoloop {

// Interface of a computing device for flow: holds a ring of beamformed frames and filters ensembles of them. The
// FlowEngine (flow_engine.h) decides when, and with which components; tests drive it directly.
//
// Two threads: store() is called by the processing thread and never waits; all else by the flow thread. Slots in work
// are not stored into. A clone has a flow thread of its own.

// Parameters of the step from filtered samples to the image (dsp/flow.h).
struct FlowFinish {
  double reference_db = 0.0;
  double scale_m_s = 0.0;
  double keep = 0.0;  // weight of the previous image; 0: none
  bool low_rank = false;
};

class FlowDevice : public AnalysisDevice {
 public:
  // Begins the flow thread: lowers its priority, allocates its resources.
  virtual void begin_thread() = 0;

  // Returns a device over the same frames for a second simultaneous ensemble. All is its own except the previous image,
  // which apply() mixes in: only one of them may be in apply(). reserve() and store() are called on one of them. null:
  // a second one gains nothing. [processing thread]
  [[nodiscard]] virtual std::unique_ptr<FlowDevice> clone() { return nullptr; }

  // Allocates n_slots frames; earlier contents are lost. No thread may be at work.
  virtual void reserve(int n_slots, std::size_t n_pixels) = 0;

  virtual void store(int slot, const PixelView& pixels) = 0;  // processing thread

  // Decomposes the Casorati matrix of these slots, oldest first. The first `n_known` are the last ones of the previous
  // call, with unchanged frames: only the products of the others are computed (0: all).
  virtual Decomposition decompose(std::span<const int> slots, int n_known) = 0;

  // Sets the filter of apply(): components of the last decomposition, or a matrix [n][n] (dsp/flow.h).
  virtual void keep_components(const Decomposition& decomposition, ComponentRange range) = 0;
  virtual void set_matrix(std::span<const float> matrix, int n) = 0;

  // Writes power_db, velocity_m_s and, if requested, low_rank_db of `image`, [n_pixels] each.
  virtual void apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) = 0;

  // Returns the filtered ensemble [frame][pixel], for tests.
  virtual std::vector<Complex> filtered(std::span<const int> slots) = 0;
};

// Ensembles and wall filter of colour flow, from plan and parameters. Any thread.

inline constexpr int kMostInFlight = 2;  // ensembles in flight,
inline constexpr int kShortFrames = 64;  // if they have at most this many frames

// Scales and sizes derived from parameters and acquisition.
struct FlowPlan {
  int frames = 0;
  int step = 0;
  int in_flight = 0;  // ensembles, at most
  int slots = 0;      // of the ring: an ensemble and the frames stored while it is in work
  double prf_hz = 0.0;
  double scale_m_s = 0.0;  // see flow_scale_m_s()
};
FlowPlan make_flow_plan(const Plan& plan);

// Returns true if both plans make the same complex pixels of a frame.
[[nodiscard]] bool same_pixels(const Plan& a, const Plan& b);

// Returns the components to keep; chosen automatically where `params` leave the choice open.
ComponentRange choose_components(const Decomposition& d, const ImagingParams& params, std::size_t n_pixels);

// Returns the wall filter as a matrix [n][n]; not for svd.
std::vector<float> wall_matrix(const ImagingParams& params, int n);

// Interface of a computing device for a Doppler gate: the few sums of dsp/gate_spectrum.h of each beamformed frame.
// Processing thread only; only wait() waits.

class GateDevice : public AnalysisDevice {
 public:
  // Accepts the frame's sums; returns false, and drops them, if too many are pending.
  virtual bool take(const GateGeometry& gate, const PixelView& pixels) = 0;

  // Returns the sums of the oldest pending frame, [bands]; empty: none ready. Valid until the next take().
  virtual std::span<const Complex> next() = 0;

  virtual void wait() = 0;  // waits until all accepted sums are ready
};

// Velocity scale from an image's own echoes (see received_frequency_share()).

// Returns true if the distance of rows of `image` is known: n_pixels fit its grid, and it has an acquisition.
[[nodiscard]] inline bool has_rows(const FlowImage& image, std::size_t n_pixels) {
  return image.acquisition != nullptr && image.grid.pixels() == n_pixels && image.grid.nz > 1;
}

// Sets received frequency and aliasing limit; returns m/s per radian, from the nominal scale.
[[nodiscard]] inline double scale_by_received(FlowImage& image, const AxialLag& lag, double nominal_scale_m_s) {
  const Grid& grid = image.grid;
  const double step_m = grid.polar() ? (grid.sector.r1_m - grid.sector.r0_m) / (grid.nz - 1) : grid.dz_m();
  const double center_hz = image.acquisition->center_hz;
  const double share =
      received_frequency_share(lag, 4.0 * kPi * center_hz * step_m / image.params.formation.sound_speed_m_s);
  image.center_hz = share * center_hz;
  image.aliasing_m_s = kPi * nominal_scale_m_s / share;
  return nominal_scale_m_s / share;
}

// Makes flow images of frames stored in a FlowDevice. Ensembles are chosen by FlowEngine (live stream) and FlowReviewer
// (history frames).
//
// If the device can be cloned, two short ensembles are in flight, each on its own thread (the second starts when first
// needed); images come in the order of their ensembles. Measured on an H200 with a stream of 8300 frames/s, 256 x 512
// pixels: ensembles of 32 frames give 1000 images/s (one in flight: 700), of 64 frames 540 (375), and the stream loses
// 2 and 5 % (1 %); ensembles of 128 frames gave 250 (195) but cost 12 % of the stream (3 %), of 512 frames 56 (49) for
// 30 % (20 %): their matrix products fill the GPU, so one is in flight. On the CPU one ensemble occupies every thread.

// One ensemble.
struct FlowTask {
  std::shared_ptr<const Plan> plan;
  FlowPlan flow;
  std::vector<int> slots;  // oldest first
  std::uint64_t run = 0;   // changes when frames are not consecutive
  std::uint64_t end = 0;   // frames of the run up to the newest
  FrameStamp stamp;        // of the newest frame
  double reference_db = 0.0;
};

// Grants turns in the order of take(), independent of the order of the waiting threads.
class OrderedTurnstile {
 public:
  [[nodiscard]] std::uint64_t take() { return n_taken_++; }  // one thread
  [[nodiscard]] bool await(std::uint64_t turn);              // false: stopped, no further turn
  void complete();                                           // passes to the next turn; holder of the turn
  void stop();

 private:
  std::uint64_t n_taken_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t now_ = 0;  // under mutex_
  bool stopped_ = false;   // under mutex_
};

// Processing thread, unless noted.
class FlowWorker {
 public:
  FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures);
  ~FlowWorker() { turnstile_.stop(); }  // waits for ensembles in work; those whose turn has not come are lost
  FlowWorker(const FlowWorker&) = delete;
  FlowWorker& operator=(const FlowWorker&) = delete;

  void start(FlowTask task);  // only if room(); no effect when failed
  // Returns true if an ensemble in work uses the slot: it must not be stored into.
  [[nodiscard]] bool needs(int slot) const;
  [[nodiscard]] FlowDevice& device() { return *workers_.front().device; }  // for store(), and reserve() when not busy
  void drain();                                                            // waits until no ensemble is in work

  [[nodiscard]] bool room(int in_flight) const;                         // fewer than in_flight ensembles are in work
  [[nodiscard]] bool busy() const;                                      // an ensemble is in work
  [[nodiscard]] bool failed() const;                                    // no further images
  [[nodiscard]] std::string take_fault();                               // reason of the failure, returned once
  [[nodiscard]] std::uint64_t pictures() const { return n_pictures_; }  // number made; any thread

 private:
  // State of one ensemble in work.
  struct Worker {
    std::unique_ptr<FlowDevice> device;  // null: none
    FlowTask task;                       // its thread's while busy
    std::uint64_t turn = 0;              // its thread's while busy
    std::uint64_t known_run = 0;         // of the last decomposition; its thread's
    std::uint64_t known_end = 0;
    int known_frames = 0;
    std::optional<JobThread> thread;  // last: ends first

    [[nodiscard]] bool busy() const { return thread.has_value() && thread->busy(); }
  };

  void begin(Worker& worker);
  void make_picture(Worker& worker);
  Decomposition decompose(Worker& worker);
  void publish(Worker& worker, FlowImage& image, std::int64_t begin_ns);

  Mailbox<FlowImage>& pictures_;

  // Accessed by the holder of the turn:
  FrameStamp shown_stamp_;  // of the last image
  std::uint64_t shown_run_ = 0;
  std::uint64_t number_ = 0;

  OrderedTurnstile turnstile_;
  std::atomic<std::uint64_t> n_pictures_{0};
  std::array<Worker, kMostInFlight> workers_;  // last: their threads end first
};

class FlowEngine final : public Analysis {
 public:
  // The destructor waits for the ensembles in work.
  FlowEngine(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures) : worker_(std::move(device), pictures) {}

  // Accepts the next frame's pixels. Waits only for memory when sizes change. [processing thread]
  using Analysis::take;
  void take(const BeamformedFrame& frame) override;

  void drain() override { worker_.drain(); }  // waits until no ensemble is in work
  [[nodiscard]] bool busy() const override { return worker_.busy(); }
  [[nodiscard]] FlowCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { std::get<FlowCounts>(counts_of_all) = counts(); }
  [[nodiscard]] std::string take_fault() override { return worker_.take_fault(); }

 private:
  bool fit(const std::shared_ptr<const Plan>& plan, const PixelView& pixels);
  void restart();
  void start_due(const FrameStamp& stamp, double reference_db);

  // Processing thread:
  std::shared_ptr<const Plan> plan_;
  FlowPlan flow_;
  int n_slots_ = 0;
  std::size_t n_pixels_ = 0;
  int next_slot_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t in_run_ = 0;    // frames of this run
  std::uint64_t last_end_ = 0;  // in_run_ at the last started ensemble
  bool late_counted_ = false;
  FrameStamp last_stamp_;

  std::atomic<std::uint64_t> n_late_{0}, n_restarts_{0};
  FlowWorker worker_;
};

// Flow of a history frame: the image of the ensemble that ends with it, from the history frames before it. They are
// beamformed one at a time between the live frames and stay beamformed: the ensemble of an adjacent frame needs one
// more, other filters need none. A FlowWorker makes the image. Processing thread.

struct EnsembleFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
};

struct FlowReviewRequest {
  std::vector<EnsembleFrame> frames;  // params.color_flow.frames consecutive ones, oldest first
  ImagingParams params;               // without the average over time, which would depend on the images shown before
};

class FlowReviewer {
 public:
  FlowReviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode);

  // Replaces a pending request. Throws Error if the parameters are not possible.
  void begin(FlowReviewRequest request);

  void cancel() { request_.reset(); }  // drops the pending request

  // Performs one turn: beamforms at most one frame, or starts the image. `held_reference_db` replaces an automatic
  // level. Throws if no further images are possible.
  void step(double held_reference_db);
  [[nodiscard]] bool beamforming() const { return request_.has_value(); }
  [[nodiscard]] bool busy() const { return beamforming() || worker_.busy(); }

  // Returns the last finished image, once; null: none. It may be swapped away.
  [[nodiscard]] FlowImage* take();

 private:
  [[nodiscard]] bool fit(std::size_t n_pixels);
  [[nodiscard]] int slot_of(const FrameStamp& stamp) const {
    return static_cast<int>(stamp.sequence % static_cast<std::uint64_t>(n_slots_));
  }
  [[nodiscard]] const EnsembleFrame* missing() const;
  void beamform(const EnsembleFrame& frame, double reference_db);
  void start(double reference_db);

  Backend& backend_;
  AcquisitionPtr acquisition_;
  std::unique_ptr<Lane> lane_;
  std::shared_ptr<const Plan> plan_;
  FlowPlan flow_;
  std::optional<FlowReviewRequest> request_;
  std::shared_ptr<const void> owner_;  // of the frame in the lane
  bool lane_busy_ = false;
  int n_slots_ = 0;
  std::size_t n_pixels_ = 0;
  struct Held {  // sequences restart with the stream; times do not
    std::uint64_t sequence = 0;
    std::int64_t acquired_ns = 0;
    friend bool operator==(const Held&, const Held&) = default;
  };
  [[nodiscard]] static Held held(const FrameStamp& s) { return {.sequence = s.sequence, .acquired_ns = s.acquired_ns}; }

  std::vector<std::optional<Held>> held_;  // per slot
  Held newest_;                            // last frame of the last started ensemble
  std::uint64_t run_ = 1;                  // incremented when the formation of the pixels changes
  Mailbox<FlowImage> made_;                // written by the worker
  FlowWorker worker_;                      // last: ends first
};

}  // namespace echoloop
