#include "backend/pipeline.h"

#include <algorithm>
#include <utility>

#include "backend/das_tables.h"
#include "core/error.h"
#include "core/process_memory.h"

namespace echoloop {
namespace {

constexpr std::size_t kLargeFrame = std::size_t{1} << 22;  // values of a frame: a lane takes part of a second

}  // namespace

Pipeline::Pipeline(Backend& backend, FrameRing& ring, AcquisitionPtr acquisition, const ImagingParams& params,
                   Mailbox<Image>& images, TimingTrace& trace, PipelineOptions options)
    : backend_(backend),
      ring_(ring),
      ring_slots_(ring.counts().slots),
      acquisition_(std::move(acquisition)),
      images_(images),
      trace_(trace),
      options_(std::move(options)),
      planning_{.device = backend.multiprocessors(),
                .asked = params,
                .plan = make_plan(acquisition_, params, nullptr, backend.multiprocessors())},
      wait_policy_(backend.computes_elsewhere() && has_spare_cores() ? WaitPolicy::Mode::spin
                                                                     : WaitPolicy::Mode::sleep_only),
      level_{.held_db = options_.held_reference_db},
      host_copy_(options_.host_copy),
      injected_{.load_ms = options_.inject.load_ms,
                .error_at = options_.inject.error_at,
                .lost_at = options_.inject.lost_at,
                .missing_event = options_.inject.missing_event > 0.0},
      analyses_(backend, options_.analyses, [this](const std::string& why) { refuse(why); }),
      line_(options_.analyses.line) {
  if (options_.past != nullptr) {
    reviewer_ = std::make_unique<Reprocessor>(backend, acquisition_, options_.mode, level_.held_db, *options_.past,
                                              options_.inspections);
    reviewer_->set_on_picture([this](const Image& image) { analyses_.take_kept(image); });
  }
  flight_.coarse_due = options_.held_reference_db <= kAutoReference;  // of another source
  const int lanes = std::clamp(options_.lanes, 1, kMaxLanes);
  LaneSettings settings(options_.mode);
  settings.memory = options_.memory;
  settings.copy = options_.copy;
  for (int i = 0; i < lanes; ++i) {
    if (acquisition_->frame_values() > kLargeFrame) check_long_work();
    flight_.slots.push_back({});
    flight_.slots.back().lane = backend.make_lane(i, settings);
    set_lane_plan(flight_.slots.back());
  }
  thread_ = std::thread([this] { run(); });
}

Pipeline::~Pipeline() {
  ending_.quit = true;
  stop();
  if (reviewer_ != nullptr) reviewer_->end();
  thread_.join();
}

void Pipeline::run() {
  run_stream();
  analyses_.end_stream(fault().empty() ? Analyses::StreamEnd::regular : Analyses::StreamEnd::fault);
  if (reviewer_ == nullptr) analyses_.retire_images();
  ring_.close();  // a producer must not wait for a slot forever
  ending_.done = true;
  if (reviewer_ == nullptr || !fault().empty()) return;
  while (!ending_.quit)
    if (!step_review()) reviewer_->wait();
}

void Pipeline::run_stream() {
  try {
    while (!ending_.abandoned && step()) {
    }
    if (ending_.abandoned) give_up_frames();
  } catch (const std::exception& error) {
    {
      const std::scoped_lock lock(texts_.mutex);
      texts_.fault = line_of(error, "a frame");
    }
    give_up_frames();
  }
}

// Counts frames in lanes as lost. No slot is released while a copy may still read it.
void Pipeline::give_up_frames() {
  for (int i = flight_.frames(); i > 0; --i) ring_.count_lost();
  for (std::size_t i = 0; i < flight_.slots.size(); ++i) {
    Slot& slot = flight_.from_oldest(i);
    if (std::exchange(slot.awaits, false)) slot.plan->process->drop(slot.asked);
    try {
      if (!slot.leases.empty()) slot.lane->wait();
    } catch (const std::exception&) {  // the device is lost: nothing reads any more
    }
    slot.leases.clear();
  }
}

// Performs one turn; returns false when the stream has ended.
bool Pipeline::step() {
  take_params();
  const WaitPolicy::Lanes reviewing = step_review() ? WaitPolicy::Lanes::busy : WaitPolicy::Lanes::idle;
  analyses_.retire(planning_.plan->params);
  const bool starts = may_start_next();
  const auto has_other = [&] { return starts && ring_.ready() > 0; };
  if (oldest_awaiting() != nullptr && !has_other()) {
    answer_oldest(has_other);
  } else if (starts) {
    if (auto lease = next_frame(reviewing)) {
      start_frames(flight_.slots[flight_.next], std::move(*lease));
      flight_.next = (flight_.next + 1) % flight_.slots.size();
    }
  } else if (flight_.frames() > 0) {
    flight_.slots[flight_.oldest].lane->wait();
  }
  release_uploaded();
  while (collect_finished()) {
  }
  const bool ended = !may_start() || ring_.drained();
  return flight_.frames() > 0 || !ended;
}

// Returns the oldest frame of the ring; waits for one unless a lane's frame ends first.
std::optional<FrameRing::ReadLease> Pipeline::next_frame(WaitPolicy::Lanes reviewing) {
  const WaitPolicy::Lanes live = flight_.frames() > 0 ? WaitPolicy::Lanes::busy : WaitPolicy::Lanes::idle;
  const bool happened = wait_policy_.spin(live, [&] {
    release_uploaded();
    return enough_ready() || (live == WaitPolicy::Lanes::busy && flight_.slots[flight_.oldest].lane->finished());
  });
  if (happened && !enough_ready()) return std::nullopt;
  if (happened) return ring_.begin_read(std::chrono::nanoseconds(0));
  return ring_.begin_read(wait_policy_.sleep(now_ns(), live == WaitPolicy::Lanes::busy ? live : reviewing));
}

// Returns true if frames should be started: one that arrives while others are on their way to the device would wait
// there, so it waits for as many as a lane processes together. Other events count at once.
bool Pipeline::enough_ready() {
  const std::size_t ready = ring_.ready();
  if (ready == 0 || ready >= flight_.most_together) return ring_.has_news();
  return std::all_of(flight_.slots.begin(), flight_.slots.end(), [](const Slot& slot) { return slot.leases.empty(); });
}

bool Pipeline::step_review() {
  return reviewer_ != nullptr && reviewer_->step(host_copy_, ring_.has_news() ? LiveFrame::waits : LiveFrame::none);
}

bool Pipeline::may_start() const {
  return !ending_.stop && (options_.max_frames == 0 || flight_.started < options_.max_frames);
}

// With a method in another process, further frames are handed over before its answer: of a slow one only if all frames
// are wanted, since they are older when it gets to them. A GPU serves one program after the other: there more than two
// add no rate.
bool Pipeline::may_start_next() const {
  constexpr std::int64_t kSlow_ns = 20'000'000;
  if (!may_start() || flight_.slots[flight_.next].busy) return false;
  const auto awaiting = std::ranges::count_if(flight_.slots, [](const Slot& slot) { return slot.awaits; });
  if (awaiting == 0) return true;
  const auto& process = planning_.plan->process;
  return (awaiting == 1 || process == nullptr || !process->on_device()) &&
         (flight_.answer_ns < kSlow_ns || ring_.policy() == RingPolicy::block);
}

Pipeline::Slot* Pipeline::oldest_awaiting() {
  for (std::size_t i = 0; i < flight_.slots.size(); ++i)
    if (flight_.from_oldest(i).awaits) return &flight_.from_oldest(i);
  return nullptr;
}

// Takes the answer of the oldest frame that awaits one and makes its image. Returns false if there is none, or the wait
// was interrupted or given up.
bool Pipeline::answer_oldest(const std::function<bool()>& interrupted) {
  Slot* const slot = oldest_awaiting();
  if (slot == nullptr || !take_answer(*slot->lane, *slot->plan, slot->asked, interrupted)) return false;
  slot->awaits = false;
  const std::int64_t now = now_ns();
  flight_.answer_ns = now - std::max(slot->asked_ns, flight_.answered_ns);
  flight_.answered_ns = now;
  finish_frames(*slot);
  return true;
}

void Pipeline::take_params() {
  if (!planning_.params.take()) return;
  const ImagingParams& wanted = planning_.params.front();
  const bool newly_automatic =
      wanted.level.reference_db <= kAutoReference && planning_.plan->params.level.reference_db > kAutoReference;
  if (newly_automatic) level_.measure = true;
  try {
    const auto before = planning_.plan;
    planning_.plan = make_plan(acquisition_, wanted, before, planning_.device);
    flight_.coarse_due = flight_.coarse_due || !same_pixels(before->params, wanted);
    analyses_.try_again();
  } catch (const Error& error) {
    refuse(error.what());
  }
}

// Releases the frames read. A frame lost with its file ends the stream.
void Pipeline::end_leases(Slot& slot) {
  if (slot.leases.empty()) return;
  for (FrameRing::ReadLease& lease : slot.leases) lease.release();
  slot.leases.clear();
  for (const RfFrame& frame : slot.frames) require_readable(frame.samples);
}

// Releases uploaded frames, oldest first: the history receives frames in order.
void Pipeline::release_uploaded() {
  for (std::size_t i = 0; i < flight_.slots.size(); ++i) {
    Slot& slot = flight_.from_oldest(i);
    if (slot.leases.empty()) continue;
    if (!slot.lane->uploaded()) return;
    end_leases(slot);
  }
}

bool Pipeline::collect_finished() {
  if (ending_.abandoned || flight_.frames() == 0 || !flight_.slots[flight_.oldest].lane->finished()) return false;
  collect(flight_.slots[flight_.oldest]);
  flight_.oldest = (flight_.oldest + 1) % flight_.slots.size();
  return true;
}

// Work of the Pipeline on the frames of a slot: through the stages of a lane, at a level, until their images are
// published. Processing thread.

void Pipeline::start_frames(Slot& slot, FrameRing::ReadLease lease) {
  slot.busy = true;
  slot.frames.clear();
  add_frame(slot, std::move(lease));
  do {
    look_for_news();
  } while ((make_coarse(slot) || !form(slot)) && !ending_.abandoned);
  if (!ending_.abandoned && !slot.awaits) finish_frames(slot);  // otherwise incomplete: discarded
}

void Pipeline::finish_frames(Slot& slot) {
  Lane& lane = *slot.lane;
  const std::optional<FrameAverage> average = next_average(slot);
  make_image(lane, *slot.plan,
             {.reference_db = slot.reference_db,
              .copy = copied_levels(),
              .average = average.has_value() ? &*average : nullptr,
              .line = slot.line,
              .pixels = slot.pixels,
              .method_limit_s = options_.method_limit_s,
              .levels = slot.levels});
  if (slot.analysed && !ending_.abandoned)
    analyses_.take_pixels({slot.plan, lane.pixels(), slot.frames.front().stamp, slot.reference_db});
}

void Pipeline::add_frame(Slot& slot, FrameRing::ReadLease lease) {
  ++flight_.started;
  slot.frames.push_back(lease.frame());
  slot.leases.push_back(std::move(lease));
  wait_policy_.frame_came(slot.frames.back().stamp.acquired_ns, now_ns());
}

// Applies the newest parameters, and a history frame requested at once; later ones supersede the work that begins.
void Pipeline::look_for_news() {
  backend_.begin_work();
  if (reviewer_ != nullptr && reviewer_->asked_at_once()) {
    step_review();
    backend_.begin_work();
  }
  take_params();
}

bool Pipeline::make_coarse(const Slot& slot) {
  if (options_.coarse == nullptr || !std::exchange(flight_.coarse_due, false)) return false;
  const std::optional<ImagingParams> coarse = coarse_params(*acquisition_, planning_.plan->params, backend_);
  if (!coarse) return false;
  flight_.coarse_due = !make_coarse_image(backend_, {acquisition_, *coarse, planning_.plan}, slot.frames.front(),
                                          {.reference_db = level_.held_db, .copy = host_copy_}, *options_.coarse);
  return true;
}

// Returns false if the frame was superseded by other parameters or by a history frame. It stays in the slot.
bool Pipeline::form(Slot& slot) {
  set_lane_plan(slot);
  const double held_db = level_.held_db;
  const bool measure = measures_level();
  slot.line = line_.column(slot.plan->grid);
  // A lane with a known level may write decibels while beamforming; it then keeps no complex pixels.
  slot.pixels = kept_pixels(slot.plan->params);
  slot.analysed = analyses_.wants_pixels(slot.plan->params);
  const bool pixels = slot.analysed || slot.pixels == HostCopy::made || slot.plan->process != nullptr;
  flight_.most_together = measure || pixels ? 1 : frames_together(slot);
  while (slot.leases.size() < flight_.most_together && ring_.ready() > 0) {
    auto next = ring_.begin_read(std::chrono::nanoseconds(0));
    if (!next.has_value()) break;  // withdrawn by the source
    add_frame(slot, std::move(*next));
  }
  slot.reference_db = reference_level_db(*planning_.plan, level_.held_db);
  FrameForming forming = injected_faults(slot.frames.front().stamp.sequence);
  if (!measure && (!pixels || slot.plan->process != nullptr)) forming.expected_db = slot.reference_db;
  slot.asked = {};
  slot.levels = Levels::due;
  if (slot.plan->process != nullptr && !measure && flight_.slots.size() > 1) {
    forming.asked = &slot.asked;
    if (slot.plan->process->input() == OwnInput::image) slot.levels = Levels::made;
  } else {
    while (answer_oldest({})) {  // images in the order of their frames
    }
  }
  static_cast<void>(form_frames(*slot.lane, slot.plan, slot.frames, forming));
  slot.awaits = slot.asked.number != 0;
  slot.asked_ns = now_ns();
  if (!backend_.end_work()) {
    if (measure) level_.measure = true;
    if (std::exchange(slot.awaits, false)) slot.plan->process->drop(slot.asked);
    return false;
  }
  if (measure && !ending_.abandoned) {
    measure_reference(slot, held_db);
    slot.reference_db = reference_level_db(*planning_.plan, level_.held_db);
  }
  return true;
}

HostCopy Pipeline::kept_pixels(const ImagingParams& params) const {
  const bool wanted = (options_.pixels != nullptr && options_.pixels->wanted()) ||
                      std::ranges::any_of(options_.outlets, [](const auto& outlet) { return outlet->wanted(); });
  return wanted && why_no_pixels(params).empty() ? HostCopy::made : HostCopy::none;
}

HostCopy Pipeline::copied_levels() const {
  const bool wanted = std::ranges::any_of(options_.outlets, [](const auto& outlet) { return outlet->wants_images(); });
  return wanted ? HostCopy::made : host_copy_.load();
}

// Offers a finished image, and its complex pixels if they were kept.
void Pipeline::give_out(const Image& image, const Slot& slot) {
  if (slot.pixels == HostCopy::made) {
    const KeptPixels pixels{image, slot.plan->das->tables->grid, slot.lane->kept_pixels()};
    if (options_.pixels != nullptr) options_.pixels->take(pixels);
    for (const auto& outlet : options_.outlets) outlet->take(pixels);
  }
  for (const auto& outlet : options_.outlets) outlet->take(image);
  if (options_.on_image) options_.on_image(image);
}

bool Pipeline::measures_level() {
  const bool asked = level_.measure.exchange(false);
  return holds_level(*planning_.plan) && (asked || (level_.held_db <= kAutoReference && level_due()));
}

// Returns 1 for frames that need individual work. Half of a ring's slots stay for the source.
std::size_t Pipeline::frames_together(const Slot& slot) const {
  const bool injected =
      injected_.load_ms > 0.0 || injected_.error_at > 0.0 || injected_.lost_at > 0.0 || injected_.missing_event;
  if (injected || slot.line.has_value()) return 1;
  std::uint64_t most = static_cast<std::uint64_t>(std::max(1, std::min(slot.lane->frames_at_once(), ring_slots_ / 2)));
  if (options_.max_frames > 0) most = std::min(most, options_.max_frames - flight_.started + slot.frames.size());
  return static_cast<std::size_t>(most);
}

// Returns the average of the frame just formed; its predecessor is in the previous slot.
std::optional<FrameAverage> Pipeline::next_average(Slot& slot) {
  const Persistence::Step step = persistence_.next(slot.plan, slot.frames.front().stamp);
  slot.averaged_frames = step.frames;
  if (step.frames == 0.0) return std::nullopt;
  const auto at = static_cast<std::size_t>(&slot - flight_.slots.data());
  const Lane* before = flight_.slots[(at + flight_.slots.size() - 1) % flight_.slots.size()].lane.get();
  return FrameAverage{.before = step.begins ? nullptr : before, .keep = step.keep};
}

// Refuses a plan that the device has no room for: the lane keeps its previous one.
void Pipeline::set_lane_plan(Slot& slot) {
  try {
    slot.lane->set_plan(planning_.plan);
  } catch (const std::exception& error) {
    if (slot.plan == nullptr || slot.plan == planning_.plan) throw;
    slot.lane->set_plan(slot.plan);
    planning_.plan = slot.plan;
    refuse(line_of(error, "these parameters"));
  }
  slot.plan = planning_.plan;
  planning_.why_fp32 = planning_.plan->why_fp32;
}

FrameForming Pipeline::injected_faults(std::uint64_t sequence) {
  FrameForming forming{.load_ms = injected_.load_ms,
                       .missing_event = injected_.missing_event,
                       .method_limit_s = options_.method_limit_s};
  const auto due = [sequence](std::atomic<double>& at) {
    if (at == 0.0 || static_cast<double>(sequence) < at) return false;
    at = 0.0;  // once
    return true;
  };
  if (due(injected_.error_at)) forming.fault = DeviceFault::refused;
  if (due(injected_.lost_at)) forming.fault = DeviceFault::lost;
  return forming;
}

// Returns false for most frames of a silent stream, so that it keeps its rate: frames of zeros have no level, and after
// a thousand of them one in sixteen is measured.
bool Pipeline::level_due() const {
  constexpr std::uint64_t kMany = 1000, kStep = 16;
  return level_.silent < kMany || flight_.started % kStep == 0;
}

// Waits for a frame, only here: at the start of a stream and for a new level. A level set meanwhile is kept.
void Pipeline::measure_reference(Slot& slot, double held_db) {
  const std::optional<double> level_db = measured_level_db(*slot.lane, *slot.plan);
  if (level_db.has_value()) level_.held_db.compare_exchange_strong(held_db, *level_db);
  level_.silent = level_db.has_value() ? 0 : level_.silent + 1;
}

void Pipeline::collect(Slot& slot) {
  end_leases(slot);
  slot.lane->append_spans(trace_);
  for (std::size_t k = 0; k < slot.frames.size(); ++k) {
    Image& image = slot.lane->image(k);
    describe(image, *slot.plan, slot.reference_db, slot.averaged_frames);
    image.number = flight_.finished + 1;
    wait_policy_.frame_ended(image.ready_ns);
    trace_.add_latency(Latency::ready, image.stamp.acquired_ns, image.ready_ns);
    give_out(image, slot);
    analyses_.take_live(image);
    if (slot.line.has_value()) line_.take(image, *slot.line, slot.lane->line());
    std::swap(image, images_.back());
    images_.publish();
    ++flight_.finished;  // last: after an exception above, the frame is in flight and will be counted as lost
    ring_.count_processed();
  }
  slot.busy = false;
}

// Requests and queries of other threads.

void Pipeline::set_params(const ImagingParams& params) {
  const ImagingParams before = std::exchange(planning_.asked, params);
  planning_.params.back() = params;
  planning_.params.publish();
  if (before.formation != params.formation || before.transmits != params.transmits) backend_.supersede();
}

void Pipeline::set_injection(const Injection& injection) {
  injected_.load_ms = injection.load_ms;
  injected_.error_at = injection.error_at;
  injected_.lost_at = injection.lost_at;
  injected_.missing_event = injection.missing_event > 0.0;
}

void Pipeline::review(ReprocessRequest request) {
  if (reviewer_ == nullptr) return;
  if (!request.deliver) analyses_.set_looking(Analyses::Looking::back);
  const bool at_once = request.turn == ReviewTurn::at_once;
  reviewer_->request(std::move(request));
  if (at_once) backend_.supersede();
  ring_.wake();
}

void Pipeline::inspect(InspectionRequest request) {
  if (reviewer_ == nullptr) return;
  reviewer_->inspect(std::move(request));
  ring_.wake();
}

void Pipeline::end_inspection() {
  if (reviewer_ != nullptr) reviewer_->end_inspection();
}

void Pipeline::end_review() {
  analyses_.set_looking(Analyses::Looking::at_live);
  if (reviewer_ == nullptr) return;
  reviewer_->forget_request();
  if (reviewer_->forming()) backend_.supersede();
  reviewer_->end_flow();
  ring_.wake();
}

void Pipeline::stop() {
  ending_.stop = true;
  ring_.close();
}

void Pipeline::abandon() {
  ending_.abandoned = true;
  if (reviewer_ != nullptr) reviewer_->forget_request();
  stop();
}

std::string Pipeline::fault() const {
  const std::scoped_lock lock(texts_.mutex);
  return texts_.fault;
}

std::string Pipeline::take_refusal() {
  const std::scoped_lock lock(texts_.mutex);
  if (texts_.refusal.empty() && reviewer_ != nullptr) return reviewer_->take_refusal();
  return std::exchange(texts_.refusal, {});
}

void Pipeline::refuse(const std::string& why) {
  const std::scoped_lock lock(texts_.mutex);
  texts_.refusal = why;
}

}  // namespace echoloop
