#include "backend/review.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

Reviewer::Reviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode, PastImages& images)
    : backend_(backend), acquisition_(std::move(acquisition)), mode_(mode), images_(images) {}

void Reviewer::request(ReviewRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    request_ = std::move(request);
    asked_ = true;
  }
  changed_.notify_all();
}

void Reviewer::end() {
  {
    const std::scoped_lock lock(mutex_);
    request_.reset();
    asked_ = false;
    ended_ = true;
  }
  changed_.notify_all();
}

void Reviewer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return request_.has_value() || ended_; });
}

std::optional<ReviewRequest> Reviewer::take_request() {
  if (!asked_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  asked_ = false;
  return std::exchange(request_, std::nullopt);
}

std::string Reviewer::take_refusal() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(refusal_, {});
}

bool Reviewer::step(double held_reference_db, bool to_host) {
  try {
    if (!busy()) {
      held_reference_db_ = held_reference_db;
      to_host_ = to_host;
      if (const auto request = take_request()) {
        begin(slots_[0], *request, request->params);
        if (request->compare.has_value()) begin(slots_[1], *request, *request->compare);
      }
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].busy && slots_[i].lane->finished()) collect(slots_[i], images_[i]);
    }
  } catch (const std::exception& error) {
    for (Slot& slot : slots_) slot = {};  // a lane that failed halfway is of no use
    const std::scoped_lock lock(mutex_);
    refusal_ = error.what();
  }
  return busy();
}

void Reviewer::begin(Slot& slot, const ReviewRequest& request, const ImagingParams& params) {
  const int number = kMaxLanes + static_cast<int>(&slot - slots_.data());
  if (slot.lane == nullptr) slot.lane = backend_.make_lane(number, mode_);
  slot.plan = make_plan(acquisition_, params, slot.plan, backend_.lowest_precision());
  const bool automatic = params.reference_db <= kAutoReference && slot.plan->course == nullptr;
  const double held_db = held_reference_db_ > kAutoReference ? held_reference_db_ : 0.0;
  slot.reference_db = automatic ? held_db : params.reference_db;
  slot.owner = request.owner;
  slot.lane->set_plan(slot.plan);
  slot.busy = true;
  slot.lane->upload(request.frame);
  slot.lane->condition();
  slot.lane->beamform();
  slot.lane->envelope();
  slot.lane->compress(slot.reference_db);
  slot.lane->finish(to_host_);
}

void Reviewer::collect(Slot& slot, Mailbox<Image>& images) {
  Image& image = slot.lane->image();
  image.ready_ns = now_ns();
  image.number = ++finished_;
  image.params = slot.plan->params;
  image.params.reference_db = slot.reference_db;
  image.acquisition = acquisition_;
  std::swap(image, images.back());
  images.publish();
  slot.owner.reset();
  slot.busy = false;
}

}  // namespace echoloop
