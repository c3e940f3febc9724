#include "backend/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/mapped_files.h"
#include "core/units.h"

namespace echoloop {

Pipeline::Pipeline(Backend& backend, FrameRing& ring, AcquisitionPtr acquisition, const ImagingParams& params,
                   Mailbox<Image>& images, TimingTrace& trace, PipelineOptions options)
    : ring_(ring),
      acquisition_(std::move(acquisition)),
      images_(images),
      trace_(trace),
      options_(std::move(options)),
      lowest_precision_(backend.lowest_precision()),
      plan_(make_plan(acquisition_, params, nullptr, lowest_precision_)),
      watch_(backend.computes_elsewhere() && has_spare_cores() ? Watch::Habit::looks : Watch::Habit::only_sleeps),
      held_reference_db_(options_.held_reference_db),
      host_copy_(options_.host_copy),
      load_ms_(options_.inject.load_ms),
      error_at_(options_.inject.error_at),
      lost_at_(options_.inject.lost_at),
      side_(backend, options_.side, [this](const std::string& why) { refuse(why); }),
      line_(options_.side.line) {
  if (options_.past != nullptr) {
    reviewer_ = std::make_unique<Reviewer>(backend, acquisition_, options_.mode, *options_.past, options_.inspections);
    reviewer_->set_on_picture([this](const Image& image) { side_.take_kept(image); });
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
  side_.end_stream(fault().empty() ? SideEngines::StreamEnd::regular : SideEngines::StreamEnd::fault);
  if (reviewer_ == nullptr) side_.retire_structure();
  ring_.close();  // a producer that waits for a slot must not wait for ever
  done_ = true;
  if (reviewer_ == nullptr || !fault().empty()) return;
  while (!quit_) {
    if (!step_review()) reviewer_->wait();
  }
}

void Pipeline::run_stream() {
  try {
    while (!abandoned_ && step()) {
    }
    if (abandoned_) give_up_frames();
  } catch (const std::exception& error) {
    {
      const std::scoped_lock lock(text_mutex_);
      fault_ = error.what();
    }
    give_up_frames();
  }
}

// Those in lanes are lost. No slot goes back while a copy may still read it.
void Pipeline::give_up_frames() {
  for (int i = in_flight(); i > 0; --i) ring_.count_lost();
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
  const Watch::Lanes reviewing = step_review() ? Watch::Lanes::busy : Watch::Lanes::idle;
  side_.retire(plan_->params);
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
std::optional<FrameRing::ReadLease> Pipeline::next_frame(Watch::Lanes reviewing) {
  const Watch::Lanes live = in_flight() > 0 ? Watch::Lanes::busy : Watch::Lanes::idle;
  const bool happened = watch_.look(live, [&] {
    release_uploaded();
    return ring_.has_news() || (live == Watch::Lanes::busy && slots_[oldest_].lane->finished());
  });
  if (happened) return ring_.begin_read(std::chrono::nanoseconds(0));
  return ring_.begin_read(watch_.sleep(now_ns(), live == Watch::Lanes::busy ? live : reviewing));
}

bool Pipeline::step_review() {
  return reviewer_ != nullptr &&
         reviewer_->step(held_reference_db_, host_copy_, ring_.has_news() ? LiveFrame::waits : LiveFrame::none);
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
    side_.try_again();
  } catch (const Error& error) {
    refuse(error.what());
  }
}

// The frame has been read. One that was lost with its file ends the stream.
void Pipeline::end_lease(Slot& slot) {
  if (!slot.lease.has_value()) return;
  const std::span<const std::byte> samples = slot.lease->frame().samples;
  slot.lease.reset();
  require_readable(samples);
}

// Oldest first: whoever keeps the frames gets them in order.
void Pipeline::release_uploaded() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[(oldest_ + i) % slots_.size()];
    if (!slot.lease.has_value()) continue;
    if (!slot.lane->uploaded()) return;
    end_lease(slot);
  }
}

bool Pipeline::collect_finished() {
  if (abandoned_ || in_flight() == 0 || !slots_[oldest_].lane->finished()) return false;
  collect(slots_[oldest_]);
  oldest_ = (oldest_ + 1) % slots_.size();
  return true;
}

}  // namespace echoloop
