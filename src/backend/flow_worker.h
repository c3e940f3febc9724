// Makes flow images of frames that the processing thread has stored in a FlowDevice. Which ensembles, others decide:
// the FlowEngine beside the live stream (flow.h), the FlowReviewer for kept frames (flow_review.h).
//
// Where the device has twins, two short ensembles are in flight, each on a thread of its own, of which the second
// begins when it is first needed; images come in the order of their ensembles. Measured on an H200 beside a stream of
// 8300 frames/s, 256 x 512 pixels: ensembles of 32 frames then give 1000 images/s (one in flight: 700), of 64 frames
// 540 (375), and the stream loses 2 and 5 % (1 %); ensembles of 128 frames gave 250 (195), but took 12 % from the
// stream (3 %), and of 512 frames 56 (49) for 30 % (20 %): their matrix products fill the GPU, one is in flight. On the
// CPU every thread is busy with one.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/flow_device.h"
#include "backend/flow_plan.h"
#include "backend/job_thread.h"
#include "core/mailbox.h"

namespace echoloop {

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

}  // namespace echoloop
