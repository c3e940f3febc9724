#include "backend/flow_review.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "backend/frame_processor.h"
#include "backend/reference_level.h"

namespace echoloop {

FlowReviewer::FlowReviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode)
    : backend_(backend),
      acquisition_(std::move(acquisition)),
      lane_(backend.make_lane(kMaxLanes, mode)),
      worker_(backend.make_flow_device(), made_) {}

void FlowReviewer::begin(FlowReviewRequest request) {
  request_.reset();
  request.params.color_flow.persistence_s = 0.0;
  auto plan = make_plan(acquisition_, request.params, plan_, backend_.multiprocessors());
  if (plan_ != nullptr && !same_pixels(*plan, *plan_)) {
    std::ranges::fill(held_, std::nullopt);
    ++run_;
  }
  plan_ = std::move(plan);
  flow_ = make_flow_plan(*plan_);
  request_ = std::move(request);
}

void FlowReviewer::step(double held_reference_db) {
  if (const std::string why = worker_.take_fault(); !why.empty()) throw std::runtime_error(why);
  if (lane_busy_) {
    if (!lane_->finished()) return;
    lane_busy_ = false;
    owner_.reset();
  }
  if (!request_.has_value() || !fit(plan_->das->tables->grid.pixels())) return;
  const double reference_db = reference_level_db(*plan_, held_reference_db);
  if (const EnsembleFrame* frame = missing()) {
    beamform(*frame, reference_db);
  } else if (worker_.room(1)) {
    start(reference_db);
  }
}

// Room for the plan's ensembles; false while the worker needs the old one.
bool FlowReviewer::fit(std::size_t n_pixels) {
  const bool fits = flow_.slots <= n_slots_ && n_pixels == n_pixels_;
  const bool much_too_large = 2 * flow_.slots < n_slots_;
  if (fits && !much_too_large) return true;
  if (worker_.busy()) return false;
  n_slots_ = 0;  // what throws halfway leaves nothing
  held_.clear();
  worker_.device().reserve(flow_.slots, n_pixels);
  n_slots_ = flow_.slots;
  n_pixels_ = n_pixels;
  held_.resize(static_cast<std::size_t>(n_slots_));
  return true;
}

// The oldest frame of the ensemble that has to be beamformed; null: none.
const EnsembleFrame* FlowReviewer::missing() const {
  for (const EnsembleFrame& f : request_->frames) {
    const FrameStamp& stamp = f.frame.stamp;
    if (held_[static_cast<std::size_t>(slot_of(stamp))] != held(stamp)) return &f;
  }
  return nullptr;
}

void FlowReviewer::beamform(const EnsembleFrame& wanted, double reference_db) {
  const FrameStamp& stamp = wanted.frame.stamp;
  const int slot = slot_of(stamp);
  if (worker_.needs(slot)) return;
  lane_->set_plan(plan_);  // throws where the device has no room for the plan
  owner_ = wanted.owner;
  lane_busy_ = true;
  form_frame(*lane_, plan_, wanted.frame);
  make_image(*lane_, *plan_, {.reference_db = reference_db, .copy = HostCopy::none});
  held_[static_cast<std::size_t>(slot)].reset();
  worker_.device().store(slot, lane_->pixels());
  held_[static_cast<std::size_t>(slot)] = held(stamp);
}

void FlowReviewer::start(double reference_db) {
  const FrameStamp& newest = request_->frames.back().frame.stamp;
  for (const EnsembleFrame& f : request_->frames) {
    const Held frame = held(f.frame.stamp);
    if (frame.sequence == newest_.sequence && frame != newest_) ++run_;  // of another stream
  }
  newest_ = held(newest);
  FlowTask task{.plan = plan_,
                .flow = flow_,
                .slots = {},
                .run = run_,
                .end = newest.sequence + 1,
                .stamp = newest,
                .reference_db = reference_db};
  for (const EnsembleFrame& f : request_->frames) task.slots.push_back(slot_of(f.frame.stamp));
  worker_.start(std::move(task));
  request_.reset();
}

FlowImage* FlowReviewer::take() { return made_.take() ? &made_.front() : nullptr; }

}  // namespace echoloop
