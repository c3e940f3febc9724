#include "backend/flow_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "backend/frame_processor.h"
#include "dsp/fir_design.h"

namespace echoloop {

FlowPlan make_flow_plan(const Plan& plan) {
  const ImagingParams& p = plan.params;
  const Acquisition& a = *plan.acquisition;
  FlowPlan flow{.frames = p.color_flow.frames, .step = p.color_flow.step};
  const bool brief = flow.frames <= kShortFrames;
  flow.in_flight = brief ? kMostInFlight : 1;
  flow.slots = flow.frames + std::max(flow.step, brief ? flow.frames : flow.frames / 2);
  flow.prf_hz = p.color_flow.prf_hz > 0.0 ? p.color_flow.prf_hz : a.frame_rate_hz;
  flow.scale_m_s = flow_scale_m_s(p.formation.sound_speed_m_s, flow.prf_hz, a.center_hz, p.color_flow.angle_rad);
  return flow;
}

bool same_pixels(const Plan& a, const Plan& b) {
  return a.acquisition == b.acquisition && same_pixels(a.params, b.params);
}

ComponentRange choose_components(const Decomposition& d, const ImagingParams& p, std::size_t n_pixels) {
  const int tissue = tissue_components(d, p.color_flow.wall_cutoff);
  ComponentRange range;
  if (p.color_flow.mode == FlowMode::low_rank) {
    range = {.first = 1, .last = std::max(1, tissue)};
  } else {
    // No component above the noise: blood that differs between all frames fills all components as noise does, and a
    // single component would show one velocity everywhere.
    const int last = last_above_noise(d.singular_values, n_pixels);
    range = {.first = tissue + 1, .last = last > tissue ? last : d.n};
  }
  if (p.color_flow.svd_low > 0) range.first = std::min(p.color_flow.svd_low, d.n);
  if (p.color_flow.svd_high > 0) range.last = std::min(p.color_flow.svd_high, d.n);
  range.last = std::max(range.last, range.first);
  return range;
}

std::vector<float> wall_matrix(const ImagingParams& p, int n) {
  if (p.color_flow.wall_filter == WallFilter::fir)
    return fir_wall_matrix(fir_highpass_hamming(kWallTaps, p.color_flow.wall_cutoff), n);
  if (p.color_flow.wall_filter == WallFilter::polynomial) return polynomial_wall_matrix(p.color_flow.wall_order, n);
  return identity_matrix(n);
}

FlowCounts FlowEngine::counts() const {
  return {.pictures = worker_.pictures(), .late = n_late_, .restarts = n_restarts_};
}

void FlowEngine::restart() {
  if (in_run_ > 0) ++n_restarts_;
  ++run_;
  in_run_ = last_end_ = 0;
}

// Allocates slots for the plan's ensembles; returns false while old ones are in work.
bool FlowEngine::fit(const std::shared_ptr<const Plan>& plan, const PixelView& pixels) {
  if (plan == plan_) return true;
  const FlowPlan flow = make_flow_plan(*plan);
  const bool fits = flow.slots <= n_slots_ && pixels.count == n_pixels_;
  const bool much_too_large = 2 * flow.slots < n_slots_;
  if (!fits || much_too_large) {
    if (worker_.busy()) return false;
    n_slots_ = 0;  // after an exception nothing is allocated
    worker_.device().reserve(flow.slots, pixels.count);
    n_slots_ = flow.slots;
    n_pixels_ = pixels.count;
    next_slot_ = 0;
    restart();
  } else if (!same_pixels(*plan, *plan_)) {
    restart();
  }
  plan_ = plan;
  flow_ = flow;
  return true;
}

void FlowEngine::take(const BeamformedFrame& frame) {
  const FrameStamp& stamp = frame.stamp;
  if (worker_.failed() || frame.pixels.values == nullptr) return;
  if (!fit(frame.plan, frame.pixels)) {
    restart();
    return;
  }
  if (in_run_ > 0 && stamp.source_index != last_stamp_.source_index + 1) restart();
  last_stamp_ = stamp;
  if (worker_.needs(next_slot_)) {
    restart();  // an ensemble in work still uses the slot
    return;
  }
  worker_.device().store(next_slot_, frame.pixels);
  next_slot_ = (next_slot_ + 1) % n_slots_;
  ++in_run_;
  start_due(stamp, frame.reference_db);
}

void FlowEngine::start_due(const FrameStamp& stamp, double reference_db) {
  const auto n = static_cast<std::uint64_t>(flow_.frames);
  const bool first = last_end_ == 0;
  if (in_run_ < n || (!first && in_run_ < last_end_ + static_cast<std::uint64_t>(flow_.step))) return;
  if (!worker_.room(flow_.in_flight)) {
    if (!std::exchange(late_counted_, true)) ++n_late_;
    return;
  }
  late_counted_ = false;
  last_end_ = in_run_;
  FlowTask task{.plan = plan_,
                .flow = flow_,
                .slots = {},
                .run = run_,
                .end = in_run_,
                .stamp = stamp,
                .reference_db = reference_db};
  for (int t = 0; t < flow_.frames; ++t) task.slots.push_back((next_slot_ + n_slots_ - flow_.frames + t) % n_slots_);
  worker_.start(std::move(task));
}

namespace {

double ms_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-6; }

}  // namespace

