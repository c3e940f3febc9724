#include "backend/object_engine.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

static_assert(kObjectSlots == JobThread::kSlots);

ObjectEngine::ObjectEngine(std::unique_ptr<ObjectDevice> device, Mailbox<ObjectImage>& pictures)
    : device_(std::move(device)),
      pictures_(pictures),
      thread_({.begin = [this] { device_->begin_thread(); }, .job = [this](int slot) { make_picture(slot); }}) {}

ObjectCounts ObjectEngine::counts() const { return {.pictures = n_pictures_, .replaced = n_replaced_}; }

bool ObjectEngine::take(const Image& image, Claim claim) {
  if (thread_.failed()) return true;
  if (claim == Claim::live) {
    if (last_live_ns_ != 0 && image.ready_ns < last_live_ns_ + kObjectInterval_ns) return false;
    last_live_ns_ = image.ready_ns;
  }
  const bool replaces = thread_.hand_over([&](int slot) {
    device_->store(slot, image);
    jobs_[static_cast<std::size_t>(slot)] = {image.stamp, image.grid, image.acquisition, image.params};
  });
  if (replaces) ++n_replaced_;
  return true;
}

const ObjectPlan& ObjectEngine::plan_for(const Job& job) {
  const bool same = number_ > 0 && plan_.grid == job.grid && planned_.objects == job.params.objects;
  if (!same) {
    plan_ = make_object_plan(job.params, job.grid);
    planned_ = job.params;
  }
  return plan_;
}

void ObjectEngine::make_picture(int slot) {
  const Job& job = jobs_[static_cast<std::size_t>(slot)];
  ObjectImage& image = pictures_.back();
  device_->find(slot, plan_for(job), image);
  image.stamp = job.stamp;
  image.grid = job.grid;
  image.acquisition = job.acquisition;
  image.params = job.params;
  image.ready_ns = now_ns();
  image.number = ++number_;
  pictures_.publish();
  ++n_pictures_;
}

}  // namespace echoloop
