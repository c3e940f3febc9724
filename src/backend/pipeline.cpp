#include "backend/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "backend/refine_plan.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

// The held level is that of all transmits: a selection changes the picture's brightness by what it leaves out only.
double level_db(const Plan& plan) { return transmit_level_db(plan.params, *plan.acquisition); }

}  // namespace

Pipeline::Pipeline(Backend& backend, FrameRing& ring, AcquisitionPtr acquisition, const ImagingParams& params,
                   Mailbox<Image>& images, TimingTrace& trace, PipelineOptions options)
    : ring_(ring),
      acquisition_(std::move(acquisition)),
      images_(images),
      trace_(trace),
      options_(std::move(options)),
      lowest_precision_(backend.lowest_precision()),
      plan_(make_plan(acquisition_, params, nullptr, lowest_precision_)),
      watch_(backend.computes_elsewhere() && has_spare_cores()),
      held_reference_db_(options_.held_reference_db),
      host_images_(options_.host_images),
      load_ms_(options_.inject.load_ms),
      error_at_(options_.inject.error_at),
      lost_at_(options_.inject.lost_at),
      backend_(backend) {
  if (options_.past != nullptr) {
    reviewer_ = std::make_unique<Reviewer>(backend, acquisition_, options_.mode, *options_.past, options_.inspections);
    reviewer_->set_on_picture([this](const Image& image) { feed_kept_structure(image); });
  }
  const int lanes = std::clamp(options_.lanes, 1, kMaxLanes);
  for (int i = 0; i < lanes; ++i) {
    slots_.push_back({});
    slots_.back().lane = backend.make_lane(i, options_.mode);
    set_lane_plan(slots_.back());
  }
  thread_ = std::thread([this] { run(); });
}

Pipeline::~Pipeline() {
  quit_ = true;
  stop();
  if (reviewer_ != nullptr) reviewer_->end();
  thread_.join();
}

void Pipeline::run() {
  run_stream();
  end_flow();
  end_structure();
  ring_.close();  // a producer that waits for a slot must not wait for ever
  done_ = true;
  if (reviewer_ == nullptr || !fault().empty()) return;
  while (!quit_) {
    if (!step_review()) reviewer_->wait();
  }
}

void Pipeline::run_stream() {
  try {
    while (step()) {
    }
  } catch (const std::exception& error) {
    {
      const std::scoped_lock lock(text_mutex_);
      fault_ = error.what();
    }
    for (int i = in_flight(); i > 0; --i) ring_.count_lost();
    give_slots_back();
  }
}

// After a fault: no slot goes back while a copy may still read it.
void Pipeline::give_slots_back() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[(oldest_ + i) % slots_.size()];
    try {
      if (slot.lease.has_value()) slot.lane->wait();
    } catch (const std::exception&) {  // the device is lost: nothing reads any more
    }
    slot.lease.reset();
  }
}

// One turn; false when the stream has ended.
bool Pipeline::step() {
  take_params();
  const bool reviewing = step_review();
  retire_flow();
  if (plan_->params.structure == Structure::off && !looks_back_) retire_structure();
  if (may_start() && !slots_[next_].busy) {
    if (auto lease = next_frame(reviewing)) {
      start_frame(slots_[next_], std::move(*lease));
      next_ = (next_ + 1) % slots_.size();
    }
  } else if (in_flight() > 0) {
    slots_[oldest_].lane->wait();
  }
  release_uploaded();
  while (collect_finished()) {
  }
  const bool ended = !may_start() || ring_.drained();
  return in_flight() > 0 || !ended;
}

// The oldest frame of the ring; waits a while for one, unless a lane's frame ends first.
std::optional<FrameRing::ReadLease> Pipeline::next_frame(bool reviewing) {
  const bool busy = in_flight() > 0;
  const bool happened = watch_.look(busy, [&] {
    release_uploaded();
    return ring_.has_news() || (busy && slots_[oldest_].lane->finished());
  });
  return ring_.begin_read(happened ? std::chrono::nanoseconds(0) : watch_.sleep(now_ns(), busy || reviewing));
}

