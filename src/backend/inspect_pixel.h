// From a lane's buffers, as read back, to what the inspector shows of one pixel. The terms of the sum are computed by
// the functions of dsp/das.h and dsp/course.h that define the beamformer; nothing is filtered or beamformed again.
// Pure; any thread.
#pragma once

#include <memory>
#include <vector>

#include "backend/plan.h"
#include "core/frame.h"
#include "core/results/inspection.h"

namespace echoloop {

struct PixelInspection {
  const Plan& plan;
  const RfFrame& frame;
  const std::vector<float>& lines;   // Lane::Tap::conditioned
  const std::vector<float>& pixels;  // Lane::Tap::beamformed; course: Lane::Tap::envelope gives line_db
  const std::vector<float>& envelope;
  double reference_db = 0.0;  // level of 0 dB
  PlanePoint at{};
  int transmit = -1;  // whose channels; -1, or one that the pixel is not summed from: the middle one of its own
};

std::shared_ptr<const Inspection> inspect_pixel(const PixelInspection& wanted);

}  // namespace echoloop
