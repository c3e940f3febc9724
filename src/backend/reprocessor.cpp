#include "backend/reprocessor.h"

#include <chrono>

#include "core/process_memory.h"

namespace echoloop {
namespace {

constexpr std::chrono::milliseconds kFlowPoll(2);

constexpr std::uint64_t kFlowTurn = 4;  // every n-th turn goes to an ensemble while live frames wait

}  // namespace

Reprocessor::Reprocessor(Backend& backend, AcquisitionPtr acquisition, StreamMode mode,
                         const std::atomic<double>& held_reference_db, PastImages& images, InspectionAnswers* answers)
    : backend_(backend),
      acquisition_(std::move(acquisition)),
      mode_(mode),
      held_reference_db_(held_reference_db),
      images_(images),
      answers_(answers) {}

void Reprocessor::request(ReprocessRequest request) {
  {
    const std::scoped_lock lock(inbox_.mutex);
    if (request.deliver) {
      inbox_.deliveries.push_back(std::move(request));
      inbox_.to_deliver = true;
    } else {
      inbox_.at_once = request.turn == ReviewTurn::at_once;
      inbox_.request = std::move(request);
      inbox_.asked = inbox_.wanted = true;
    }
  }
  inbox_.changed.notify_all();
}

void Reprocessor::inspect(InspectionRequest request) {
  {
    const std::scoped_lock lock(inbox_.mutex);
    inbox_.inspection = std::move(request);
    inbox_.inspecting = true;
    inbox_.inspection_news = true;
  }
  inbox_.changed.notify_all();
}

void Reprocessor::end_inspection() {
  {
    const std::scoped_lock lock(inbox_.mutex);
    inbox_.inspection.reset();
    inbox_.inspecting = false;
    inbox_.inspection_news = true;
  }
  inbox_.changed.notify_all();
}

void Reprocessor::forget_request() {
  const std::scoped_lock lock(inbox_.mutex);
  inbox_.request.reset();
  inbox_.asked = inbox_.at_once = inbox_.wanted = false;
}

void Reprocessor::end() {
  forget_request();
  {
    const std::scoped_lock lock(inbox_.mutex);
    inbox_.inspection.reset();
    inbox_.deliveries.clear();
    inbox_.to_deliver = false;
    inbox_.ended = true;
  }
  inbox_.changed.notify_all();
}

void Reprocessor::wait() {
  std::unique_lock lock(inbox_.mutex);
  const auto news = [this] {
    return inbox_.request.has_value() || !inbox_.deliveries.empty() || inbox_.inspection_news || inbox_.flow_ended ||
           inbox_.ended;
  };
  if (flow_awaited_)
    inbox_.changed.wait_for(lock, kFlowPoll, news);  // the worker sends no notice
  else
    inbox_.changed.wait(lock, news);
}

std::optional<ReprocessRequest> Reprocessor::take_request() {
  if (!inbox_.asked) return std::nullopt;
  const std::scoped_lock lock(inbox_.mutex);
  inbox_.asked = inbox_.at_once = false;
  return std::exchange(inbox_.request, std::nullopt);
}

std::optional<ReprocessRequest> Reprocessor::take_delivery() {
  if (!inbox_.to_deliver) return std::nullopt;
  const std::scoped_lock lock(inbox_.mutex);
  if (inbox_.deliveries.empty()) return std::nullopt;
  ReprocessRequest next = std::move(inbox_.deliveries.front());
  inbox_.deliveries.pop_front();
  inbox_.to_deliver = !inbox_.deliveries.empty();
  return next;
}

std::string Reprocessor::take_refusal() {
  const std::scoped_lock lock(inbox_.mutex);
  return std::exchange(inbox_.refusal, {});
}

bool Reprocessor::step(HostCopy copy, LiveFrame live) {
  bool flowing = false;
  try {
    begin_requests(copy);
    flowing = step_flow(live);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool waits = i == kDelivered && film_awaited_;
      if (slots_[i].busy && !waits && slots_[i].lane->finished()) collect(i);
    }
  } catch (const std::exception& error) {
    inbox_.forming = false;
    static_cast<void>(backend_.end_work());
    refuse(error.what());
  }
  const bool inspecting = step_inspection();
  return looking() || (slots_[kDelivered].busy && !film_awaited_) || inspecting || flowing;
}

