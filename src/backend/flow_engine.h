// Flow beside the live stream: keeps the beamformed frames, and every few of them has a worker make an image of what
// moves. The stream never waits for it: an ensemble that is due while as many are in work as can be comes when
// one of them is done, with the frames that are the newest then. An ensemble is made of frames that follow each other;
// one that is missing begins it again.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "backend/analysis.h"
#include "backend/flow_worker.h"

namespace echoloop {

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

}  // namespace echoloop
