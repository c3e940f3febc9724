#include "backend/reprocessor.h"

#include <chrono>
#include <utility>
#include <vector>

#include "backend/frame_processor.h"
#include "backend/reference_level.h"
#include "core/mapped_files.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::chrono::milliseconds kFlowPoll(2);

constexpr std::uint64_t kFlowTurn = 4;  // of frames of an ensemble among live ones that wait

}  // namespace

Reprocessor::Reprocessor(Backend& backend, AcquisitionPtr acquisition, StreamMode mode, PastImages& images,
                         InspectionAnswers* answers)
    : backend_(backend), acquisition_(std::move(acquisition)), mode_(mode), images_(images), answers_(answers) {}

void Reprocessor::request(ReprocessRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    if (request.deliver) {
      deliveries_.push_back(std::move(request));
      to_deliver_ = true;
    } else {
      request_ = std::move(request);
      asked_ = true;
    }
  }
  changed_.notify_all();
}

void Reprocessor::inspect(InspectionRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    inspection_ = std::move(request);
    inspecting_ = true;
    inspection_news_ = true;
  }
  changed_.notify_all();
}

void Reprocessor::end_inspection() {
  {
    const std::scoped_lock lock(mutex_);
    inspection_.reset();
    inspecting_ = false;
    inspection_news_ = true;
  }
  changed_.notify_all();
}

void Reprocessor::end() {
  {
    const std::scoped_lock lock(mutex_);
    inspection_.reset();
    request_.reset();
    asked_ = false;
    deliveries_.clear();
    to_deliver_ = false;
    ended_ = true;
  }
  changed_.notify_all();
}

void Reprocessor::wait() {
  std::unique_lock lock(mutex_);
  const auto news = [this] {
    return request_.has_value() || !deliveries_.empty() || inspection_news_ || flow_ended_ || ended_;
  };
  if (flow_awaited_) {
    changed_.wait_for(lock, kFlowPoll, news);  // its worker tells nobody
  } else {
    changed_.wait(lock, news);
  }
}