bool OrderedTurnstile::await(std::uint64_t turn) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return now_ == turn || stopped_; });
  return !stopped_;
}

void OrderedTurnstile::complete() {
  {
    const std::scoped_lock lock(mutex_);
    ++now_;
  }
  changed_.notify_all();
}

void OrderedTurnstile::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

FlowWorker::FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures) : pictures_(pictures) {
  for (Worker& worker : workers_)
    worker.device = &worker == workers_.data() ? std::move(device) : workers_.front().device->clone();
  begin(workers_.front());  // a device takes time to begin
}

// Begins all workers; an exception in one stops the others as well.
void FlowWorker::begin(Worker& worker) {
  const auto stopping = [this](auto step) {
    try {
      step();
    } catch (...) {
      turnstile_.stop();
      throw;
    }
  };
  worker.thread.emplace(JobThread::Work{.begin = [&, stopping] { stopping([&] { worker.device->begin_thread(); }); },
                                        .job = [&, stopping](int) { stopping([&] { make_picture(worker); }); }});
}

bool FlowWorker::needs(int slot) const {
  return std::ranges::any_of(workers_, [slot](const Worker& worker) {
    return worker.busy() && std::ranges::find(worker.task.slots, slot) != worker.task.slots.end();
  });
}

bool FlowWorker::room(int in_flight) const {
  const auto free = [](const Worker& worker) { return worker.device != nullptr && !worker.busy(); };
  return std::ranges::count_if(workers_, &Worker::busy) < in_flight && std::ranges::any_of(workers_, free);
}

bool FlowWorker::busy() const { return std::ranges::any_of(workers_, &Worker::busy); }

bool FlowWorker::failed() const {
  return std::ranges::any_of(workers_,
                             [](const Worker& worker) { return worker.thread.has_value() && worker.thread->failed(); });
}

std::string FlowWorker::take_fault() {
  for (Worker& worker : workers_) {
    if (!worker.thread.has_value()) continue;
    if (std::string why = worker.thread->take_fault(); !why.empty()) return why;
  }
  return {};
}

void FlowWorker::drain() {
  for (Worker& worker : workers_)
    if (worker.thread.has_value()) worker.thread->drain();
}

void FlowWorker::start(FlowTask task) {
  Worker& worker = *std::ranges::find_if(workers_, [](const Worker& h) { return h.device != nullptr && !h.busy(); });
  if (failed()) return;
  if (!worker.thread.has_value()) begin(worker);
  worker.thread->hand_over([&](int) {
    worker.task = std::move(task);
    worker.turn = turnstile_.take();
  });
}

Decomposition FlowWorker::decompose(Worker& worker) {
  const FlowTask& task = worker.task;
  const int n = task.flow.frames;
  int n_known = 0;
  if (task.run == worker.known_run && worker.known_frames == n && task.end >= worker.known_end)
    n_known = std::max(0, n - static_cast<int>(std::min<std::uint64_t>(task.end - worker.known_end, 1U << 20)));
  worker.known_frames = 0;  // after an exception nothing is known
  Decomposition d = worker.device->decompose(task.slots, n_known);
  worker.known_run = task.run;
  worker.known_end = task.end;
  worker.known_frames = n;
  return d;
}

