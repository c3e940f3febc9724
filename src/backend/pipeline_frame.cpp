// The Pipeline's work on one frame: through the stages of a lane, at a level, until its picture is handed on.
// Processing thread.
#include <algorithm>
#include <utility>

#include "backend/pipeline.h"
#include "backend/reference_level.h"
#include "backend/refine_plan.h"
#include "core/transmits.h"
#include "core/units.h"

namespace echoloop {

void Pipeline::start_frame(Slot& slot, FrameRing::ReadLease lease) {
  ++started_;
  slot.busy = true;
  slot.lease.emplace(std::move(lease));
  watch_.frame_came(slot.lease->frame().stamp.acquired_ns, now_ns());
  set_lane_plan(slot);
  Lane& lane = *slot.lane;
  lane.upload(slot.lease->frame());
  inject_faults(lane, slot.lease->frame().stamp.sequence);
  lane.condition();
  const bool automatic = holds_level(*plan_);
  const bool measure = measure_reference_.exchange(false) || (automatic && held_reference_db_ <= kAutoReference);
  slot.reference_db = reference_level_db(*plan_, held_reference_db_);
  // A lane that knows the level may write decibels as it beamforms; complex pixels, which flow and the sonogram need,
  // are then not kept.
  const bool pixels = side_.wants_pixels(slot.plan->params);
  if (!(automatic && measure) && !pixels) lane.expect_reference(slot.reference_db);
  lane.beamform();
  lane.envelope();
  if (automatic && measure) {
    measure_reference(slot);
    slot.reference_db = reference_level_db(*plan_, held_reference_db_);
  }
  lane.compress(slot.reference_db);
  refine(slot);
  slot.line = line_.column(slot.plan->grid);
  if (slot.line.has_value()) lane.keep_line(*slot.line);
  lane.finish(host_copy_);
  if (pixels && !abandoned_) side_.take_pixels(slot.plan, lane.pixels(), slot.lease->frame().stamp, slot.reference_db);
}

// Of the frame that has just been started; the one before it lies in the slot before.
void Pipeline::refine(Slot& slot) {
  slot.averaged_frames = 0.0;
  const bool averages = slot.plan->refine != nullptr && slot.plan->refine->average;
  if (!averages) {
    persistence_.reset();
    if (slot.plan->refine != nullptr) slot.lane->refine(nullptr);
    return;
  }
  const Persistence::Step step = persistence_.next(slot.plan, slot.lease->frame().stamp);
  const Lane* before = slots_[(next_ + slots_.size() - 1) % slots_.size()].lane.get();
  const FrameAverage average{.before = step.begins ? nullptr : before, .keep = step.keep};
  slot.lane->refine(&average);
  slot.averaged_frames = step.frames;
}

// A plan that the device has no room for is refused: the lane goes on with the one that it had.
void Pipeline::set_lane_plan(Slot& slot) {
  try {
    slot.lane->set_plan(plan_);
  } catch (const std::exception& error) {
    if (slot.plan == nullptr || slot.plan == plan_) throw;
    slot.lane->set_plan(slot.plan);
    plan_ = slot.plan;
    refuse(error.what());
  }
  slot.plan = plan_;
}

void Pipeline::inject_faults(Lane& lane, std::uint64_t sequence) {
  if (const double ms = load_ms_; ms > 0.0) lane.load(ms);
  const auto due = [sequence](std::atomic<double>& at) {
    if (at == 0.0 || static_cast<double>(sequence) < at) return false;
    at = 0.0;  // once
    return true;
  };
  if (due(error_at_)) lane.fail(DeviceFault::refused);
  if (due(lost_at_)) lane.fail(DeviceFault::lost);
}

// The one place that waits for a frame: once at the start of a stream, and when the user asks for a new level.
void Pipeline::measure_reference(Slot& slot) {
  if (const auto level_db = measured_level_db(*slot.lane, *slot.plan)) held_reference_db_ = *level_db;
}

void Pipeline::collect(Slot& slot) {
  end_lease(slot);
  Image& image = slot.lane->image();
  image.ready_ns = now_ns();
  watch_.frame_ended(image.ready_ns);
  image.number = finished_ + 1;
  image.params = slot.plan->params;
  image.params.reference_db = slot.reference_db;
  image.acquisition = acquisition_;
  image.averaged_frames = slot.averaged_frames;
  slot.lane->append_spans(trace_);
  trace_.add_latency(Latency::ready, image.stamp.acquired_ns, image.ready_ns);
  if (options_.on_image) options_.on_image(image);
  side_.take_live(image);
  if (slot.line.has_value()) line_.take(image, *slot.line, slot.lane->line());
  std::swap(image, images_.back());
  images_.publish();
  slot.busy = false;
  ++finished_;  // last: whatever throws above, the frame is still in flight and will be counted as lost
  ring_.count_processed();
}

}  // namespace echoloop
