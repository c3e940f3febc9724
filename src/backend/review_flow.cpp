// The Reviewer's part in flow: passes ensembles of history frames to a FlowReviewer and its images to the window.
// Processing thread, unless said.
#include <utility>

#include "backend/review.h"

namespace echoloop {
namespace {

constexpr std::uint64_t kFlowTurn = 4;  // of frames of an ensemble among live ones that wait

}  // namespace

void Reviewer::end_flow() {
  {
    const std::scoped_lock lock(mutex_);
    if (request_.has_value()) request_->ensemble.clear();
    flow_ended_ = true;
  }
  changed_.notify_all();
}

// A turn of the flow of kept frames. True while frames are to be beamformed for it.
bool Reviewer::step_flow(LiveFrame live) {
  const bool wanted = flow_ != nullptr || film_awaited_;
  if (wanted && live == LiveFrame::waits && ++flow_turn_ % kFlowTurn != 0) return true;
  flow_awaited_ = false;
  const bool shown = step_shown_flow();
  return step_film_flow() || shown;
}

// A failure is reported; images without flow continue.
bool Reviewer::step_shown_flow() {
  if (flow_ == nullptr) return false;
  try {
    flow_->step(held_reference_db_);
  } catch (const std::exception& error) {
    flow_.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
    return false;
  }
  if (FlowImage* made = flow_->take()) {
    made->number = ++flows_made_;
    std::swap(*made, images_.flow.back());
    images_.flow.publish();
  }
  flow_awaited_ = flow_->busy();
  if (!flow_wanted_ && !flow_awaited_) flow_.reset();
  return flow_awaited_ && flow_->beamforming();
}

// Flow of the image to be delivered. Throws on failure.
bool Reviewer::step_film_flow() {
  if (!film_awaited_) return false;
  film_flow_->step(held_reference_db_);
  film_made_ = film_flow_->take();
  film_awaited_ = film_made_ == nullptr;
  flow_awaited_ = flow_awaited_ || film_awaited_;
  return film_awaited_ && film_flow_->beamforming();
}

void Reviewer::begin_film_flow(ReviewRequest& request) {
  film_awaited_ = !request.ensemble.empty();
  if (!film_awaited_) return;
  if (film_flow_ == nullptr) film_flow_ = std::make_unique<FlowReviewer>(backend_, acquisition_, mode_);
  film_flow_->begin({.frames = std::move(request.ensemble), .params = request.params});
}

void Reviewer::begin_flow(ReviewRequest& request) {
  if (request.ensemble.empty()) return drop_flow();
  flow_wanted_ = true;
  try {
    if (flow_ == nullptr) flow_ = std::make_unique<FlowReviewer>(backend_, acquisition_, mode_);
    flow_->begin({.frames = std::move(request.ensemble), .params = request.params});
  } catch (const std::exception& error) {
    flow_.reset();
    say_refused("No flow for history frames: " + std::string(error.what()));
  }
}

// What holds its memory goes as soon as that waits for nothing.
void Reviewer::drop_flow() {
  flow_wanted_ = false;
  if (flow_ != nullptr) flow_->cancel();
  if (!film_awaited_ && film_made_ == nullptr) film_flow_.reset();
}

void Reviewer::say_refused(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  refusal_ = why;
}

}  // namespace echoloop
