#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/flow.h"
#include "core/units.h"

namespace echoloop {
namespace {

double ms_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-6; }

}  // namespace

FlowEngine::FlowEngine(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures)
    : device_(std::move(device)), pictures_(pictures), thread_([this] { run(); }) {}

FlowEngine::~FlowEngine() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

FlowCounts FlowEngine::counts() const { return {.pictures = n_pictures_, .late = n_late_, .restarts = n_restarts_}; }

std::string FlowEngine::take_fault() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(fault_, {});
}

void FlowEngine::restart() {
  if (in_run_ > 0) ++n_restarts_;
  ++run_;
  in_run_ = last_end_ = 0;
}

// Makes room for the plan's ensembles; false while the flow thread is still at work on the old ones.
bool FlowEngine::fit(const std::shared_ptr<const Plan>& plan, const PixelView& pixels) {
  if (plan == plan_) return true;
  const FlowPlan flow = make_flow_plan(*plan);
  const bool fits = flow.slots <= n_slots_ && pixels.count == n_pixels_;
  const bool much_too_large = 2 * flow.slots < n_slots_;
  if (!fits || much_too_large) {
    if (busy_) return false;
    n_slots_ = 0;  // what throws halfway leaves nothing
    device_->reserve(flow.slots, pixels.count);
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

void FlowEngine::take(const std::shared_ptr<const Plan>& plan, const PixelView& pixels, const FrameStamp& stamp,
                      double reference_db) {
  if (failed_ || pixels.values == nullptr) return;
  if (!fit(plan, pixels)) {
    restart();
    return;
  }
  if (in_run_ > 0 && stamp.source_index != last_stamp_.source_index + 1) restart();
  last_stamp_ = stamp;
  if (busy_ && std::ranges::find(job_.slots, next_slot_) != job_.slots.end()) {
    restart();  // the ensemble in work still needs it
    return;
  }
  device_->store(next_slot_, pixels);
  next_slot_ = (next_slot_ + 1) % n_slots_;
  ++in_run_;
  start_due(stamp, reference_db);
}

void FlowEngine::start_due(const FrameStamp& stamp, double reference_db) {
  const auto n = static_cast<std::uint64_t>(flow_.frames);
  const bool first = last_end_ == 0;
  if (in_run_ < n || (!first && in_run_ < last_end_ + static_cast<std::uint64_t>(flow_.step))) return;
  if (busy_) {
    if (!std::exchange(late_counted_, true)) ++n_late_;
    return;
  }
  late_counted_ = false;
  last_end_ = in_run_;
  job_.plan = plan_;
  job_.flow = flow_;
  job_.run = run_;
  job_.end = in_run_;
  job_.stamp = stamp;
  job_.reference_db = reference_db;
  job_.slots.clear();
  for (int t = 0; t < flow_.frames; ++t) {
    job_.slots.push_back((next_slot_ + n_slots_ - flow_.frames + t) % n_slots_);
  }
  busy_ = true;
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_all();
}

void FlowEngine::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
}

void FlowEngine::run() {
  const auto fail = [this](const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fault_ = error.what();
    failed_ = true;
  };
  try {
    device_->begin_thread();
  } catch (const std::exception& error) {
    fail(error);
  }
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || quit_; });
      if (quit_) return;
      wanted_ = false;
    }
    try {
      if (!failed_) make_picture(job_);
    } catch (const std::exception& error) {
      fail(error);
    }
    {
      const std::scoped_lock lock(mutex_);
      busy_ = false;
    }
    changed_.notify_all();
  }
}

Decomposition FlowEngine::decompose(const Job& job) {
  const int n = job.flow.frames;
  int n_known = 0;
  if (job.run == known_run_ && known_frames_ == n && job.end >= known_end_) {
    n_known = std::max(0, n - static_cast<int>(std::min<std::uint64_t>(job.end - known_end_, 1U << 20)));
  }
  known_frames_ = 0;  // what throws leaves nothing known
  Decomposition d = device_->decompose(job.slots, n_known);
  known_run_ = job.run;
  known_end_ = job.end;
  known_frames_ = n;
  return d;
}

void FlowEngine::make_picture(const Job& job) {
  const std::int64_t begin_ns = now_ns();
  const ImagingParams& params = job.plan->params;
  FlowImage& image = pictures_.back();
  image.singular_values.clear();
  image.courses.clear();
  image.first_component = image.last_component = 0;
  image.relative_error = image.times.decompose_ms = 0.0;
  if (params.wall_filter == WallFilter::svd || params.flow == FlowMode::low_rank) {
    const Decomposition d = decompose(job);
    const ComponentRange range = choose_components(d, params, job.plan->das->tables->grid.pixels());
    device_->keep_components(d, range);
    image.singular_values.assign(d.singular_values.begin(), d.singular_values.end());
    image.courses.assign(d.courses.begin(), d.courses.end());
    image.first_component = range.first;
    image.last_component = range.last;
    image.relative_error = reconstruction_error(d.singular_values, range);
    image.times.decompose_ms = ms_since(begin_ns);
  } else {
    device_->set_matrix(wall_matrix(params, job.flow.frames), job.flow.frames);
  }
  const std::int64_t filter_ns = now_ns();
  double keep = 0.0;
  const double passed_s = job.stamp.time_s - shown_stamp_.time_s;
  if (params.flow_persistence_s > 0.0 && shown_run_ == job.run && passed_s > 0.0) {
    keep = std::exp(-passed_s / params.flow_persistence_s);
  }
  image.stamp = job.stamp;
  image.grid = job.plan->das->tables->grid;
  image.acquisition = job.plan->acquisition;
  image.params = params;
  image.reference_db = job.reference_db;
  image.frames = job.flow.frames;
  image.prf_hz = job.flow.prf_hz;
  image.center_hz = job.plan->acquisition->center_hz;
  image.aliasing_m_s = kPi * job.flow.scale_m_s;
  device_->apply(job.slots,
                 {.reference_db = job.reference_db,
                  .scale_m_s = job.flow.scale_m_s,
                  .keep = keep,
                  .low_rank = params.flow == FlowMode::low_rank},
                 image);
  shown_stamp_ = job.stamp;
  shown_run_ = job.run;
  image.times.filter_ms = ms_since(filter_ns);
  image.times.total_ms = ms_since(begin_ns);
  image.ready_ns = now_ns();
  image.number = ++number_;
  pictures_.publish();
  ++n_pictures_;
}

}  // namespace echoloop
