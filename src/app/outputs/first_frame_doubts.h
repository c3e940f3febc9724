// Doubts about the facts of a recording in a run without a window (doubts.h): measured on a thread beside the run, on
// its first frame once that has been processed, so that no image is later because of them. A sink before all others.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "app/outputs/doubts.h"
#include "history/frame_sink.h"

namespace echoloop {

class FirstFrameDoubts final : public FrameSink {
 public:
  // Measures nothing of phantoms and scanners. `next`: is offered each frame after this one.
  FirstFrameDoubts(const OpenedSource& opened, FrameSink& next);

  void begin(HistoryFeed feed) override;
  void end() override { lender_.reset(); }
  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;
  [[nodiscard]] bool ready(const RingLoad& ring) const override { return next_.ready(ring); }

  std::vector<Doubt> take();  // waits; main thread, after the run

 private:
  FrameSink& next_;
  bool wanted_;
  AcquisitionPtr acquisition_;
  std::shared_ptr<const void> lender_;  // of frames that lie in place
  std::future<std::vector<Doubt>> work_;
};

}  // namespace echoloop
