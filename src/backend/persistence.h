// Weights of the temporal average over successive frames (parameter persistence_s), by the time between their
// acquisitions: dropped or skipped frames do not change the decay. Processing thread only.
#pragma once

#include <memory>

#include "backend/plan.h"
#include "core/frame.h"

namespace echoloop {

class Persistence {
 public:
  struct Step {
    bool begins = true;   // the average restarts
    float keep = 0.0f;    // weight of the average so far: exp(-dt / tau)
    double frames = 1.0;  // equally weighted frames with the same noise: 1 / (sum of squared weights); 0: this plan
                          // averages nothing
  };
  // Returns the step of the next frame in order. Restarts when the formation of the image changed or time decreased.
  Step next(const std::shared_ptr<const Plan>& plan, const FrameStamp& stamp);

 private:
  std::shared_ptr<const Plan> plan_;  // of the previous frame; null: none
  FrameStamp stamp_;
  double squares_ = 1.0;
};

}  // namespace echoloop
