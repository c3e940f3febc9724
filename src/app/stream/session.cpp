#include "app/stream/session.h"

#include <chrono>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

bool drops(RingPolicy policy) { return policy == RingPolicy::drop_oldest || policy == RingPolicy::drop_newest; }

void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

Session::Session(Backend& backend, std::shared_ptr<Source> source, Mailbox<Image>& images, TimingTrace& trace,
                 SessionOptions options)
    : backend_(backend), source_(std::move(source)), images_(images), trace_(trace), options_(std::move(options)) {
  counts_ = options_.counts;
  if (counts_.produced == 0) counts_.next_sequence = options_.first_frame;
  next_sequence_ = counts_.next_sequence;
  held_reference_db_ = options_.held_reference_db;
  if (options_.samples != nullptr) options_.samples->restart();
  check_fits(options_.stream, options_.params);
  make();
  if (options_.in_background) return;
  while (!advance()) wait_a_little();
}

Session::~Session() {
  change_.stop.request_stop();
  if (change_.making.valid()) change_.making.wait();
}

double Session::rate_hz() const {
  if (options_.stream.rate_hz > 0.0) return options_.stream.rate_hz;
  return source_->sets_the_pace() ? kRateMax : default_rate_hz(*source_->acquisition());
}

ProducerState Session::producer_state() const {
  if (change_.given_up) return ProducerState::changed;
  return running() ? running_->producer().state() : ProducerState::running;
}

std::optional<RingRefusal> Session::refusal() const { return running() ? running_->ring().refusal() : std::nullopt; }

std::string Session::take_refusal() {
  if (!refusal_.empty()) return std::exchange(refusal_, {});
  return running() ? running_->pipeline().take_refusal() : std::string();
}

void Session::stop() { stop_until(std::numeric_limits<std::int64_t>::max()); }

void Session::stop_soon() { stop_until(now_ns() + kGrace_ns); }

void Session::stop_until(std::int64_t give_up_ns) {
  try {
    while (!advance()) {
      if (now_ns() > give_up_ns && running()) abandon();  // a change of settings waits for its last frames
      wait_a_little();
    }
  } catch (const std::exception&) {  // of the configuration being made
    if (!long_work_ended()) throw;
    change_.phase = Phase::steady;
    return;
  }
  if (!running()) return;
  running_->producer().stop();
  running_->pipeline().stop();
  while (running_->producer().state() == ProducerState::running || !running_->pipeline().done()) {
    if (now_ns() > give_up_ns) abandon();
    wait_a_little();
  }
  backend_.resume();
}

void Session::abandon() {
  running_->pipeline().abandon();  // first: frames in lanes no longer count
  backend_.abandon();
}

void Session::end_soon() {
  change_.stop.request_stop();
  try {
    stop_soon();
  } catch (const std::exception&) {  // of a configuration that was being made
  }
  if (!running()) return;
  counts_ = running_->ring().counts();
  abandon();  // history frames in work
  running_.reset();
  backend_.resume();
}

void Session::set_params(const ImagingParams& params) {
  options_.params = params;
  if (running()) running_->pipeline().set_params(params);
}

void Session::set_host_copy(HostCopy copy) {
  options_.host_copy = copy;
  if (running()) running_->pipeline().set_host_copy(copy);
}

void Session::measure_reference() {
  if (running()) running_->pipeline().measure_reference();
}

void Session::hold_reference(double level_db) {
  if (running()) running_->pipeline().hold_reference(level_db);
}

void Session::review(ReprocessRequest request) {
  if (request.deliver) {
    if (running()) running_->pipeline().review(std::move(request));
    return;
  }
  review_ = std::move(request);
  if (running()) running_->pipeline().review(*review_);
}

void Session::end_review() {
  review_.reset();
  if (running()) running_->pipeline().end_review();
}

void Session::inspect(InspectionRequest request) {
  if (running()) running_->pipeline().inspect(std::move(request));
}

void Session::end_inspection() {
  if (running()) running_->pipeline().end_inspection();
}

void Session::look_at_line(const std::optional<PlanePoint>& at) {
  if (at == line_) return;
  line_ = at;
  if (running()) running_->pipeline().look_at_line(line_);
}

