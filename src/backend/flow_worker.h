// Makes flow pictures on a thread of its own, one ensemble at a time, of frames that the processing thread has stored
// in a FlowDevice. Which ensembles, others decide: the FlowEngine beside the live stream (flow.h), the FlowReviewer for
// kept frames (flow_review.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backend/flow_device.h"
#include "backend/job_thread.h"
#include "core/mailbox.h"

namespace echoloop {

// Scales and sizes that parameters and acquisition give.
struct FlowPlan {
  int frames = 0;
  int step = 0;
  int slots = 0;  // of the ring: frames, and what comes while an ensemble is in work
  double prf_hz = 0.0;
  double scale_m_s = 0.0;  // see flow_scale_m_s()
};
FlowPlan make_flow_plan(const Plan& plan);

// Whether two plans make the same complex pixels of a frame.
[[nodiscard]] bool same_pixels(const Plan& a, const Plan& b);

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

// Processing thread, unless said.
class FlowWorker {
 public:
  // Its end waits for the ensemble in work.
  FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures);

  void start(FlowTask task);  // only when not busy
  // Whether the ensemble in work needs a slot: then nothing may be stored there.
  [[nodiscard]] bool needs(int slot) const;
  [[nodiscard]] FlowDevice& device() { return *device_; }  // store(); reserve() when not busy
  void settle() { thread_.settle(); }                      // until no ensemble is in work

  [[nodiscard]] bool busy() const { return thread_.busy(); }               // any thread
  [[nodiscard]] bool failed() const { return thread_.failed(); }           // no more pictures will come; any thread
  [[nodiscard]] std::uint64_t pictures() const { return n_pictures_; }     // made so far; any thread
  [[nodiscard]] std::string take_fault() { return thread_.take_fault(); }  // why it failed, once; any thread

 private:
  void make_picture(const FlowTask& task);
  Decomposition decompose(const FlowTask& task);

  std::unique_ptr<FlowDevice> device_;
  Mailbox<FlowImage>& pictures_;

  // Worker's thread:
  std::uint64_t known_run_ = 0;  // of the last decomposition
  std::uint64_t known_end_ = 0;
  int known_frames_ = 0;
  FrameStamp shown_stamp_;  // of the last picture
  std::uint64_t shown_run_ = 0;
  std::uint64_t number_ = 0;

  std::atomic<std::uint64_t> n_pictures_{0};
  FlowTask task_;     // the worker's while busy()
  JobThread thread_;  // last: ends first
};

}  // namespace echoloop
