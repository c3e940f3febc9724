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

bool Turns::await(std::uint64_t turn) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return now_ == turn || stopped_; });
  return !stopped_;
}

void Turns::pass() {
  {
    const std::scoped_lock lock(mutex_);
    ++now_;
  }
  changed_.notify_all();
}

void Turns::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

FlowWorker::FlowWorker(std::unique_ptr<FlowDevice> device, Mailbox<FlowImage>& pictures) : pictures_(pictures) {
  for (Hand& hand : hands_)
    hand.device = &hand == hands_.data() ? std::move(device) : hands_.front().device->make_twin();
  begin(hands_.front());  // a device takes its time to begin
}

// What one throws stops the others, too.
void FlowWorker::begin(Hand& hand) {
  const auto stopping = [this](auto step) {
    try {
      step();
    } catch (...) {
      turns_.stop();
      throw;
    }
  };
  hand.thread.emplace(JobThread::Work{.begin = [&, stopping] { stopping([&] { hand.device->begin_thread(); }); },
                                      .job = [&, stopping](int) { stopping([&] { make_picture(hand); }); }});
}

bool FlowWorker::needs(int slot) const {
  return std::ranges::any_of(hands_, [slot](const Hand& hand) {
    return hand.busy() && std::ranges::find(hand.task.slots, slot) != hand.task.slots.end();
  });
}

bool FlowWorker::room(int in_flight) const {
  const auto free = [](const Hand& hand) { return hand.device != nullptr && !hand.busy(); };
  return std::ranges::count_if(hands_, &Hand::busy) < in_flight && std::ranges::any_of(hands_, free);
}

bool FlowWorker::busy() const { return std::ranges::any_of(hands_, &Hand::busy); }

bool FlowWorker::failed() const {
  return std::ranges::any_of(hands_, [](const Hand& hand) { return hand.thread.has_value() && hand.thread->failed(); });
}

std::string FlowWorker::take_fault() {
  for (Hand& hand : hands_) {
    if (!hand.thread.has_value()) continue;
    if (std::string why = hand.thread->take_fault(); !why.empty()) return why;
  }
  return {};
}

void FlowWorker::settle() {
  for (Hand& hand : hands_) {
    if (hand.thread.has_value()) hand.thread->settle();
  }
}

void FlowWorker::start(FlowTask task) {
  Hand& hand = *std::ranges::find_if(hands_, [](const Hand& h) { return h.device != nullptr && !h.busy(); });
  if (failed()) return;
  if (!hand.thread.has_value()) begin(hand);
  hand.thread->hand_over([&](int) {
    hand.task = std::move(task);
    hand.turn = turns_.take();
  });
}

Decomposition FlowWorker::decompose(Hand& hand) {
  const FlowTask& task = hand.task;
  const int n = task.flow.frames;
  int n_known = 0;
  if (task.run == hand.known_run && hand.known_frames == n && task.end >= hand.known_end) {
    n_known = std::max(0, n - static_cast<int>(std::min<std::uint64_t>(task.end - hand.known_end, 1U << 20)));
  }
  hand.known_frames = 0;  // what throws leaves nothing known
  Decomposition d = hand.device->decompose(task.slots, n_known);
  hand.known_run = task.run;
  hand.known_end = task.end;
  hand.known_frames = n;
  return d;
}

void FlowWorker::make_picture(Hand& hand) {
  const std::int64_t begin_ns = now_ns();
  const FlowTask& task = hand.task;
  const ImagingParams& params = task.plan->params;
  const bool by_components =
      params.color_flow.wall_filter == WallFilter::svd || params.color_flow.mode == FlowMode::low_rank;
  Decomposition d;
  ComponentRange range;
  if (by_components) {
    d = decompose(hand);
    range = choose_components(d, params, task.plan->das->tables->grid.pixels());
    hand.device->keep_components(d, range);
  } else {
    hand.device->set_matrix(wall_matrix(params, task.flow.frames), task.flow.frames);
  }
  const double decompose_ms = by_components ? ms_since(begin_ns) : 0.0;
  if (!turns_.await(hand.turn)) return;
  FlowImage& image = pictures_.back();
  image.singular_values.assign(d.singular_values.begin(), d.singular_values.end());
  image.temporal_vectors.assign(d.temporal_vectors.begin(), d.temporal_vectors.end());
  image.first_component = by_components ? range.first : 0;
  image.last_component = by_components ? range.last : 0;
  image.relative_error = by_components ? reconstruction_error(d.singular_values, range) : 0.0;
  image.times.decompose_ms = decompose_ms;
  publish(hand, image, begin_ns);
  turns_.pass();
}

// The picture of filtered frames, when it is its turn.
void FlowWorker::publish(Hand& hand, FlowImage& image, std::int64_t begin_ns) {
  const std::int64_t filter_ns = now_ns();
  const FlowTask& task = hand.task;
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
  hand.device->apply(task.slots,
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