std::optional<ReprocessRequest> Reprocessor::take_request() {
  if (!asked_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  asked_ = false;
  return std::exchange(request_, std::nullopt);
}

std::optional<ReprocessRequest> Reprocessor::take_delivery() {
  if (!to_deliver_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (deliveries_.empty()) return std::nullopt;
  ReprocessRequest next = std::move(deliveries_.front());
  deliveries_.pop_front();
  to_deliver_ = !deliveries_.empty();
  return next;
}

std::string Reprocessor::take_refusal() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(refusal_, {});
}

bool Reprocessor::step(double held_reference_db, HostCopy copy, LiveFrame live) {
  bool flowing = false;
  try {
    begin_requests(held_reference_db, copy);
    flowing = step_flow(live);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool waits = i == kDelivered && film_awaited_;
      if (slots_[i].busy && !waits && slots_[i].lane->finished()) collect(i);
    }
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  const bool inspecting = step_inspection();
  return looking() || (slots_[kDelivered].busy && !film_awaited_) || inspecting || flowing;
}

// A turn of the inspector, which exists only while somebody inspects. True while it works on a frame.
bool Reprocessor::step_inspection() {
  if (inspection_news_ && (inspector_ == nullptr || !inspector_->busy())) {
    std::optional<InspectionRequest> request;
    {
      const std::scoped_lock lock(mutex_);
      inspection_news_ = false;
      request = std::exchange(inspection_, std::nullopt);
      if (!inspecting_) inspector_.reset();
    }
    if (request.has_value() && answers_ != nullptr) {
      const AcquisitionPtr& acquisition = request->acquisition != nullptr ? request->acquisition : acquisition_;
      if (inspector_ == nullptr || inspector_->acquisition() != acquisition) {
        inspector_ = std::make_unique<FrameInspector>(backend_, acquisition, mode_, *answers_);
      }
      inspector_->begin(std::move(*request), held_reference_db_);
    }
  }
  return inspector_ != nullptr && inspector_->step();
}

void Reprocessor::begin_requests(double held_reference_db, HostCopy copy) {
  held_reference_db_ = held_reference_db;
  host_copy_ = copy;
  if (flow_ended_.exchange(false)) drop_flow();
  if (!looking()) {
    if (auto request = take_request()) {
      const ComparedFrame frame{acquisition_of(*request), request->frame, request->owner};
      begin(slots_[kShown], frame, request->params);
      if (request->compare.has_value()) {
        begin(slots_[kCompared], request->compared.value_or(frame), *request->compare);
      }
      begin_flow(*request);
    }
  }
  if (slots_[kDelivered].busy) return;
  if (auto request = take_delivery()) {
    slots_[kDelivered].deliver = request->deliver;
    begin(slots_[kDelivered], {acquisition_of(*request), request->frame, request->owner}, request->params);
    begin_film_flow(*request);
  }
}

// A lane that failed halfway is of no use: all of them go, and whoever waits is told.
void Reprocessor::refuse(const std::string& why) {
  std::vector<std::function<void(const Image*, const FlowImage*)>> told;
  if (slots_[kDelivered].deliver) told.push_back(slots_[kDelivered].deliver);
  for (Slot& slot : slots_) slot = {};
  film_flow_.reset();
  film_made_ = nullptr;
  film_awaited_ = false;
  {
    const std::scoped_lock lock(mutex_);
    refusal_ = why;
    for (ReprocessRequest& request : deliveries_) told.push_back(std::move(request.deliver));
    deliveries_.clear();
    to_deliver_ = false;
  }
  for (const auto& deliver : told) deliver(nullptr, nullptr);
}

void Reprocessor::begin(Slot& slot, const ComparedFrame& frame, const ImagingParams& params) {
  if (slot.lane == nullptr || slot.acquisition != frame.acquisition) {
    slot.lane = backend_.make_lane(kMaxLanes, mode_);
    slot.own_reference_db = kAutoReference;
  }
  slot.acquisition = frame.acquisition;
  slot.plan = make_plan(frame.acquisition, params, slot.plan, backend_.multiprocessors());
  slot.owner = frame.owner;
  slot.samples = frame.frame.samples;
  slot.busy = true;
  form_frame(*slot.lane, slot.plan, frame.frame);
  slot.reference_db = slot_reference_db(slot);
  make_image(*slot.lane, *slot.plan,
             {.reference_db = slot.reference_db, .copy = slot.deliver ? HostCopy::made : host_copy_});
}

// After the envelope. The first frame of another recording is waited for.
double Reprocessor::slot_reference_db(Slot& slot) const {
  if (slot.acquisition == acquisition_) return reference_level_db(*slot.plan, held_reference_db_);
  if (holds_level(*slot.plan) && slot.own_reference_db <= kAutoReference) {
    slot.own_reference_db = measured_level_db(*slot.lane, *slot.plan).value_or(kAutoReference);
  }
  return reference_level_db(*slot.plan, slot.own_reference_db);
}

void Reprocessor::collect(std::size_t index) {
  Slot& slot = slots_[index];
  require_readable(slot.samples);
  Image& image = slot.lane->image();
  describe(image, *slot.plan, slot.reference_db, 0.0);
  image.number = ++finished_;
  slot.owner.reset();
  slot.busy = false;
  if (slot.deliver) {
    std::exchange(slot.deliver, nullptr)(&image, std::exchange(film_made_, nullptr));
    return;
  }
  if (index == kShown && on_picture_) on_picture_(image);
  std::swap(image, images_[index].back());
  images_[index].publish();
}

// The Reprocessor's part in flow: passes ensembles of history frames to a FlowReviewer and its images to the window.
// Processing thread, unless said.

void Reprocessor::end_flow() {
  {
    const std::scoped_lock lock(mutex_);
    if (request_.has_value()) request_->ensemble.clear();
    flow_ended_ = true;
  }
  changed_.notify_all();
}

// A turn of the flow of kept frames. True while frames are to be beamformed for it.
bool Reprocessor::step_flow(LiveFrame live) {
  const bool wanted = flow_ != nullptr || film_awaited_;
  if (wanted && live == LiveFrame::waits && ++flow_turn_ % kFlowTurn != 0) return true;
  flow_awaited_ = false;
  const bool shown = step_shown_flow();
  return step_film_flow() || shown;
}

// A failure is reported; images without flow continue.
bool Reprocessor::step_shown_flow() {
  if (flow_ == nullptr) return false;
  try {
    flow_->step(held_reference_db_);
  } catch (const std::exception& error) {
    flow_.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
    return false;
  }
  if (FlowImage* made = flow_->take()) {
    made->number = ++flows_made_;
    std::swap(*made, images_.flow.back());
    images_.flow.publish();
  }
  flow_awaited_ = flow_->busy();
  if (!flow_wanted_ && !flow_awaited_) flow_.reset();
  return flow_awaited_ && flow_->beamforming();
}

// Flow of the image to be delivered. Throws on failure.
bool Reprocessor::step_film_flow() {
  if (!film_awaited_) return false;
  film_flow_->step(held_reference_db_);
  film_made_ = film_flow_->take();
  film_awaited_ = film_made_ == nullptr;
  flow_awaited_ = flow_awaited_ || film_awaited_;
  return film_awaited_ && film_flow_->beamforming();
}

void Reprocessor::begin_film_flow(ReprocessRequest& request) {
  film_awaited_ = !request.ensemble.empty();
  if (!film_awaited_) return;
  make_flow(film_flow_, film_flow_of_, acquisition_of(request));
  film_flow_->begin({.frames = std::move(request.ensemble), .params = request.params});
}

void Reprocessor::make_flow(std::unique_ptr<FlowReviewer>& flow, AcquisitionPtr& made_for,
                            const AcquisitionPtr& acquisition) {
  if (flow != nullptr && made_for == acquisition) return;
  flow = std::make_unique<FlowReviewer>(backend_, acquisition, mode_);
  made_for = acquisition;
}

void Reprocessor::begin_flow(ReprocessRequest& request) {
  if (request.ensemble.empty()) return drop_flow();
  flow_wanted_ = true;
  try {
    make_flow(flow_, flow_of_, acquisition_of(request));
    flow_->begin({.frames = std::move(request.ensemble), .params = request.params});
  } catch (const std::exception& error) {
    flow_.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
  }
}

// What holds its memory goes as soon as that waits for nothing.
void Reprocessor::drop_flow() {
  flow_wanted_ = false;
  if (flow_ != nullptr) flow_->cancel();
  if (!film_awaited_ && film_made_ == nullptr) film_flow_.reset();
}

void Reprocessor::say_refused(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  refusal_ = why;
}

}  // namespace echoloop
