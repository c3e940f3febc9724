#include "backend/flow_worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/flow.h"
#include "core/units.h"

namespace echoloop {
namespace {

double ms_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-6; }

}  // namespace

FlowWorker::FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures)
    : device_(std::move(device)),
      pictures_(pictures),
      thread_({.begin = [this] { device_->begin_thread(); }, .job = [this](int) { make_picture(task_); }}) {}

bool FlowWorker::needs(int slot) const { return busy() && std::ranges::find(task_.slots, slot) != task_.slots.end(); }

void FlowWorker::start(FlowTask task) {
  thread_.hand_over([&](int) { task_ = std::move(task); });
}

Decomposition FlowWorker::decompose(const FlowTask& task) {
  const int n = task.flow.frames;
  int n_known = 0;
  if (task.run == known_run_ && known_frames_ == n && task.end >= known_end_) {
    n_known = std::max(0, n - static_cast<int>(std::min<std::uint64_t>(task.end - known_end_, 1U << 20)));
  }
  known_frames_ = 0;  // what throws leaves nothing known
  Decomposition d = device_->decompose(task.slots, n_known);
  known_run_ = task.run;
  known_end_ = task.end;
  known_frames_ = n;
  return d;
}

void FlowWorker::make_picture(const FlowTask& task) {
  const std::int64_t begin_ns = now_ns();
  const ImagingParams& params = task.plan->params;
  FlowImage& image = pictures_.back();
  image.singular_values.clear();
  image.temporal_vectors.clear();
  image.first_component = image.last_component = 0;
  image.relative_error = image.times.decompose_ms = 0.0;
  if (params.wall_filter == WallFilter::svd || params.flow == FlowMode::low_rank) {
    const Decomposition d = decompose(task);
    const ComponentRange range = choose_components(d, params, task.plan->das->tables->grid.pixels());
    device_->keep_components(d, range);
    image.singular_values.assign(d.singular_values.begin(), d.singular_values.end());
    image.temporal_vectors.assign(d.temporal_vectors.begin(), d.temporal_vectors.end());
    image.first_component = range.first;
    image.last_component = range.last;
    image.relative_error = reconstruction_error(d.singular_values, range);
    image.times.decompose_ms = ms_since(begin_ns);
  } else {
    device_->set_matrix(wall_matrix(params, task.flow.frames), task.flow.frames);
  }
  const std::int64_t filter_ns = now_ns();
  double keep = 0.0;
  const double passed_s = task.stamp.time_s - shown_stamp_.time_s;
  if (params.flow_persistence_s > 0.0 && shown_run_ == task.run && passed_s > 0.0) {
    keep = std::exp(-passed_s / params.flow_persistence_s);
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
  device_->apply(task.slots,
                 {.reference_db = task.reference_db,
                  .scale_m_s = task.flow.scale_m_s,
                  .keep = keep,
                  .low_rank = params.flow == FlowMode::low_rank},
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
