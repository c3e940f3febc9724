#include "backend/persistence.h"

#include <cmath>

#include "backend/das_tables.h"

namespace echoloop {

Persistence::Step Persistence::next(const std::shared_ptr<const Plan>& plan, const FrameStamp& stamp) {
  if (plan->refine == nullptr || !plan->refine->average) {
    plan_ = nullptr;
    return {.frames = 0.0};
  }
  // Without a frame rate there is no acquisition time: arrival times are used.
  const bool timed = plan->acquisition->frame_rate_hz > 0.0 || stamp.clock == FrameClock::device;
  const double dt_s =
      timed ? stamp.time_s - stamp_.time_s : static_cast<double>(stamp.acquired_ns - stamp_.acquired_ns) * 1e-9;
  const bool same = plan_ == plan || (plan_ != nullptr && plan_->acquisition == plan->acquisition &&
                                      plan_->grid == plan->grid && same_pixels(plan_->params, plan->params));
  plan_ = plan;
  stamp_ = stamp;
  if (!same || dt_s < 0.0) {
    squares_ = 1.0;
    return {};
  }
  const double keep = std::exp(-dt_s / plan->params.refine.persistence_s);
  squares_ = keep * keep * squares_ + (1.0 - keep) * (1.0 - keep);
  return {.begins = false, .keep = static_cast<float>(keep), .frames = 1.0 / squares_};
}

}  // namespace echoloop