bool Session::same_configuration(const StreamSettings& a, const StreamSettings& b) const {
  return a.slots == b.slots && a.lanes == b.lanes && a.streams == b.streams && a.host_memory == b.host_memory &&
         a.copy == b.copy;
}

StreamMemory Session::memory() const {
  StreamMemory memory;
  const Source& read = pinned_.source != nullptr ? *pinned_.source : *source_;
  if (!read.zero_copy()) memory.slot_bytes = frame_bytes();
  memory.host_bytes = slots_bytes(memory.slot_bytes, change_.made);
  if (pinned_.background != nullptr) {
    memory.in_place_bytes = pinned_.background->bytes();
    memory.host_bytes += memory.in_place_bytes;
  }
  memory.device = backend_.memory();
  memory.lane_bytes = memory.device.used / static_cast<std::size_t>(change_.made.lanes);
  return memory;
}

// Checks the memory, before anything is released for the new configuration.
void Session::check_fits(const StreamSettings& wanted, const ImagingParams& params) const {
  const bool none = change_.given_up || change_.phase == Phase::waiting;
  const StreamMemory now = change_.working.has_value() && !none ? memory() : StreamMemory{};
  require_memory(source_->name(), wanted, stream_need(*source_, params, wanted, backend_),
                 now.host_bytes + change_.plan_bytes, backend_.memory());
  require_device_memory(wanted, wanted.lanes - change_.made.lanes, now);
}

void Session::begin_stream(const StreamSettings& stream) {
  if (!backend_.usable()) return;  // only another backend can continue
  if (!same_configuration(stream, change_.made)) check_fits(stream, options_.params);
  options_.stream = stream;
  if (change_.phase == Phase::making || !running()) return;  // checked again when it is made
  if (same_configuration(stream, change_.made) && change_.phase == Phase::steady) {
    apply_live();
    return;
  }
  change_.phase = Phase::draining;
  // A producer that waits for a slot gets one, because processing continues; its frame is not lost.
  running_->producer().stop();
}

void Session::follow_acquisition(const ImagingParams& params) {
  if (change_.phase != Phase::steady || (!running() && !change_.given_up)) return;
  check_fits(options_.stream, params);
  options_.params = params;
  review_.reset();
  if (std::exchange(change_.given_up, false)) return make();
  change_.other_acquisition = true;
  change_.phase = Phase::draining;
  running_->producer().stop();
}

void Session::apply_live() { running_->set_live(options_.stream, rate_hz()); }

