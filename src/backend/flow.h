// Flow beside the live stream: keeps the beamformed frames, and every few of them has a thread of its own make a
// picture of what moves. The stream never waits for it: an ensemble that is due while another one is in work comes when
// that is done, with the frames that are the newest then. An ensemble is made of frames that follow each other; one
// that is missing begins it again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/flow_device.h"
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
bool same_pixels(const Plan& a, const Plan& b);

// The components that an ensemble is filtered with, where `params` leave the choice open.
ComponentRange choose_components(const Decomposition& d, const ImagingParams& params, std::size_t n_pixels);

// Wall filter as a matrix [n][n]; not for svd.
std::vector<float> wall_matrix(const ImagingParams& params, int n);

class FlowEngine {
 public:
  FlowEngine(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures);
  ~FlowEngine();  // waits for the ensemble in work
  FlowEngine(const FlowEngine&) = delete;
  FlowEngine& operator=(const FlowEngine&) = delete;

  // The next frame's pixels. Never waits, but for memory when sizes change. [processing thread]
  void take(const std::shared_ptr<const Plan>& plan, const PixelView& pixels, const FrameStamp& stamp,
            double reference_db);

  void settle();                                     // until no ensemble is in work; processing thread
  [[nodiscard]] bool busy() const { return busy_; }  // an ensemble is in work; any thread
  [[nodiscard]] FlowCounts counts() const;           // any thread
  [[nodiscard]] std::string take_fault();            // why there are no more pictures, once; any thread

 private:
  struct Job {
    std::shared_ptr<const Plan> plan;
    FlowPlan flow;
    std::vector<int> slots;  // oldest first
    std::uint64_t run = 0;   // changes when the frames do not go on
    std::uint64_t end = 0;   // frames of the run up to the newest one
    FrameStamp stamp;
    double reference_db = 0.0;
  };

  bool fit(const std::shared_ptr<const Plan>& plan, const PixelView& pixels);
  void restart();
  void start_due(const FrameStamp& stamp, double reference_db);
  void run();
  void make_picture(const Job& job);
  Decomposition decompose(const Job& job);

  std::unique_ptr<FlowDevice> device_;
  Mailbox<FlowImage>& pictures_;

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

  // Flow thread:
  std::uint64_t known_run_ = 0;  // of the last decomposition
  std::uint64_t known_end_ = 0;
  int known_frames_ = 0;
  FrameStamp shown_stamp_;  // of the last picture
  std::uint64_t shown_run_ = 0;
  std::uint64_t number_ = 0;

  std::atomic<bool> busy_{false};
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> n_pictures_{0}, n_late_{0}, n_restarts_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  Job job_;              // under mutex_ until busy_
  bool wanted_ = false;  // under mutex_
  bool quit_ = false;    // under mutex_
  std::string fault_;    // under mutex_
  std::thread thread_;
};

}  // namespace echoloop