bool Pipeline::step_review() {
  return reviewer_ != nullptr &&
         reviewer_->step(held_reference_db_, host_images_, ring_.has_news() ? LiveFrame::waits : LiveFrame::none);
}

bool Pipeline::may_start() const { return !stop_ && (options_.max_frames == 0 || started_ < options_.max_frames); }

int Pipeline::in_flight() const { return static_cast<int>(started_ - finished_); }

void Pipeline::take_params() {
  if (!params_.take()) return;
  const ImagingParams& wanted = params_.front();
  const bool newly_automatic = wanted.reference_db <= kAutoReference && plan_->params.reference_db > kAutoReference;
  if (newly_automatic) measure_reference_ = true;
  try {
    plan_ = make_plan(acquisition_, wanted, plan_, lowest_precision_);
    flow_failed_ = structure_failed_ = sonogram_failed_ = false;
  } catch (const Error& error) {
    refuse(error.what());
  }
}

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
  const bool automatic = plan_->params.reference_db <= kAutoReference && plan_->course == nullptr;
  const bool measure = measure_reference_.exchange(false) || (automatic && held_reference_db_ <= kAutoReference);
  slot.reference_db = reference_in_use(automatic);
  // Decibels written on the way leave no complex pixels.
  const bool flow = wants_flow();
  const bool sonogram = wants_sonogram();
  if (!(automatic && measure) && !flow && !sonogram) lane.expect_reference(slot.reference_db);
  lane.beamform();
  lane.envelope();
  if (automatic && measure) {
    measure_reference(slot);
    slot.reference_db = reference_in_use(automatic);
  }
  lane.compress(slot.reference_db);
  refine(slot);
  lane.finish(host_images_);
  if (flow) feed_flow(slot);
  if (sonogram) feed_sonogram(slot);
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

double Pipeline::reference_in_use(bool automatic) const {
  if (!automatic) return plan_->params.reference_db;
  return held_reference_db_ > kAutoReference ? held_reference_db_ + level_db(*plan_) : 0.0;
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
  slot.lane->compress(0.0);
  slot.lane->finish(true);
  slot.lane->wait();
  const std::span<const float> image = slot.lane->image().host();
  if (image.empty()) return;
  const float brightest = *std::max_element(image.begin(), image.end());
  constexpr float kSilenceDb = -590.0f;  // to_db()'s floor is -600: a frame of zeros tells nothing, the next one may
  if (brightest > kSilenceDb) held_reference_db_ = static_cast<double>(brightest) - level_db(*slot.plan);
}

// Oldest first: whoever keeps the frames gets them in order.
void Pipeline::release_uploaded() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[(oldest_ + i) % slots_.size()];
    if (!slot.lease.has_value()) continue;
    if (!slot.lane->uploaded()) return;
    slot.lease.reset();
  }
}

bool Pipeline::collect_finished() {
  if (in_flight() == 0 || !slots_[oldest_].lane->finished()) return false;
  collect(slots_[oldest_]);
  oldest_ = (oldest_ + 1) % slots_.size();
  return true;
}

void Pipeline::collect(Slot& slot) {
  slot.lease.reset();
  Image& image = slot.lane->image();
  image.ready_ns = now_ns();
  watch_.frame_ended(image.ready_ns);
  image.number = finished_ + 1;
  image.params = slot.plan->params;
  image.params.reference_db = slot.reference_db;
  image.acquisition = acquisition_;
  image.averaged_frames = slot.averaged_frames;
  slot.lane->append_spans(trace_);
  trace_.add_latency(Latency::ready, static_cast<double>(image.ready_ns - image.stamp.acquired_ns) * 1e-6);
  if (options_.on_image) options_.on_image(image);
  feed_live_structure(image);
  std::swap(image, images_.back());
  images_.publish();
  slot.busy = false;
  ++finished_;  // last: whatever throws above, the frame is still in flight and will be counted as lost
  ring_.count_processed();
}

}  // namespace echoloop
