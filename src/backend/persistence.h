// Weights of the temporal average over successive frames (parameter persistence_s), by the time between their
// acquisitions: frames that were dropped or sped past do not change how fast the past fades. Processing thread only.
#pragma once

#include <memory>

#include "backend/plan.h"
#include "core/frame.h"

namespace echoloop {

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

}  // namespace echoloop