// Performs one step of the inspector, which exists only while its dock is open. Returns true while it works on a frame.
bool Reprocessor::step_inspection() {
  if (inbox_.inspection_news && (inspector_ == nullptr || !inspector_->busy())) {
    std::optional<InspectionRequest> request;
    {
      const std::scoped_lock lock(inbox_.mutex);
      inbox_.inspection_news = false;
      request = std::exchange(inbox_.inspection, std::nullopt);
      if (!inbox_.inspecting) inspector_.reset();
    }
    if (request.has_value() && answers_ != nullptr) {
      const AcquisitionPtr& acquisition = request->acquisition != nullptr ? request->acquisition : acquisition_;
      if (inspector_ == nullptr || inspector_->acquisition() != acquisition)
        inspector_ = std::make_unique<FrameInspector>(backend_, acquisition, mode_, *answers_);
      inspector_->begin(std::move(*request), held_reference_db_);
    }
  }
  return inspector_ != nullptr && inspector_->step();
}

void Reprocessor::begin_requests(HostCopy copy) {
  host_copy_ = copy;
  if (inbox_.flow_ended.exchange(false)) drop_flow();
  if (!looking()) begin_shown();
  if (slots_[kDelivered].busy) return;
  if (auto request = take_delivery()) {
    slots_[kDelivered].deliver = request->deliver;
    slots_[kDelivered].pixels = why_no_pixels(request->params).empty() ? request->pixels : nullptr;
    begin(slots_[kDelivered], {acquisition_of(*request), request->frame, request->owner}, request->params);
    begin_film_flow(*request);
  }
}

// Begins the latest request; a superseded one is restarted if still wanted and not replaced.
void Reprocessor::begin_shown() {
  std::optional<ReprocessRequest> request = take_request();
  while (request.has_value() && !try_to_begin(*request)) {
    for (const std::size_t i : {kShown, kCompared}) slots_[i].busy = false;
    if (auto newer = take_request()) request = std::move(newer);
    const std::scoped_lock lock(inbox_.mutex);
    if (!inbox_.wanted) return;
  }
  if (request.has_value()) begin_flow(*request);
}

// Returns false if superseded.
bool Reprocessor::try_to_begin(const ReprocessRequest& request) {
  const auto begin_image = [this](Slot& slot, const ComparedFrame& of, const ImagingParams& params) {
    backend_.begin_work();
    if (inbox_.at_once) backend_.supersede();  // arrived during the previous image
    inbox_.forming = true;
    form(slot, of, params);
    inbox_.forming = false;
    const bool complete = backend_.end_work();
    if (complete) make(slot);
    return complete;
  };
  const ComparedFrame frame{acquisition_of(request), request.frame, request.owner};
  coarse_due_ = (coarse_due_ || request.coarse) && !request.compare;
  return (!coarse_due_ || make_coarse(request)) && begin_image(slots_[kShown], frame, request.params) &&
         (!request.compare.has_value() ||
          begin_image(slots_[kCompared], request.compared.value_or(frame), *request.compare));
}

// Returns false if superseded.
bool Reprocessor::make_coarse(const ReprocessRequest& request) {
  const AcquisitionPtr& acquisition = acquisition_of(request);
  const std::optional<ImagingParams> coarse = coarse_params(*acquisition, request.params, backend_);
  if (!coarse) return true;
  backend_.begin_work();
  if (inbox_.at_once) backend_.supersede();
  inbox_.forming = true;
  const bool complete = make_coarse_image(backend_, {acquisition, *coarse, slots_[kShown].plan}, request.frame,
                                          {.reference_db = held_reference_db_, .copy = host_copy_}, images_.coarse);
  inbox_.forming = false;
  return complete;
}

// Resets all lanes, as one that failed halfway is unusable; every waiting request ends without an image.
void Reprocessor::refuse(const std::string& why) {
  std::vector<std::function<void(const Image*, const FlowImage*)>> waiting;
  if (slots_[kDelivered].deliver) waiting.push_back(slots_[kDelivered].deliver);
  for (Slot& slot : slots_) slot = {};
  film_flow_.reviewer.reset();
  film_made_ = nullptr;
  film_awaited_ = false;
  {
    const std::scoped_lock lock(inbox_.mutex);
    inbox_.refusal = why;
    for (ReprocessRequest& request : inbox_.deliveries) waiting.push_back(std::move(request.deliver));
    inbox_.deliveries.clear();
    inbox_.to_deliver = false;
  }
  for (const auto& deliver : waiting) deliver(nullptr, nullptr);
}

void Reprocessor::begin(Slot& slot, const ComparedFrame& frame, const ImagingParams& params) {
  form(slot, frame, params);
  make(slot);
}

void Reprocessor::form(Slot& slot, const ComparedFrame& frame, const ImagingParams& params) {
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
}

