#include "backend/flow_worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/flow_plan.h"
#include "core/units.h"

namespace echoloop {
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
  begin(workers_.front());  // a device takes its time to begin
}

// What one throws stops the others, too.
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
  for (Worker& worker : workers_) {
    if (worker.thread.has_value()) worker.thread->drain();
  }
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
  if (task.run == worker.known_run && worker.known_frames == n && task.end >= worker.known_end) {
    n_known = std::max(0, n - static_cast<int>(std::min<std::uint64_t>(task.end - worker.known_end, 1U << 20)));
  }
  worker.known_frames = 0;  // what throws leaves nothing known
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
  image.first_component = by_components ? range.first : 0;
  image.last_component = by_components ? range.last : 0;
  image.relative_error = by_components ? reconstruction_error(d.singular_values, range) : 0.0;
  image.times.decompose_ms = decompose_ms;
  publish(worker, image, begin_ns);
  turnstile_.complete();
}

// The image of filtered frames, when it is its turn.
void FlowWorker::publish(Worker& worker, FlowImage& image, std::int64_t begin_ns) {
  const std::int64_t filter_ns = now_ns();
  const FlowTask& task = worker.task;
  const ImagingParams& params = task.plan->params;
  double keep = 0.0;
  const double passed_s = task.stamp.time_s - shown_stamp_.time_s;
  if (params.color_flow.persistence_s > 0.0 && shown_run_ == task.run && passed_s > 0.0) {
    keep = std::exp(-passed_s / params.color_flow.persistence_s);
  }
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
  shown_stamp_ = task.stamp;
  shown_run_ = task.run;
  image.times.filter_ms = ms_since(filter_ns);
  image.times.total_ms = ms_since(begin_ns);
  image.ready_ns = now_ns();
  image.number = ++number_;
  pictures_.publish();
  ++n_pictures_;
}

}  // namespace echoloop
