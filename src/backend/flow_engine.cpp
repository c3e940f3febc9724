#include "backend/flow_engine.h"

#include <algorithm>
#include <utility>

namespace echoloop {

FlowCounts FlowEngine::counts() const {
  return {.pictures = worker_.pictures(), .late = n_late_, .restarts = n_restarts_};
}

void FlowEngine::restart() {
  if (in_run_ > 0) ++n_restarts_;
  ++run_;
  in_run_ = last_end_ = 0;
}

// Makes room for the plan's ensembles; false while old ones are in work.
bool FlowEngine::fit(const std::shared_ptr<const Plan>& plan, const PixelView& pixels) {
  if (plan == plan_) return true;
  const FlowPlan flow = make_flow_plan(*plan);
  const bool fits = flow.slots <= n_slots_ && pixels.count == n_pixels_;
  const bool much_too_large = 2 * flow.slots < n_slots_;
  if (!fits || much_too_large) {
    if (worker_.busy()) return false;
    n_slots_ = 0;  // what throws halfway leaves nothing
    worker_.device().reserve(flow.slots, pixels.count);
    n_slots_ = flow.slots;
    n_pixels_ = pixels.count;
    next_slot_ = 0;
    restart();
  } else if (!same_pixels(*plan, *plan_)) {
    restart();
  }
  plan_ = plan;
  flow_ = flow;
  return true;
}

void FlowEngine::take(const BeamformedFrame& frame) {
  const FrameStamp& stamp = frame.stamp;
  if (worker_.failed() || frame.pixels.values == nullptr) return;
  if (!fit(frame.plan, frame.pixels)) {
    restart();
    return;
  }
  if (in_run_ > 0 && stamp.source_index != last_stamp_.source_index + 1) restart();
  last_stamp_ = stamp;
  if (worker_.needs(next_slot_)) {
    restart();  // an ensemble in work still needs it
    return;
  }
  worker_.device().store(next_slot_, frame.pixels);
  next_slot_ = (next_slot_ + 1) % n_slots_;
  ++in_run_;
  start_due(stamp, frame.reference_db);
}

void FlowEngine::start_due(const FrameStamp& stamp, double reference_db) {
  const auto n = static_cast<std::uint64_t>(flow_.frames);
  const bool first = last_end_ == 0;
  if (in_run_ < n || (!first && in_run_ < last_end_ + static_cast<std::uint64_t>(flow_.step))) return;
  if (!worker_.room(flow_.in_flight)) {
    if (!std::exchange(late_counted_, true)) ++n_late_;
    return;
  }
  late_counted_ = false;
  last_end_ = in_run_;
  FlowTask task{.plan = plan_,
                .flow = flow_,
                .slots = {},
                .run = run_,
                .end = in_run_,
                .stamp = stamp,
                .reference_db = reference_db};
  for (int t = 0; t < flow_.frames; ++t) {
    task.slots.push_back((next_slot_ + n_slots_ - flow_.frames + t) % n_slots_);
  }
  worker_.start(std::move(task));
}

}  // namespace echoloop
