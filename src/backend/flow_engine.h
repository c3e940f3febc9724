// Flow beside the live stream: keeps the beamformed frames, and every few of them has a worker make an image of what
// moves. The stream never waits for it: an ensemble that is due while as many are in work as can be comes when
// one of them is done, with the frames that are the newest then. An ensemble is made of frames that follow each other;
// one that is missing begins it again.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/analysis.h"
#include "backend/backend.h"
#include "backend/flow_device.h"
#include "core/mailbox.h"

namespace echoloop {

// Makes flow images of frames that the processing thread has stored in a FlowDevice. Which ensembles, others decide:
// the FlowEngine beside the live stream (flow.h), the FlowReviewer for kept frames (flow_review.h).
//
// Where the device has twins, two short ensembles are in flight, each on a thread of its own, of which the second
// begins when it is first needed; images come in the order of their ensembles. Measured on an H200 beside a stream of
// 8300 frames/s, 256 x 512 pixels: ensembles of 32 frames then give 1000 images/s (one in flight: 700), of 64 frames
// 540 (375), and the stream loses 2 and 5 % (1 %); ensembles of 128 frames gave 250 (195), but took 12 % from the
// stream (3 %), and of 512 frames 56 (49) for 30 % (20 %): their matrix products fill the GPU, one is in flight. On the
// CPU every thread is busy with one.

// One ensemble.
struct FlowTask {
  std::shared_ptr<const Plan> plan;
  FlowPlan flow;
  std::vector<int> slots;  // oldest first
  std::uint64_t run = 0;   // changes when the frames do not go on
  std::uint64_t end = 0;   // frames of the run up to the newest one
  FrameStamp stamp;        // of the newest one
  double reference_db = 0.0;
};

// Turns that are taken in one order and come in that order, whatever thread waits for one.
class OrderedTurnstile {
 public:
  [[nodiscard]] std::uint64_t take() { return n_taken_++; }  // one thread
  [[nodiscard]] bool await(std::uint64_t turn);              // false: stopped, no turn comes any more
  void complete();                                           // to the next one; whose turn it is
  void stop();

 private:
  std::uint64_t n_taken_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t now_ = 0;  // under mutex_
  bool stopped_ = false;   // under mutex_
};

// Processing thread, unless said.
class FlowWorker {
 public:
  FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures);
  ~FlowWorker() { turnstile_.stop(); }  // waits for the ensembles in work; those whose turn has not come are lost
  FlowWorker(const FlowWorker&) = delete;
  FlowWorker& operator=(const FlowWorker&) = delete;

  void start(FlowTask task);  // only when there is room; not at all when failed
  // Whether an ensemble in work needs a slot: then nothing may be stored there.
  [[nodiscard]] bool needs(int slot) const;
  [[nodiscard]] FlowDevice& device() { return *workers_.front().device; }  // store(); reserve() when not busy
  void drain();                                                            // until no ensemble is in work

  [[nodiscard]] bool room(int in_flight) const;                         // for one more, so many at most
  [[nodiscard]] bool busy() const;                                      // one is
  [[nodiscard]] bool failed() const;                                    // no more images will come
  [[nodiscard]] std::string take_fault();                               // why it failed, once
  [[nodiscard]] std::uint64_t pictures() const { return n_pictures_; }  // made so far; any thread

 private:
  // What an ensemble in work has to itself.
  struct Worker {
    std::unique_ptr<FlowDevice> device;  // null: none
    FlowTask task;                       // its thread's while that is busy
    std::uint64_t turn = 0;              // likewise
    std::uint64_t known_run = 0;         // of its last decomposition; its thread's
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

  // Whose turn it is:
  FrameStamp shown_stamp_;  // of the last image
  std::uint64_t shown_run_ = 0;
  std::uint64_t number_ = 0;

  OrderedTurnstile turnstile_;
  std::atomic<std::uint64_t> n_pictures_{0};
  std::array<Worker, kMostInFlight> workers_;  // last: their threads end first
};

class FlowEngine final : public Analysis {
 public:
  // Its end waits for the ensembles in work.
  FlowEngine(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures) : worker_(std::move(device), pictures) {}

  // The next frame's pixels. Never waits, but for memory when sizes change. [processing thread]
  using Analysis::take;
  void take(const BeamformedFrame& frame) override;

  void drain() override { worker_.drain(); }  // until no ensemble is in work
  [[nodiscard]] bool busy() const override { return worker_.busy(); }
  [[nodiscard]] FlowCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { counts_of_all.flow = counts(); }
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
  std::uint64_t last_end_ = 0;  // in_run_ of the last ensemble that was started
  bool late_counted_ = false;
  FrameStamp last_stamp_;

  std::atomic<std::uint64_t> n_late_{0}, n_restarts_{0};
  FlowWorker worker_;
};

// The flow of a kept frame: the image of the ensemble that ends with it, made of the kept frames before it. They are
// beamformed one at a time, between the live frames, and stay beamformed: the ensemble of the next frame, or of the one
// before, needs one more, and other filters need none. The image is made by a FlowWorker. Processing thread.

struct EnsembleFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps the frame's samples
};

struct FlowReviewRequest {
  std::vector<EnsembleFrame> frames;  // params.color_flow.frames of them that follow each other, oldest first
  ImagingParams params;               // images are not averaged over time: it would depend on what was looked at before
};

class FlowReviewer {
 public:
  FlowReviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode);

  // Takes the place of a request that is not answered yet. Throws Error when the parameters cannot be.
  void begin(FlowReviewRequest request);

  void cancel() { request_.reset(); }  // that request

  // One turn: beamforms one frame at most, or has the image made. `held_reference_db` stands in for an automatic
  // level. Throws when there will be no more images.
  void step(double held_reference_db);
  [[nodiscard]] bool beamforming() const { return request_.has_value(); }
  [[nodiscard]] bool busy() const { return beamforming() || worker_.busy(); }

  // The image that was finished last, once; null: nothing new. It may be swapped away.
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
  struct Held {  // sequences begin again with a stream that is started again; moments do not
    std::uint64_t sequence = 0;
    std::int64_t acquired_ns = 0;
    friend bool operator==(const Held&, const Held&) = default;
  };
  [[nodiscard]] static Held held(const FrameStamp& s) { return {.sequence = s.sequence, .acquired_ns = s.acquired_ns}; }

  std::vector<std::optional<Held>> held_;  // [slot]
  Held newest_;                            // frame of the last ensemble that was started
  std::uint64_t run_ = 1;                  // counts what formed the pixels
  Mailbox<FlowImage> made_;                // by the worker
  FlowWorker worker_;                      // last: ends first
};

}  // namespace echoloop
