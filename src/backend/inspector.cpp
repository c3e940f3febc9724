#include "backend/inspector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/frame_processor.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr int kSmallSide = 160;         // pixels of a small image, at most
constexpr std::size_t kMostPlans = 32;  // of single transmits

// Returns the parameters of one transmit's image with grid and compounding as chosen for all transmits.
ImagingParams params_of_one_transmit(const Plan& all) {
  ImagingParams p = all.params;
  p.formation.grid_kind = all.grid.polar() ? GridChoice::polar : GridChoice::cartesian;
  p.formation.grid_nx = all.grid.nx;
  p.formation.grid_nz = all.grid.nz;
  p.formation.compounding = Compounding::coherent;
  p.transmits = {};
  return p;
}

AcquisitionPtr acquisition_of_one_transmit(const Acquisition& all, int transmit) {
  auto one = std::make_shared<Acquisition>(all);
  one->transmits = {all.transmits[static_cast<std::size_t>(transmit)]};
  return one;
}

RfFrame frame_of_one_transmit(const RfFrame& all, const Acquisition& acquisition, int transmit) {
  const std::size_t bytes = acquisition.frame_bytes() / acquisition.transmits.size();
  return {.stamp = all.stamp, .samples = all.samples.subspan(static_cast<std::size_t>(transmit) * bytes, bytes)};
}

// Reduces blocks to their maximum, so that no wire is lost between pixels.
TransmitImage reduced(const Image& image, int transmit) {
  TransmitImage small{.transmit = transmit, .stamp = image.stamp, .grid = image.grid, .db = {}};
  const int across = (image.grid.nx + kSmallSide - 1) / kSmallSide;
  const int down = (image.grid.nz + kSmallSide - 1) / kSmallSide;
  small.grid.nx = (image.grid.nx + across - 1) / across;
  small.grid.nz = (image.grid.nz + down - 1) / down;
  small.db.assign(small.grid.pixels(), -1000.0f);
  const std::span<const float> db = image.host();
  for (int iz = 0; iz < image.grid.nz; ++iz) {
    for (int ix = 0; ix < image.grid.nx; ++ix) {
      float& to = small.db[static_cast<std::size_t>(iz / down) * static_cast<std::size_t>(small.grid.nx) +
                           static_cast<std::size_t>(ix / across)];
      to = std::max(
          to,
          db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(image.grid.nx) + static_cast<std::size_t>(ix)]);
    }
  }
  return small;
}

}  // namespace

FrameInspector::FrameInspector(Backend& backend, AcquisitionPtr acquisition, StreamMode mode,
                               InspectionAnswers& answers)
    : backend_(backend), acquisition_(std::move(acquisition)), mode_(mode), answers_(answers) {}

void FrameInspector::begin(InspectionRequest request, double held_reference_db) {
  request_ = std::move(request);
  held_reference_db_ = held_reference_db;
  answer_ = {};
  answer_.number = request_->number;
  picture_ = 0;
  working_ = nullptr;
}

bool FrameInspector::step() {
  if (!request_.has_value()) return false;
  turn_ns_ = now_ns();
  try {
    work();
  } catch (const std::exception& error) {  // a lane that failed halfway is unusable
    lane_.reset();
    small_lane_.reset();
    kept_.clear();
    plan_.reset();
    answer_.refusal = error.what();
    end();
  }
  answer_.work_s += static_cast<double>(now_ns() - turn_ns_) * 1e-9;
  return request_.has_value();
}

void FrameInspector::work() {
  if (working_ != nullptr) {
    if (!working_->finished()) return;
    const bool all = std::exchange(working_, nullptr) == lane_.get();
    all ? collect_all() : collect_picture();
    return;  // the next frame in the next turn
  }
  if (answer_.pixel == nullptr)
    start_all();
  else if (picture_ < request_->pictures.size())
    start_picture(request_->pictures[picture_]);
  else
    end();
}

void FrameInspector::start(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                           double reference_db) {
  form_frame(lane, plan, frame);
  make_image(lane, *plan, {.reference_db = reference_db});
  working_ = &lane;
}

void FrameInspector::start_all() {
  if (lane_ == nullptr) lane_ = backend_.make_lane(kMaxLanes, mode_);
  ImagingParams params = request_->params;
  params.refine = {};  // the pixel's levels are those before the image filters
  plan_ = make_plan(acquisition_, params, plan_, backend_.multiprocessors());
  reference_db_ = reference_level_db(*plan_, held_reference_db_);
  start(*lane_, plan_, request_->frame, reference_db_);
}

void FrameInspector::collect_all() {
  const std::vector<float> lines = lane_->read_back(Lane::Tap::conditioned);
  const std::vector<float> pixels = lane_->read_back(Lane::Tap::beamformed);
  std::vector<float> envelope;
  if (plan_->course != nullptr) {  // 0 dB is the frame's own maximum
    envelope = lane_->read_back(Lane::Tap::envelope);
    const float most = *std::max_element(envelope.begin(), envelope.end());
    reference_db_ = 20.0 * std::log10(std::max(static_cast<double>(most), 1e-30));
  }
  answer_.pixel = inspect_pixel({.plan = *plan_,
                                 .frame = request_->frame,
                                 .lines = lines,
                                 .pixels = pixels,
                                 .envelope = envelope,
                                 .reference_db = reference_db_,
                                 .at = request_->at,
                                 .transmit = request_->transmit});
  require_readable(request_->frame.samples);
  if (answer_.pixel == nullptr) {
    answer_.refusal = "No transmit reaches this line.";
    end();
  } else if (request_->pictures.empty()) {
    end();
  } else {
    answer();
  }
}

const FrameInspector::OneTransmit& FrameInspector::one_transmit(int transmit) {
  std::erase_if(kept_, [this](const OneTransmit& k) { return k.params != plan_->params; });
  for (const OneTransmit& k : kept_)
    if (k.transmit == transmit) return k;
  if (kept_.size() == kMostPlans) kept_.erase(kept_.begin());
  const AcquisitionPtr one = acquisition_of_one_transmit(*acquisition_, transmit);
  return kept_.emplace_back(
      OneTransmit{transmit, one, plan_->params,
                  make_plan(one, params_of_one_transmit(*plan_), nullptr, backend_.multiprocessors())});
}

void FrameInspector::start_picture(int transmit) {
  if (small_lane_ == nullptr) small_lane_ = backend_.make_lane(kMaxLanes, mode_);
  const bool add_up_to_one = plan_->das != nullptr && plan_->das->cones != nullptr;
  const double fewer_db = add_up_to_one ? 0.0 : 20.0 * std::log10(static_cast<double>(answer_.pixel->summed.size()));
  start(*small_lane_, one_transmit(transmit).plan, frame_of_one_transmit(request_->frame, *acquisition_, transmit),
        reference_db_ - fewer_db);
}

void FrameInspector::collect_picture() {
  require_readable(request_->frame.samples);
  const int transmit = request_->pictures[picture_++];
  answer_.pictures.push_back(std::make_shared<const TransmitImage>(reduced(small_lane_->image(), transmit)));
  picture_ == request_->pictures.size() ? end() : answer();
}

void FrameInspector::answer() {
  answers_.back() = answer_;
  answers_.back().work_s += static_cast<double>(now_ns() - turn_ns_) * 1e-9;
  answers_.publish();
}

void FrameInspector::end() {
  answer_.complete = true;
  answer();
  request_.reset();
}

}  // namespace echoloop