void FlowWorker::make_picture(Worker& worker) {
  const std::int64_t begin_ns = now_ns();
  const FlowTask& task = worker.task;
  const ImagingParams& params = task.plan->params;
  const bool by_components =
      params.color_flow.wall_filter == WallFilter::svd || params.color_flow.mode == FlowMode::low_rank;
  Decomposition d;
  ComponentRange range;
  if (by_components) {
    d = decompose(worker);
    range = choose_components(d, params, task.plan->das->tables->grid.pixels());
    worker.device->keep_components(d, range);
  } else {
    worker.device->set_matrix(wall_matrix(params, task.flow.frames), task.flow.frames);
  }
  const double decompose_ms = by_components ? ms_since(begin_ns) : 0.0;
  if (!turnstile_.await(worker.turn)) return;
  FlowImage& image = pictures_.back();
  image.singular_values.assign(d.singular_values.begin(), d.singular_values.end());
  image.temporal_vectors.assign(d.temporal_vectors.begin(), d.temporal_vectors.end());
  image.components.first = by_components ? range.first : 0;
  image.components.last = by_components ? range.last : 0;
  image.relative_error = by_components ? reconstruction_error(d.singular_values, range) : 0.0;
  image.times.decompose_ms = decompose_ms;
  publish(worker, image, begin_ns);
  turnstile_.complete();
}

// Makes the image of the filtered frames when it is its turn.
void FlowWorker::publish(Worker& worker, FlowImage& image, std::int64_t begin_ns) {
  const std::int64_t filter_ns = now_ns();
  const FlowTask& task = worker.task;
  const ImagingParams& params = task.plan->params;
  double keep = 0.0;
  const double passed_s = task.stamp.time_s - shown_stamp_.time_s;
  if (params.color_flow.persistence_s > 0.0 && shown_run_ == task.run && passed_s > 0.0)
    keep = std::exp(-passed_s / params.color_flow.persistence_s);
  image.stamp = task.stamp;
  image.grid = task.plan->das->tables->grid;
  image.acquisition = task.plan->acquisition;
  image.params = params;
  image.reference_db = task.reference_db;
  image.frames = task.flow.frames;
  image.prf_hz = task.flow.prf_hz;
  image.center_hz = task.plan->acquisition->center_hz;
  image.aliasing_m_s = kPi * task.flow.scale_m_s;
  worker.device->apply(task.slots,
                       {.reference_db = task.reference_db,
                        .scale_m_s = task.flow.scale_m_s,
                        .keep = keep,
                        .low_rank = params.color_flow.mode == FlowMode::low_rank},
                       image);
  if (params.color_flow.mode == FlowMode::low_rank)
    image.mask_db.clear();
  else
    find_flow_mask(image);
  shown_stamp_ = task.stamp;
  shown_run_ = task.run;
  image.times.filter_ms = ms_since(filter_ns);
  image.times.total_ms = ms_since(begin_ns);
  image.ready_ns = now_ns();
  image.number = ++number_;
  pictures_.publish();
  ++n_pictures_;
}

FlowReviewer::FlowReviewer(Backend& backend, AcquisitionPtr acquisition, StreamMode mode)
    : backend_(backend),
      acquisition_(std::move(acquisition)),
      lane_(backend.make_lane(kMaxLanes, mode)),
      worker_(backend.make_device<FlowAnalysis>(), made_) {}

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
  if (const EnsembleFrame* frame = missing())
    beamform(*frame, reference_db);
  else if (worker_.room(1))
    start(reference_db);
}

// Allocates slots for the plan's ensembles; returns false while the worker uses the old ones.
bool FlowReviewer::fit(std::size_t n_pixels) {
  const bool fits = flow_.slots <= n_slots_ && n_pixels == n_pixels_;
  const bool much_too_large = 2 * flow_.slots < n_slots_;
  if (fits && !much_too_large) return true;
  if (worker_.busy()) return false;
  n_slots_ = 0;  // after an exception nothing is allocated
  held_.clear();
  worker_.device().reserve(flow_.slots, n_pixels);
  n_slots_ = flow_.slots;
  n_pixels_ = n_pixels;
  held_.resize(static_cast<std::size_t>(n_slots_));
  return true;
}

// Returns the oldest frame of the ensemble that is not yet beamformed; null: none.
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
  lane_->set_plan(plan_);  // throws if the device lacks memory for the plan
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

constinit const AnalysisRow FlowAnalysis::kEngine = analysis_row<FlowAnalysis, FlowEngine>("No flow images: ");

}  // namespace echoloop