bool Session::advance() {
  if (change_.phase == Phase::waiting && !source_->sender_gone()) source_->described_again() ? give_up_made() : make();
  if (change_.phase == Phase::draining) {
    if (running_->producer().state() == ProducerState::running) return false;
    running_->ring().close();  // its contents will still be processed
    if (change_.other_acquisition && drops(options_.stream.policy)) running_->ring().drop_ready();
    if (!running_->pipeline().done()) return false;
    counts_ = running_->ring().counts();
    if (options_.max_frames > 0 && counts_.processed >= options_.max_frames) {
      change_.phase = Phase::steady;  // nothing left to do
      return true;
    }
    next_sequence_ = running_->producer().next_sequence();
    held_reference_db_ = running_->pipeline().held_reference_db();
    pinned_ = running_->pinned();
    if (std::exchange(change_.other_acquisition, false)) {
      held_reference_db_ = kAutoReference;
      pinned_ = {};
      running_.reset();
    }
    make();
  }
  if (change_.phase == Phase::making) {
    if (source_->described_again() || source_->sender_gone()) change_.stop.request_stop();
    if (change_.making.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    take_made();
  }
  return change_.phase == Phase::steady || change_.phase == Phase::waiting;
}

void Session::make() {
  change_.made = options_.stream;
  change_.phase = Phase::making;
  change_.plan_bytes = 0;
  change_.stop = {};
  PipelineOptions pipeline;
  pipeline.max_frames = options_.max_frames > 0 ? options_.max_frames - counts_.processed : 0;
  pipeline.host_copy = options_.host_copy;
  pipeline.held_reference_db = held_reference_db_;
  pipeline.on_image = [take = options_.on_image, samples = options_.samples, source = source_](const Image& image) {
    if (samples != nullptr) samples->count(image.stamp.source_index);
    if (image.invalid != nullptr) source->note_invalid(*image.invalid);
    if (take) take(image);
  };
  pipeline.pixels = options_.pixels;
  pipeline.outlets = options_.outlets;
  pipeline.method_limit_s = options_.method_limit_s;
  pipeline.coarse = options_.coarse;
  pipeline.past = options_.past;
  pipeline.inspections = options_.inspections;
  pipeline.analyses = options_.analyses;
  StreamPlan plan{.backend = backend_,
                  .source = source_,
                  .images = images_,
                  .trace = trace_,
                  .stream = change_.made,
                  .params = options_.params,
                  .pipeline = std::move(pipeline),
                  .sinks = options_.sinks,
                  .reads_once = options_.reads_once,
                  .host_share = options_.host_share,
                  .rate_hz = rate_hz(),
                  .counts = counts_,
                  .first_sequence = next_sequence_,
                  .pinned = pinned_.kind == change_.made.host_memory ? pinned_ : PinnedSource{}};
  // Destroys the old configuration first: both together may not fit.
  pinned_ = {};
  change_.making = std::async(std::launch::async, [old = std::move(running_), plan = std::move(plan),
                                                   stop = change_.stop.get_token()]() mutable {
    old.reset();
    const LongWork work(std::move(stop));
    const std::string name = plan.source->name();
    try {
      return std::make_unique<RunningStream>(std::move(plan));
    } catch (const std::bad_alloc&) {
      throw no_memory_for(name);
    }
  });
}

// Ends without a stream until there is a sender, or until follow_acquisition() makes one of the new description.
void Session::give_up_made() {
  change_.given_up = source_->described_again();
  change_.phase = change_.given_up ? Phase::steady : Phase::waiting;
  pinned_ = {};
  if (change_.given_up) {
    source_->follow_description();
    held_reference_db_ = kAutoReference;
  }
  if (started_ns_ == 0) started_ns_ = now_ns();
}

void Session::take_made() {
  try {
    running_ = change_.making.get();
  } catch (const std::exception& error) {
    if (change_.stop.stop_requested() && !long_work_ended()) return give_up_made();
    if (!change_.working.has_value() || same_configuration(*change_.working, change_.made)) throw;
    refusal_ = error.what();
    options_.stream = *change_.working;
    make();
    return;
  }
  change_.working = change_.made;
  change_.plan_bytes = running_->plan_bytes();
  if (++configurations_ == 1) started_ns_ = running_->started_ns();
  change_.phase = Phase::steady;
  pinned_ = running_->pinned();
  host_memory_ = running_->host_memory();
  counts_ = running_->ring().counts();
  // Applies requests made meanwhile.
  running_->pipeline().set_params(options_.params);
  running_->pipeline().set_host_copy(options_.host_copy);
  if (review_.has_value()) running_->pipeline().review(*review_);
  running_->pipeline().look_at_line(line_);
  try {
    begin_stream(options_.stream);
  } catch (const Error& error) {
    refusal_ = error.what();
    options_.stream = change_.made;
  }
}

bool Session::done() const {
  if (change_.phase != Phase::steady) return false;
  if (!running() || running_->pipeline().done()) return true;
  const ProducerState state = running_->producer().state();
  if (state == ProducerState::running) return false;
  const RingCounts counts = running_->ring().counts();
  return counts.slots_ready == 0 && counts.in_flight == 0;
}

ChosenBackend choose_backend(const DeviceChoice& choice) {
  if (choice.backend == BackendChoice::cpu) return {make_cpu_backend(), {}};
  std::string why_not;
  if (auto cuda = make_cuda_backend(why_not, choice.gpu)) return {std::move(cuda), {}};
  if (choice.gpu >= 0) throw Error("--device " + std::to_string(choice.gpu), why_not, "a GPU that --device list names");
  if (choice.backend == BackendChoice::cuda)
    throw Error("--backend cuda", why_not, "a CUDA device and driver", "--backend auto falls back to the CPU");
  return {make_cpu_backend(), "Using the CPU: " + why_not};
}

}  // namespace echoloop
