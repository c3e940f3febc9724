// What the window knows about flow: the newest picture of it, and what became of the ensembles. UI thread only.
#pragma once

#include "core/results/flow_image.h"

namespace echoloop {

struct FlowView {
  FlowCounts counts;                 // filled by the application
  const FlowImage* image = nullptr;  // filled by the window: the flow picture on screen; null = none
  double age_s = 0.0;                // of the newest frame in it; filled by the window
};

}  // namespace echoloop
