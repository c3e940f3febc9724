// What other threads ask of the Pipeline, and what they may know.
#include <utility>

#include "backend/pipeline.h"

namespace echoloop {

void Pipeline::set_params(const ImagingParams& params) {
  params_.back() = params;
  params_.publish();
}

void Pipeline::set_injection(const Injection& injection) {
  load_ms_ = injection.load_ms;
  error_at_ = injection.error_at;
  lost_at_ = injection.lost_at;
}

void Pipeline::review(ReviewRequest request) {
  if (reviewer_ == nullptr) return;
  if (!request.deliver) side_.set_looking(SideEngines::Looking::back);
  reviewer_->request(std::move(request));
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
  side_.set_looking(SideEngines::Looking::at_live);
  if (reviewer_ == nullptr) return;
  reviewer_->end_flow();
  ring_.wake();
}

void Pipeline::stop() {
  stop_ = true;
  ring_.close();
}

void Pipeline::abandon() {
  abandoned_ = true;
  stop();
}

std::string Pipeline::fault() const {
  const std::scoped_lock lock(text_mutex_);
  return fault_;
}

std::string Pipeline::take_refusal() {
  const std::scoped_lock lock(text_mutex_);
  if (refusal_.empty() && reviewer_ != nullptr) return reviewer_->take_refusal();
  return std::exchange(refusal_, {});
}

void Pipeline::refuse(const std::string& why) {
  const std::scoped_lock lock(text_mutex_);
  refusal_ = why;
}

}  // namespace echoloop