void Reprocessor::make(Slot& slot) {
  slot.reference_db = slot_reference_db(slot);
  make_image(*slot.lane, *slot.plan,
             {.reference_db = slot.reference_db,
              .copy = slot.deliver ? HostCopy::made : host_copy_,
              .pixels = slot.pixels != nullptr ? HostCopy::made : HostCopy::none});
}

// Returns the level, after the envelope. Waits for the first frame of another recording.
double Reprocessor::slot_reference_db(Slot& slot) const {
  if (slot.acquisition == acquisition_) return reference_level_db(*slot.plan, held_reference_db_);
  if (holds_level(*slot.plan) && slot.own_reference_db <= kAutoReference)
    slot.own_reference_db = measured_level_db(*slot.lane, *slot.plan).value_or(kAutoReference);
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
  if (const auto pixels = std::exchange(slot.pixels, nullptr))
    pixels->take({image, slot.plan->das->tables->grid, slot.lane->kept_pixels()});
  if (slot.deliver) {
    std::exchange(slot.deliver, nullptr)(&image, std::exchange(film_made_, nullptr));
    return;
  }
  if (index == kShown && on_picture_) on_picture_(image);
  coarse_due_ = coarse_due_ && index != kShown;
  std::swap(image, images_[index].back());
  images_[index].publish();
}

// Flow in the Reprocessor: passes ensembles of history frames to a FlowReviewer and its images to the window.
// Processing thread, unless noted.

void Reprocessor::end_flow() {
  {
    const std::scoped_lock lock(inbox_.mutex);
    if (inbox_.request.has_value()) inbox_.request->ensemble.clear();
    inbox_.flow_ended = true;
  }
  inbox_.changed.notify_all();
}

// Performs one turn of the flow of history frames. Returns true while frames remain to be beamformed.
bool Reprocessor::step_flow(LiveFrame live) {
  const bool wanted = flow_.reviewer != nullptr || film_awaited_;
  if (wanted && live == LiveFrame::waits && ++flow_counts_.turns % kFlowTurn != 0) return true;
  flow_awaited_ = false;
  const bool shown = step_shown_flow();
  return step_film_flow() || shown;
}

// Reports a failure; images without flow continue.
bool Reprocessor::step_shown_flow() {
  if (flow_.reviewer == nullptr) return false;
  try {
    flow_.reviewer->step(held_reference_db_);
  } catch (const std::exception& error) {
    flow_.reviewer.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
    return false;
  }
  if (FlowImage* made = flow_.reviewer->take()) {
    made->number = ++flow_counts_.made;
    std::swap(*made, images_.flow.back());
    images_.flow.publish();
  }
  flow_awaited_ = flow_.reviewer->busy();
  if (!flow_wanted_ && !flow_awaited_) flow_.reviewer.reset();
  return flow_awaited_ && flow_.reviewer->beamforming();
}

// Continues the flow of the image to be delivered. Throws on failure.
bool Reprocessor::step_film_flow() {
  if (!film_awaited_) return false;
  film_flow_.reviewer->step(held_reference_db_);
  film_made_ = film_flow_.reviewer->take();
  film_awaited_ = film_made_ == nullptr;
  flow_awaited_ = flow_awaited_ || film_awaited_;
  return film_awaited_ && film_flow_.reviewer->beamforming();
}

void Reprocessor::begin_film_flow(ReprocessRequest& request) {
  film_awaited_ = !request.ensemble.empty();
  if (!film_awaited_) return;
  make_flow(film_flow_, acquisition_of(request));
  film_flow_.reviewer->begin({.frames = std::move(request.ensemble), .params = request.params});
}

void Reprocessor::make_flow(FlowOf& flow, const AcquisitionPtr& acquisition) {
  if (flow.reviewer != nullptr && flow.acquisition == acquisition) return;
  flow.reviewer = std::make_unique<FlowReviewer>(backend_, acquisition, mode_);
  flow.acquisition = acquisition;
}

void Reprocessor::begin_flow(ReprocessRequest& request) {
  if (request.ensemble.empty()) return drop_flow();
  flow_wanted_ = true;
  try {
    make_flow(flow_, acquisition_of(request));
    flow_.reviewer->begin({.frames = std::move(request.ensemble), .params = request.params});
  } catch (const std::exception& error) {
    flow_.reviewer.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
  }
}

// Frees the reviewers' memory once nothing waits for them.
void Reprocessor::drop_flow() {
  flow_wanted_ = false;
  if (flow_.reviewer != nullptr) flow_.reviewer->cancel();
  if (!film_awaited_ && film_made_ == nullptr) film_flow_.reviewer.reset();
}

void Reprocessor::say_refused(const std::string& why) {
  const std::scoped_lock lock(inbox_.mutex);
  inbox_.refusal = why;
}

}  // namespace echoloop
